//! `census show`: draws the puzzle, its houses and the candidates that singles leave.

use std::fmt::Write;

use super::one_puzzle::OnePuzzle;
use super::streams::print_stdout;
use super::{CommandError, Exit, Outcome};
use crate::cli::ShowArgs;
use crate::count::MethodName;
use crate::count::search::{Verdict, singles};
use crate::puzzle::{draw, formats};

pub(super) fn run(args: &ShowArgs) -> Outcome {
    let puzzle = OnePuzzle::read(&args.puzzle, MethodName::Search)?.puzzle;
    let shape = &puzzle.shape;
    if let Some(format) = args.format {
        let text = formats::write(&puzzle, format).map_err(|error| CommandError::Usage(error.to_string()))?;
        print_stdout(&text)?;
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
    print_stdout(&text)?;
    Ok(Exit::Done)
}
