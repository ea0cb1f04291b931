//! Header comments: `# name: …`, `# boxes: 3x4`, `# extra: diagonals`, `# expected: 288`, `# zero: value`.
//!
//! They say what the cells alone cannot. `regions:` is another name for `boxes:`, and takes `jigsaw` to say that the
//! file holds a region map, or `usual` to go back to the usual boxes in a collection. `zero:` says whether 0 is a value or an
//! empty cell. Comments with any other key, or none, are for people and are passed over.

use std::sync::Arc;

use super::WriteError;
use super::body::{Comment, Document, Line, quote};
use super::cells::is_zero_unclear;
use super::map::Map;
use crate::error::{InputError, Position};
use crate::shape::{MAX_ORDER, ShapeError};
use crate::{Extras, Puzzle, Regions, Shape, Zero};

/// What headers about regions are called.
const REGIONS: [&str; 2] = ["boxes", "regions"];

/// The regions that a header asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Usual,
    Boxes { rows: usize, cols: usize },
    None,
    Map,
}

/// A value and where it was said.
#[derive(Clone, Debug)]
struct Note<T> {
    value: T,
    place: Position,
    /// Whether it was said for the puzzle that comes next, rather than for one before it.
    fresh: bool,
}

/// What the headers have said so far.
#[derive(Default)]
pub(super) struct Headers {
    name: Option<Note<String>>,
    regions: Option<Note<Asked>>,
    extras: Option<Note<Extras>>,
    expected: Option<Note<u128>>,
    zero: Option<Note<Zero>>,
    /// The line of the last header about regions, about extra houses and about zeros, where it could not be understood.
    unclear: [Option<usize>; 3],
}

/// What a header changed for the puzzles that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    Nothing,
    Regions,
    Extras,
}

impl Headers {
    /// All the headers of a file that holds one puzzle.
    pub fn of(document: &Document<'_>) -> Result<Headers, InputError> {
        let mut headers = Headers::default();
        for comment in &document.comments {
            headers.add(document, comment)?;
        }
        Ok(headers)
    }

    /// Takes in a comment.
    pub fn add(&mut self, document: &Document<'_>, comment: &Comment<'_>) -> Result<Changed, InputError> {
        let Some((key, text)) = comment.text.split_once(':') else { return Ok(Changed::Nothing) };
        let value = text.trim();
        let before = comment.text.len() - text.trim_start().len();
        let column = comment.place.column + comment.text[..before].chars().count();
        let place = Position { column, ..comment.place };
        let malformed =
            |expected: &str| document.error(place, format!("{} is not {expected}", quote(value))).about_header();
        match key.trim().to_lowercase().as_str() {
            "name" if value.is_empty() => Ok(Changed::Nothing),
            "name" => note(document, &mut self.name, value.to_owned(), place, "name").map(|()| Changed::Nothing),
            "boxes" | "regions" => {
                self.unclear[0] = Some(place.line);
                let asked = regions_of(value)
                    .ok_or_else(|| malformed("a box such as 3x4 (rows x columns), none, usual or jigsaw"))?;
                note(document, &mut self.regions, asked, place, "boxes")?;
                self.unclear[0] = None;
                Ok(Changed::Regions)
            }
            "extra" | "extras" => {
                self.unclear[1] = Some(place.line);
                let extras =
                    extras_of(value).ok_or_else(|| malformed("a list of extra houses: diagonals, hyper or none"))?;
                self.extras = Some(match self.extras.take() {
                    // Two lines for one puzzle add up.
                    Some(Note { value: Extras { diagonals, hyper }, fresh: true, .. }) => {
                        let both = Extras { diagonals: diagonals | extras.diagonals, hyper: hyper | extras.hyper };
                        Note { value: both, place, fresh: true }
                    }
                    _ => Note { value: extras, place, fresh: true },
                });
                self.unclear[1] = None;
                Ok(Changed::Extras)
            }
            "expected" => {
                let count = count_of(value).ok_or_else(|| malformed("a number of solutions below 2^128"))?;
                note(document, &mut self.expected, count, place, "expected").map(|()| Changed::Nothing)
            }
            "zero" => {
                self.unclear[2] = Some(place.line);
                let zero = zero_of(value).ok_or_else(|| malformed("a meaning of 0: value or empty"))?;
                note(document, &mut self.zero, zero, place, "zero")?;
                self.unclear[2] = None;
                Ok(Changed::Nothing)
            }
            _ => Ok(Changed::Nothing),
        }
    }

    /// The shape of a puzzle of this order that stands at this place.
    pub fn shape(
        &self,
        document: &Document<'_>,
        order: usize,
        map: Option<&Map>,
        at: Position,
    ) -> Result<Arc<Shape>, InputError> {
        // Whoever goes on after an error must not count another puzzle than the one that was meant.
        if let Some(line) = self.unclear.into_iter().flatten().next() {
            let message = format!("how to read this puzzle is not known: line {line} says it, and was not understood");
            return Err(document.error(at, message));
        }
        let regions = match (map, self.regions.as_ref().map(|note| (note.value, note.place))) {
            (Some(map), None | Some((Asked::Map, _))) => Regions::Jigsaw(map.regions.clone()),
            (Some(_), Some((_, place))) => {
                return Err(document.error(place, "these boxes contradict the region map that the file holds"));
            }
            (None, None | Some((Asked::Usual, _))) => Regions::usual(order),
            (None, Some((Asked::Boxes { rows, cols }, _))) => Regions::Boxes { rows, cols },
            (None, Some((Asked::None, _))) => Regions::None,
            (None, Some((Asked::Map, place))) => {
                return Err(document.error(place, "a region map is promised here, but the file holds none"));
            }
        };
        let extras = self.extras.as_ref().map_or(Extras::default(), |note| note.value);
        Shape::new(order, regions, extras).map(Arc::new).map_err(|error| {
            let (place, message) = match (&error, map) {
                (ShapeError::RegionSize { cell, region, found, .. }, Some(map)) => {
                    (map.places.get(*cell).copied(), map.wrong_size(*region, *found, order))
                }
                (ShapeError::Boxes { .. }, _) => (self.regions.as_ref().map(|note| note.place), error.to_string()),
                (ShapeError::Hyper, _) => (self.extras.as_ref().map(|note| note.place), error.to_string()),
                _ => (None, error.to_string()),
            };
            let place = place.unwrap_or(at);
            // In a long collection the header may be far from the puzzle that it does not suit.
            let whose = if place.line == at.line || map.is_some() {
                String::new()
            } else {
                format!(" (the puzzle on line {})", at.line)
            };
            document.error(place, message + &whose)
        })
    }

    /// What they say of the next puzzle only; after it, they are about the one that follows.
    pub fn next(&mut self) -> (Option<String>, Option<u128>) {
        self.regions.iter_mut().for_each(|note| note.fresh = false);
        self.extras.iter_mut().for_each(|note| note.fresh = false);
        self.zero.iter_mut().for_each(|note| note.fresh = false);
        (self.name.take().map(|note| note.value), self.expected.take().map(|note| note.value))
    }

    /// What 0 stands for, as far as they say it.
    pub fn zero(&self) -> Option<Zero> {
        self.zero.as_ref().map(|note| note.value)
    }

    /// Refuses a name or a count that no puzzle follows.
    pub fn check_used(&self, document: &Document<'_>) -> Result<(), InputError> {
        let name = self.name.as_ref().map(|note| note.place);
        match name.or(self.expected.as_ref().map(|note| note.place)) {
            Some(place) => {
                Err(document.error(place, "this is about the next puzzle, but no puzzle follows").about_header())
            }
            None => Ok(()),
        }
    }
}

/// The headers of these names and what they say.
fn values_of<'a>(
    document: &'a Document<'_>,
    keys: &'a [&str],
) -> impl Iterator<Item = (&'a Comment<'a>, String, &'a str)> {
    document.comments.iter().filter_map(move |comment| {
        let (key, value) = comment.text.split_once(':')?;
        let key = key.trim().to_lowercase();
        keys.contains(&&*key).then(|| (comment, key, value.trim()))
    })
}

/// Whether a header says that the file holds a region map.
pub(super) fn promises_map(document: &Document<'_>) -> bool {
    values_of(document, &REGIONS).any(|(_, _, value)| regions_of(value) == Some(Asked::Map))
}

/// What 0 stands for, as a header of a file with one puzzle says.
pub(super) fn zero(document: &Document<'_>) -> Option<Zero> {
    values_of(document, &["zero"]).find_map(|(_, _, value)| zero_of(value))
}

/// Whether a header asks for regions other than a map.
pub(super) fn asks_for_no_map(document: &Document<'_>) -> bool {
    values_of(document, &REGIONS).any(|(_, _, value)| regions_of(value).is_some_and(|asked| asked != Asked::Map))
}

/// The orders that headers about boxes speak of; none for a header that wants no boxes.
pub(super) fn boxes(document: &Document<'_>) -> Vec<Option<usize>> {
    let order = |value: &str| match regions_of(value)? {
        Asked::Boxes { rows, cols } => Some(Some(rows * cols)),
        Asked::None => Some(None),
        Asked::Usual | Asked::Map => None,
    };
    values_of(document, &REGIONS).filter_map(|(_, _, value)| order(value)).collect()
}

/// Whether a name or a count is said again behind cells, and more cells follow: then these are other puzzles.
pub(super) fn tells_puzzles_apart(document: &Document<'_>) -> bool {
    let line = |line: Option<&Line<'_>>| line.map_or(0, |line| line.number);
    let (first, last) = (line(document.lines.first()), line(document.lines.last()));
    let mut seen = Vec::new();
    values_of(document, &["name", "expected"]).any(|(comment, key, _)| {
        let again = seen.contains(&key) && (first..last).contains(&comment.place.line);
        seen.push(key);
        again
    })
}

fn note<T: PartialEq>(
    document: &Document<'_>,
    slot: &mut Option<Note<T>>,
    value: T,
    place: Position,
    key: &str,
) -> Result<(), InputError> {
    match slot {
        Some(old) if old.fresh && old.value != value => {
            let message = format!("'{key}' is given again and contradicts line {}", old.place.line);
            Err(document.error(place, message).about_header())
        }
        _ => {
            *slot = Some(Note { value, place, fresh: true });
            Ok(())
        }
    }
}

fn regions_of(value: &str) -> Option<Asked> {
    match value.to_lowercase().as_str() {
        "usual" => Some(Asked::Usual),
        "none" => Some(Asked::None),
        "jigsaw" => Some(Asked::Map),
        lower => {
            let (rows, cols) = lower.split_once(['x', '×'])?;
            // `parse` would take a plus sign; a side above every order is a slip, and its square may not fit a word.
            let number = |text: &str| {
                let digits = text.trim();
                digits.parse().ok().filter(|&side| side <= MAX_ORDER && !digits.starts_with('+'))
            };
            Some(Asked::Boxes { rows: number(rows)?, cols: number(cols)? })
        }
    }
}

fn zero_of(value: &str) -> Option<Zero> {
    let value = value.to_lowercase();
    Zero::ALL.into_iter().find(|zero| zero.name() == value)
}

fn extras_of(value: &str) -> Option<Extras> {
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

fn count_of(value: &str) -> Option<u128> {
    let digits: String = value.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let ends = value.starts_with(|c: char| c.is_ascii_digit()) && value.ends_with(|c: char| c.is_ascii_digit());
    digits.parse().ok().filter(|_| ends)
}

/// The headers of a puzzle that is written row by row. Sixteen lines of 16 may be puzzles of 4×4: boxes say what they are.
pub(super) fn write_for_rows(puzzle: &Puzzle) -> Result<String, WriteError> {
    let mut text = write(puzzle, false)?;
    let order = puzzle.shape.order();
    let is_square = order.isqrt().pow(2) == order;
    if let Regions::Boxes { rows, cols } = puzzle.shape.regions()
        && order > 9
        && is_square
        && *puzzle.shape.regions() == Regions::usual(order)
    {
        text += &format!("# boxes: {rows}x{cols}\n");
    }
    Ok(text)
}

/// The header that a puzzle needs whose empty cells are written as 0.
pub(super) fn write_zero(puzzle: &Puzzle) -> &'static str {
    if is_zero_unclear(puzzle.givens.values(), puzzle.shape.order()) { "# zero: empty\n" } else { "" }
}

/// The headers that a puzzle needs so that its cells, read back, are the same puzzle. `body_maps` says whether the
/// format writes the regions of a jigsaw into its body.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_rows_by_columns() {
        let boxes = |rows, cols| Some(Asked::Boxes { rows, cols });
        for (text, asked) in [
            ("3x4", boxes(3, 4)),
            ("3 X 4", boxes(3, 4)),
            ("2×6", boxes(2, 6)),
            ("None", Some(Asked::None)),
            ("jigsaw", Some(Asked::Map)),
            ("3", None),
            ("+3x4", None),
            ("3x4x5", None),
            ("65x1", None),
            ("99999999999999999999999x1", None),
        ] {
            assert_eq!(regions_of(text), asked, "{text}");
        }
    }

    #[test]
    fn counts_may_have_separators_between_their_digits() {
        for (text, count) in [
            ("28200960", Some(28_200_960)),
            ("28,200,960", Some(28_200_960)),
            ("28_200_960", Some(28_200_960)),
            ("340282366920938463463374607431768211455", Some(u128::MAX)),
            ("340282366920938463463374607431768211456", None),
            ("", None),
            ("1,", None),
            ("-1", None),
            ("+1", None),
            ("1 000", None),
        ] {
            assert_eq!(count_of(text), count, "{text}");
        }
    }

    #[test]
    fn extras_are_a_list() {
        let extras = |diagonals, hyper| Some(Extras { diagonals, hyper });
        for (text, expected) in [
            ("diagonals", extras(true, false)),
            ("Hyper", extras(false, true)),
            ("diagonals, hyper", extras(true, true)),
            ("none", extras(false, false)),
            ("diagonals, none", None),
            ("windows", None),
            ("", None),
        ] {
            assert_eq!(extras_of(text), expected, "{text}");
        }
    }
}
