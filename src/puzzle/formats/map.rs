//! Region maps: any symbols or numbers, as many different ones as regions.

use std::fmt;

use super::body::{Document, TextLine, Token, quantity, quote};
use super::cells::{Layout, check_count};
use crate::{InputError, Position};

/// The symbol of a region in a file. The rank of a label is the region's number, whether the file counts from 0, from 1 or in
/// letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Number(u32),
    Letter(char),
}

pub(super) struct Map {
    /// The region of each cell, from 0, row by row.
    pub regions: Vec<u8>,
    pub positions: Vec<Position>,
    labels: Vec<Label>,
}

impl Map {
    /// Reads a map from lines of `width` cells each.
    pub fn read(
        document: &Document<'_>,
        lines: &[TextLine<'_>],
        width: usize,
        order: usize,
    ) -> Result<Map, InputError> {
        let layout = Layout::of(lines, width);
        let mut cells = Vec::new();
        let mut positions = Vec::new();
        for line in lines {
            check_count(document, line, layout, width)?;
            for token in layout.cells(line) {
                let wrong = || format!("{} is not a region: expected a number or a letter", quote(token.text));
                cells.push(label_of(&token).ok_or_else(|| document.error(token.position, wrong()))?);
                positions.push(token.position);
            }
        }
        let mut labels = cells.clone();
        labels.sort_unstable();
        labels.dedup();
        let ranks: Vec<usize> = cells.iter().map(|label| labels.binary_search(label).unwrap_or(0)).collect();
        if labels.len() > order {
            let size = |rank| ranks.iter().filter(|&&other| other == rank).count();
            // The smallest region is most likely the mistake.
            let rarest = (0..labels.len()).min_by_key(|&rank| size(rank)).unwrap_or(0);
            let first = ranks.iter().position(|&rank| rank == rarest).unwrap_or(0);
            let (found, label) = (labels.len(), labels[rarest]);
            let cells = quantity(size(rarest), "cell");
            let message = format!("the map has {found} regions, expected {order}: region {label} has only {cells}");
            return Err(document.error(positions[first], message));
        }
        // At most 64 labels: a rank fits a byte.
        Ok(Map { regions: ranks.into_iter().map(|rank| rank as u8).collect(), positions, labels })
    }

    /// The error for a region, with its label in the file.
    pub fn wrong_size(&self, region: usize, found: usize, order: usize) -> String {
        let label = self.labels.get(region).map_or("?".into(), ToString::to_string);
        format!("region {label} has {}, but every region must have {order}", quantity(found, "cell"))
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Number(number) => write!(f, "{number}"),
            Label::Letter(letter) => write!(f, "{letter}"),
        }
    }
}

fn label_of(token: &Token<'_>) -> Option<Label> {
    let mut characters = token.text.chars();
    let letter = characters.next().filter(|c| c.is_alphanumeric() && characters.next().is_none());
    token.integer().map(Label::Number).or(letter.map(Label::Letter))
}
