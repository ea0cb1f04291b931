//! Collections against the crate `sudoku`: whether the solution of each puzzle is unique.

use std::error::Error;

use census::count::{Control, Counter};
use census::puzzle::grid::{push_line, value_of};
use census::puzzle::{Grid, Puzzle, Shape};

use crate::Outcome;
use crate::cases;
use crate::options::Options;
use crate::ours;
use crate::page::Page;
use crate::peers::{self, sudoku};
use crate::rounds::{Side, SpeedUp, about_rounds, alternate, timed};
use crate::table::{grouped, number};

/// Two solutions prove that a solution is not unique.
const LIMIT: usize = 2;

/// The default collection
const DEFAULT: &str = "famous.sdm";

/// The minimum of puzzles in a round: smaller collections are counted several times.
const MIN_PUZZLES: usize = 1000;

/// A file of plain 9×9 puzzles
pub struct Collection {
    name: String,
    /// 81 characters each, with dots for empty cells
    lines: Vec<String>,
}

pub fn read(options: &Options) -> Result<Vec<Collection>, Box<dyn Error>> {
    let mut files: Vec<String> = options.files().map(Into::into).collect();
    if files.is_empty() {
        files.push(cases::path_of(DEFAULT));
    }
    files.iter().map(|file| Ok(Collection { name: cases::stem(file), lines: lines(file)? })).collect()
}

/// Prints the table.
pub fn run(options: &Options, collections: &[Collection]) -> Outcome {
    let rounds = options.number(7);
    let mut page = Page::new("collections", options);
    let peer = peers::versioned("sudoku");
    page.say(format!(
        "Whether the solution is unique: plain 9×9 puzzles with a limit of {LIMIT} solutions, in puzzles a second on one core, from \
         the 81 characters of each to its count. Speed-up is census over {peer}: **above 1, census is faster**. {}\n",
        about_rounds(rounds)
    ));
    page.head(1, &["collection", "puzzles", "census", &peer, "speed-up", "lowest", "highest"]);
    for Collection { name, lines } in collections {
        let empty = Puzzle::new(Shape::usual(9)?.into(), Grid::empty(81));
        let method = ours::method_for_each(&empty.shape);
        let mut counter = method.counter();
        let expected = checked_sum(&mut *counter, lines)?;

        let passes = MIN_PUZZLES.div_ceil(lines.len());
        let counted = (passes * lines.len()) as f64;
        let all = |count: &mut dyn FnMut(&str) -> u128| -> u128 {
            (0..passes).flat_map(|_| lines).map(|line| count(line)).sum()
        };
        let sides = vec![
            Side::new("census", || timed(|| all(&mut |line| count_line(&mut *counter, line)))),
            Side::new("sudoku", || timed(|| all(&mut |line| sudoku::count_line(line, LIMIT)))),
        ];
        let series = alternate(rounds, expected * passes as u128, sides);
        let (ours, theirs) = (&series[0], &series[1]);
        let up = SpeedUp::of(ours, theirs);
        page.row(&[
            name.clone(),
            grouped(lines.len() as u128),
            grouped((counted / ours.median()) as u128),
            grouped((counted / theirs.median()) as u128),
            number(up.median),
            number(up.lowest),
            number(up.highest),
        ]);
        page.record(name, &series)?;
    }
    Ok(page.save()?)
}

fn lines(file: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let puzzles = cases::read(file)?;
    if !puzzles.iter().all(cases::is_plain) {
        return Err(format!("{file}: not all puzzles are plain 9×9, which the peer needs").into());
    }
    let line = |puzzle: &Puzzle| {
        let mut line = Vec::with_capacity(81);
        push_line(&mut line, 9, puzzle.givens.values().iter().copied());
        String::from_utf8(line)
    };
    Ok(puzzles.iter().map(line).collect::<Result<_, _>>()?)
}

/// The sum of the counts. Checks that both sides agree on each.
fn checked_sum(counter: &mut dyn Counter, lines: &[String]) -> Result<u128, Box<dyn Error>> {
    let mut sum = 0;
    for line in lines {
        let (ours, theirs) = (count_line(counter, line), sudoku::count_line(line, LIMIT));
        if ours != theirs {
            return Err(format!("census counts {ours} solutions and its peer {theirs}: {line}").into());
        }
        sum += ours;
    }
    Ok(sum)
}

/// Counts a line as census does in a collection, with one counter for all lines.
fn count_line(counter: &mut dyn Counter, line: &str) -> u128 {
    let mut givens = [0; 81];
    for (cell, symbol) in givens.iter_mut().zip(line.chars()) {
        *cell = value_of(symbol).expect("a cell");
    }
    let counted = counter.count(&givens, &Control::new(Some(LIMIT as u64)));
    counted.solutions.exact().expect("few enough").min(LIMIT as u128)
}
