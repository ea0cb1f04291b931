//! `census solve`: draws the first solution in search order.

use std::ops::ControlFlow;

use super::one_puzzle::OnePuzzle;
use super::streams::{print_stderr, print_stdout};
use super::{Exit, Outcome};
use crate::cli::SolveArgs;
use crate::count::search::search;
use crate::count::{Control, MethodName};
use crate::puzzle::{Grid, draw};

pub(super) fn run(args: &SolveArgs) -> Outcome {
    let puzzle = OnePuzzle::read(&args.puzzle, MethodName::Search)?.puzzle;
    let method = search(&puzzle, args.search.options());
    let mut first = None;
    method.counter().visit(puzzle.givens.values(), &Control::new(None), &mut |solution| {
        first = Some(Grid::new(solution.to_vec()));
        ControlFlow::Break(())
    });
    let Some(solution) = first else {
        print_stderr("no solution\n");
        return Ok(Exit::No);
    };
    print_stdout(&draw::grid(&puzzle.shape, &solution))?;
    Ok(Exit::Done)
}
