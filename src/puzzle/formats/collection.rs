//! Many puzzles, one a line (`.sdm`).
//!
//! A header about the shape holds for all the puzzles after it, one with a name or a count for the next puzzle only.

use std::collections::HashMap;
use std::sync::Arc;

use super::body::Document;
use super::header::Headers;
use super::line;
use crate::puzzle::error::InputError;
use crate::puzzle::{Grid, Puzzle, Reading, Shape};

pub(super) fn read(document: &Document<'_>) -> Result<Vec<Reading>, InputError> {
    let mut headers = Headers::default();
    let mut comments = document.comments.iter().peekable();
    let mut shapes: HashMap<usize, Arc<Shape>> = HashMap::new();
    let mut readings = Vec::with_capacity(document.lines.len());
    for line in &document.lines {
        while let Some(comment) = comments.next_if(|comment| comment.place.line < line.number) {
            if headers.add(document, comment)? {
                shapes.clear();
            }
        }
        let (order, cells) = line::cells(document, line)?;
        let shape = match shapes.get(&order) {
            Some(shape) => Arc::clone(shape),
            None => {
                let shape = headers.shape(document, order, None, line.start())?;
                shapes.insert(order, Arc::clone(&shape));
                shape
            }
        };
        let (name, expected) = headers.next();
        let puzzle = Puzzle { name, shape, givens: Grid::new(cells.values), expected };
        readings.push(Reading { puzzle, source: Arc::clone(document.source), places: cells.places });
    }
    for comment in comments {
        headers.add(document, comment)?;
    }
    headers.check_used(document)?;
    Ok(readings)
}
