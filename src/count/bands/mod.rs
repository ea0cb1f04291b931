//! The method `bands`: counts a plain 9×9 without visiting its solutions.

mod chain;
mod choice;
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

/// dev
pub fn dev_best(puzzle: &Puzzle) -> (f64, f64, u128, String) {
    let start = std::time::Instant::now();
    let o = choice::best(puzzle);
    let chosen = start.elapsed().as_secs_f64();
    let join = Join::new(puzzle, &o, Kernel::best());
    let unit = Unit { classes: 0..join.classes.classes.len() as u32, thirds: 0..join.third.classes as u32 };
    let counted = Joiner::new(&join).count(&unit.to_bytes(), &Control::new(None));
    let total = start.elapsed().as_secs_f64();
    let mut known = choice::Known::default();
    let est = choice::cost(&frame::Frame::new(puzzle, &o), &mut known) * 1e-9;
    let detail = format!("choose {chosen:.4} est {est:.3} {o:?} classes {} images {} nodes {}", join.classes.classes.len(), join.classes.images.len(), counted.nodes);
    (total, est, counted.solutions.exact().unwrap_or(0), detail)
}
/// dev
pub fn dev_all(puzzle: &Puzzle) {
    for o in choice::all() {
        let mut known = choice::Known::default();
        let est = choice::cost(&frame::Frame::new(puzzle, &o), &mut known) * 1e-9;
        let start = std::time::Instant::now();
        let join = Join::new(puzzle, &o, Kernel::best());
        let unit = Unit { classes: 0..join.classes.classes.len() as u32, thirds: 0..join.third.classes as u32 };
        let counted = Joiner::new(&join).count(&unit.to_bytes(), &Control::new(None));
        let total = start.elapsed().as_secs_f64();
        println!("{} {:?} {:?} est {est:.3} took {total:.3} ratio {:.2} classes {} images {} nodes {} {}", o.transposed, o.bands, o.stacks, total/est, join.classes.classes.len(), join.classes.images.len(), counted.nodes, counted.solutions);
    }
}
