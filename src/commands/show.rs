//! `census show`: the puzzle, its houses, and what singles make of it.

use std::fmt::Write;

use crate::cli::ShowArgs;
use crate::count::search::{Verdict, singles};
use crate::puzzle::{draw, formats};

use super::{CommandError, Exit, Outcome, answer, read_one};

pub(super) fn run(args: &ShowArgs) -> Outcome {
    let puzzle = read_one(&args.puzzle)?;
    let shape = &puzzle.shape;
    if let Some(format) = args.format {
        let text = formats::write(&puzzle, format).map_err(|error| CommandError::Usage(error.to_string()))?;
        answer(&text)?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    if let Some(name) = &puzzle.name {
        let _ = writeln!(text, "{name}");
    }
    let _ = writeln!(text, "{}", draw::houses(shape));
    text.push_str(&draw::grid(shape, &puzzle.givens));

    let singles = singles(&puzzle);
    let (cells, givens) = (shape.cells(), puzzle.givens.filled());
    let single = singles.candidates.iter().filter(|candidates| candidates.count_ones() == 1).count();
    let filled = single.saturating_sub(givens);
    let _ = writeln!(text, "\nSingles fill {filled} of the {} empty cells:", cells - givens);
    text.push_str(&draw::candidates(shape, &singles.candidates));
    text.push_str(match singles.verdict {
        Verdict::Solved => "Singles alone solve it: this is its only solution.\n",
        Verdict::Contradiction => "Singles lead to a contradiction: it has no solution.\n",
        Verdict::Open => "Singles alone do not solve it.\n",
    });
    answer(&text)?;
    Ok(Exit::Done)
}
