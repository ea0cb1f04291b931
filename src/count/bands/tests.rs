//! Tests that need internals: every orientation, every kernel, and the complete table of a band.

use std::sync::Arc;

use crate::{Control, Counter};
use census_puzzle::grid::value_of;
use census_puzzle::{Grid, Puzzle, Shape};

use super::choice;
use super::clues::Orientation;
use super::counter::JoinCounter;
use super::join::Join;
use super::kernel::{Kernel, MAX_ENTRY};
use super::partition::ALL;
use super::table::{Rows, Table};
use super::unit::Unit;

fn puzzle(line: &str) -> Puzzle {
    let givens = Grid::new(format!("{line:.<81}").chars().map(|c| value_of(c).expect("a cell")).collect());
    Puzzle::new(Arc::new(Shape::usual(9).expect("9x9 is a shape")), givens)
}

fn count(puzzle: &Puzzle, orientation: &Orientation, kernel: Kernel) -> u128 {
    let join = Join::new(puzzle, orientation, kernel);
    let unit = Unit { classes: 0..join.classes.classes.len() as u32, thirds: 0..join.third.count as u32 };
    let counted = JoinCounter::new(&join).count(&unit.to_bytes(), &Control::new(None));
    counted.solutions.exact().expect("no overflow")
}

const PUZZLES: [(&str, u128); 5] = [
    ("..9.......6...8...4.....2..........9..3...7..1....6.....6.....8....1..3.2........", 48_794_239),
    (".......39.....1.......5.8....8.9...6.7...2...1..4.......9.8.....2....6.....7.....", 534_494),
    (".......12........3..23..4..........5.6..7.........9.....85.........4.5..47...6...", 5_361_084),
    ("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..", 1),
    ("1234567894567891237891234562", 7_802_998_272 / 6),
];

#[test]
fn all_eighteen_orientations_give_the_same_number() {
    assert_eq!(choice::all().count(), 18);
    for (line, expected) in PUZZLES {
        for orientation in choice::all() {
            // Skip the orientations of the last puzzle that take long.
            if orientation.transposed && expected > 100_000_000 {
                continue;
            }
            assert_eq!(count(&puzzle(line), &orientation, Kernel::best()), expected, "{line} {orientation:?}");
        }
    }
}

#[test]
fn every_kernel_gives_the_same_number() {
    for (line, expected) in PUZZLES {
        for kernel in Kernel::all() {
            let puzzle = puzzle(line);
            assert_eq!(
                count(&puzzle, &choice::orientation(choice::best(&puzzle).0), kernel),
                expected,
                "{line} {kernel:?}"
            );
        }
    }
}

/// A band has 9! · 56 · 6⁶ fillings, and no table entry is larger than the kernel allows: clues only reduce entries.
#[test]
fn the_table_of_a_band_without_clues_is_complete_and_its_largest_entry_is_1728() {
    let all: Vec<u16> = ALL.iter().map(|(index, _)| index).collect();
    let rows = || Rows::new(&all, &[]);
    assert_eq!(rows().len(), 280);
    let table = Table::new(&Default::default(), [rows(), rows(), rows()], Kernel::best());
    let (mut sum, mut largest) = (0, 0);
    for first in 0..280 {
        for second in 0..280 {
            let line = table.line(first, second);
            assert!(line[280..].iter().all(|&padding| padding == 0));
            sum += line.iter().map(|&fillings| u64::from(fillings)).sum::<u64>();
            largest = largest.max(line.iter().copied().max().unwrap_or(0));
        }
    }
    // A row stands for six partitions in each of the three boxes.
    assert_eq!(sum * 216, 362_880 * 56 * 46_656);
    assert_eq!(largest, MAX_ENTRY);
}
