//! The method `bands`: counts a plain 9×9 without visiting its solutions.

mod chain;
mod counter;
mod frame;
mod join;
mod kernel;
mod partition;
mod symmetry;
mod table;
mod unit;

use crate::count::{Control, Counter};
use crate::puzzle::Puzzle;
use counter::Joiner;
use frame::Orientation;
use join::Join;
use kernel::Kernel;
use unit::Unit;

/// dev
pub fn dev(puzzle: &Puzzle, which: usize) -> u128 {
    let (t, x, s) = (which / 9, which / 3 % 3, which % 3);
    let mut o = Orientation::UPRIGHT;
    o.transposed = t == 1;
    o.bands.rotate_left(x);
    o.stacks.rotate_left(s);
    let start = std::time::Instant::now();
    let join = Join::new(puzzle, &o, Kernel::best());
    let prep = start.elapsed();
    let unit = Unit { classes: 0..join.classes.classes.len() as u32, thirds: 0..join.third.classes as u32 };
    let counted = Joiner::new(&join).count(&unit.to_bytes(), &Control::new(None));
    let total = start.elapsed();
    println!("{t}{x}{s} prep {:.4} total {:.4} classes {} images {} thirds {} nodes {} => {}", prep.as_secs_f64(), total.as_secs_f64(),
     join.classes.classes.len(), join.classes.images.len(), join.third.classes, counted.nodes, counted.solutions);
    counted.solutions.exact().unwrap_or(0)
}
