//! Header comments: `# name: …`, `# boxes: 3x4`, `# extra: diagonals`, `# expected: 288`, `# zero: value`.
//!
//! `regions:` is another name for `boxes:`. Its value `jigsaw` announces a region map; `usual` restores the usual boxes in a
//! collection. `zero:` is the meaning of 0: a value or an empty cell. Comments with another key are ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::WriteError;
use super::body::{Comment, Document, TextLine, quote};
use super::cells::is_zero_ambiguous;
use super::map::Map;
use crate::shape::{MAX_ORDER, ShapeError};
use crate::{Extras, InputError, Position, Puzzle, Regions, Shape, Zero};

/// The value of a header about regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestedRegions {
    Usual,
    Boxes { rows: usize, cols: usize },
    None,
    Map,
}

#[derive(Clone, Debug)]
struct Setting<T> {
    value: T,
    position: Position,
    /// Whether no puzzle has followed yet.
    fresh: bool,
}

/// The headers that apply to the next puzzle.
#[derive(Default)]
pub(super) struct Headers {
    name: Option<Setting<String>>,
    regions: Option<Setting<RequestedRegions>>,
    extras: Option<Setting<Extras>>,
    expected: Option<Setting<u128>>,
    zero: Option<Setting<Zero>>,
    /// The lines of the last headers about these, if they are invalid.
    invalid: BTreeMap<Changed, usize>,
}

/// The effect of a header on all puzzles that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Changed {
    Nothing,
    Regions,
    Extras,
    Zero,
}

impl Headers {
    /// All headers of a file with one puzzle.
    pub fn of(document: &Document<'_>) -> Result<Headers, InputError> {
        let mut headers = Headers::default();
        for comment in &document.comments {
            headers.add(document, comment)?;
        }
        Ok(headers)
    }

    pub fn add(&mut self, document: &Document<'_>, comment: &Comment<'_>) -> Result<Changed, InputError> {
        let &Comment { position, ref key, value } = comment;
        let (changed, added) = match key.as_str() {
            "name" if !value.is_empty() => {
                (Changed::Nothing, set(document, &mut self.name, comment, Some(value.to_owned()), "name", "a name"))
            }
            "expected" => {
                let expected = "a number of solutions below 2^128";
                (Changed::Nothing, set(document, &mut self.expected, comment, parse_count(value), "expected", expected))
            }
            "boxes" | "regions" => {
                let expected = "a box such as 3x4 (rows x columns), none, usual or jigsaw";
                (Changed::Regions, set(document, &mut self.regions, comment, parse_regions(value), "boxes", expected))
            }
            "extra" | "extras" => {
                let expected = "a list of extra houses: diagonals, hyper or none";
                let mut extras = parse_extras(value);
                // Two headers for one puzzle add up.
                if let (Some(new), Some(old)) = (&mut extras, self.extras.as_mut().filter(|old| old.fresh)) {
                    new.diagonals |= old.value.diagonals;
                    new.hyper |= old.value.hyper;
                    old.fresh = false;
                }
                (Changed::Extras, set(document, &mut self.extras, comment, extras, "extra", expected))
            }
            "zero" => {
                let expected = "a meaning of 0: value or empty";
                (Changed::Zero, set(document, &mut self.zero, comment, parse_zero(value), "zero", expected))
            }
            _ => return Ok(Changed::Nothing),
        };
        if added.is_err() && changed != Changed::Nothing {
            self.invalid.insert(changed, position.line);
        } else {
            self.invalid.remove(&changed);
        }
        added.map(|()| changed)
    }

    /// The shape of a puzzle of this order at this position.
    pub fn shape(
        &self,
        document: &Document<'_>,
        order: usize,
        map: Option<&Map>,
        at: Position,
    ) -> Result<Arc<Shape>, InputError> {
        // With a wrong shape, a reader that continues after errors would count another puzzle.
        if let Some(line) = self.invalid.values().next() {
            let message = format!("puzzle not read: the header on line {line}, which applies to it, is invalid");
            return Err(document.error(at, message));
        }
        let regions = match (map, self.regions.as_ref().map(|setting| (setting.value, setting.position))) {
            (Some(map), None | Some((RequestedRegions::Map, _))) => Regions::Jigsaw(map.regions.clone()),
            (Some(_), Some((_, position))) => {
                return Err(document.error(position, "these boxes contradict the region map in the file"));
            }
            (None, None | Some((RequestedRegions::Usual, _))) => Regions::usual(order),
            (None, Some((RequestedRegions::Boxes { rows, cols }, _))) => Regions::Boxes { rows, cols },
            (None, Some((RequestedRegions::None, _))) => Regions::None,
            (None, Some((RequestedRegions::Map, position))) => {
                return Err(document.error(position, "this header announces a region map, but the file has none"));
            }
        };
        let extras = self.extras.as_ref().map_or(Extras::default(), |setting| setting.value);
        Shape::new(order, regions, extras).map(Arc::new).map_err(|error| {
            let mut message = error.to_string();
            let position = match (error, map) {
                (ShapeError::RegionSize { cell, region, found, .. }, Some(map)) => {
                    message = map.wrong_size(region, found, order);
                    map.positions.get(cell).copied()
                }
                (ShapeError::Boxes { .. }, _) => self.regions.as_ref().map(|setting| setting.position),
                (ShapeError::Hyper, _) => self.extras.as_ref().map(|setting| setting.position),
                _ => None,
            };
            let position = position.unwrap_or(at);
            // In a long collection, the header may be far from the puzzle.
            if position.line != at.line && map.is_none() {
                message += &format!(" (the puzzle on line {})", at.line);
            }
            document.error(position, message)
        })
    }

    /// Takes the name and the expected count, which apply to one puzzle only; the other headers stay in force.
    pub fn next(&mut self) -> (Option<String>, Option<u128>) {
        self.regions.iter_mut().for_each(|setting| setting.fresh = false);
        self.extras.iter_mut().for_each(|setting| setting.fresh = false);
        self.zero.iter_mut().for_each(|setting| setting.fresh = false);
        (self.name.take().map(|setting| setting.value), self.expected.take().map(|setting| setting.value))
    }

    pub fn zero(&self) -> Option<Zero> {
        self.zero.as_ref().map(|setting| setting.value)
    }

    /// Rejects a name or an expected count without a puzzle after it.
    pub fn check_used(&self, document: &Document<'_>) -> Result<(), InputError> {
        let name = self.name.as_ref().map(|setting| setting.position);
        match name.or(self.expected.as_ref().map(|setting| setting.position)) {
            Some(position) => {
                let message = "this header applies to the next puzzle, but no puzzle follows";
                Err(document.error(position, message).in_header())
            }
            None => Ok(()),
        }
    }
}

/// The valid headers about regions.
fn regions(document: &Document<'_>) -> impl Iterator<Item = RequestedRegions> {
    let about_regions = |comment: &&Comment<'_>| matches!(&*comment.key, "boxes" | "regions");
    document.comments.iter().filter(about_regions).filter_map(|comment| parse_regions(comment.value))
}

pub(super) fn requests_map(document: &Document<'_>) -> bool {
    regions(document).any(|regions| regions == RequestedRegions::Map)
}

/// Whether a header requests regions other than a map.
pub(super) fn requests_no_map(document: &Document<'_>) -> bool {
    regions(document).any(|regions| regions != RequestedRegions::Map)
}

/// The orders of the boxes in headers; `None` for a header without boxes.
pub(super) fn box_orders(document: &Document<'_>) -> Vec<Option<usize>> {
    let order = |regions| match regions {
        RequestedRegions::Boxes { rows, cols } => Some(Some(rows * cols)),
        RequestedRegions::None => Some(None),
        RequestedRegions::Usual | RequestedRegions::Map => None,
    };
    regions(document).filter_map(order).collect()
}

/// The meaning of 0 in a file with one puzzle.
pub(super) fn zero(document: &Document<'_>) -> Option<Zero> {
    document.comments.iter().filter(|comment| comment.key == "zero").find_map(|comment| parse_zero(comment.value))
}

/// Whether a name or an expected count is repeated between lines of cells: then these are several puzzles.
pub(super) fn has_several_puzzles(document: &Document<'_>) -> bool {
    let line = |line: Option<&TextLine<'_>>| line.map_or(0, |line| line.number);
    let between = line(document.lines.first())..line(document.lines.last());
    ["name", "expected"].iter().any(|key| {
        let repeated = document.comments.iter().filter(|comment| comment.key == *key).skip(1);
        repeated.map(|comment| comment.position.line).any(|line| between.contains(&line))
    })
}

/// Sets a value; `None` is invalid. `name` and `expected` are for errors.
fn set<T: PartialEq>(
    document: &Document<'_>,
    slot: &mut Option<Setting<T>>,
    comment: &Comment<'_>,
    value: Option<T>,
    name: &str,
    expected: &str,
) -> Result<(), InputError> {
    let position = comment.position;
    let message = match (value, slot.as_ref().filter(|old| old.fresh)) {
        (None, _) => format!("{} is not {expected}", quote(comment.value)),
        (Some(value), Some(old)) if old.value != value => format!("'{name}' contradicts line {}", old.position.line),
        (Some(value), _) => {
            *slot = Some(Setting { value, position, fresh: true });
            return Ok(());
        }
    };
    Err(document.error(position, message).in_header())
}

fn parse_regions(value: &str) -> Option<RequestedRegions> {
    match value.to_lowercase().as_str() {
        "usual" => Some(RequestedRegions::Usual),
        "none" => Some(RequestedRegions::None),
        "jigsaw" => Some(RequestedRegions::Map),
        lower => {
            let (rows, cols) = lower.split_once(['x', '×'])?;
            // `parse` accepts a plus sign. The product of larger sides may overflow.
            let number = |text: &str| {
                let digits = text.trim();
                digits.parse().ok().filter(|&side| side <= MAX_ORDER && !digits.starts_with('+'))
            };
            Some(RequestedRegions::Boxes { rows: number(rows)?, cols: number(cols)? })
        }
    }
}

fn parse_zero(value: &str) -> Option<Zero> {
    let value = value.to_lowercase();
    [Zero::Value, Zero::Empty].into_iter().find(|zero| zero.to_string() == value)
}

fn parse_extras(value: &str) -> Option<Extras> {
    let mut extras = Extras::default();
    for word in value.split(',') {
        match word.trim().to_lowercase().as_str() {
            "diagonals" | "diagonal" => extras.diagonals = true,
            "hyper" => extras.hyper = true,
            "none" if !value.contains(',') => {}
            _ => return None,
        }
    }
    Some(extras)
}

fn parse_count(value: &str) -> Option<u128> {
    let digits: String = value.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let ends = value.starts_with(|c: char| c.is_ascii_digit()) && value.ends_with(|c: char| c.is_ascii_digit());
    digits.parse().ok().filter(|_| ends)
}

/// The headers of a puzzle that is written row by row. Sixteen lines of 16 may be puzzles of 4×4, unless a header sets the boxes.
pub(super) fn write_for_rows(puzzle: &Puzzle) -> Result<String, WriteError> {
    let mut text = write(puzzle, false)?;
    if let Regions::Boxes { rows, cols } = puzzle.shape.regions()
        && rows == cols
        && *rows > 3
    {
        text += &format!("# boxes: {rows}x{cols}\n");
    }
    Ok(text)
}

/// The header that is needed if empty cells are written as 0.
pub(super) fn write_zero(puzzle: &Puzzle) -> &'static str {
    if is_zero_ambiguous(puzzle.givens.values(), puzzle.shape.order()) { "# zero: empty\n" } else { "" }
}

/// The headers that are needed to read the same puzzle back. `body_maps`: whether the format writes a region map itself.
pub(super) fn write(puzzle: &Puzzle, body_maps: bool) -> Result<String, WriteError> {
    let mut text = String::new();
    if let Some(name) = &puzzle.name {
        if name.is_empty() || name.trim() != name || name.contains(char::is_control) {
            return Err(WriteError::Name);
        }
        text += &format!("# name: {name}\n");
    }
    let shape = &puzzle.shape;
    match shape.regions() {
        Regions::Jigsaw(_) if body_maps => {}
        Regions::Jigsaw(_) => return Err(WriteError::Jigsaw),
        regions if *regions == Regions::usual(shape.order()) => {}
        Regions::Boxes { rows, cols } => text += &format!("# boxes: {rows}x{cols}\n"),
        Regions::None => text += "# boxes: none\n",
    }
    text += match shape.extras() {
        Extras { diagonals: true, hyper: true } => "# extra: diagonals, hyper\n",
        Extras { diagonals: true, hyper: false } => "# extra: diagonals\n",
        Extras { diagonals: false, hyper: true } => "# extra: hyper\n",
        Extras { diagonals: false, hyper: false } => "",
    };
    if let Some(expected) = puzzle.expected {
        text += &format!("# expected: {expected}\n");
    }
    Ok(text)
}
