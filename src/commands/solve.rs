//! `census solve`: the first solution in the order of the search, drawn.

use std::ops::ControlFlow;

use crate::cli::SolveArgs;
use crate::count::Control;
use crate::count::search::search;
use crate::puzzle::{Grid, draw};

use super::{Exit, Outcome, answer, note, read_one};

pub(super) fn run(args: &SolveArgs) -> Outcome {
    let puzzle = read_one(&args.puzzle)?;
    let method = search(&puzzle, args.search.options());
    let mut first = None;
    method.counter().visit(puzzle.givens.values(), &Control::new(None), &mut |solution| {
        first = Some(Grid::new(solution.to_vec()));
        ControlFlow::Break(())
    });
    let Some(solution) = first else {
        note("no solution\n");
        return Ok(Exit::No);
    };
    answer(&draw::grid(&puzzle.shape, &solution))?;
    Ok(Exit::Done)
}
