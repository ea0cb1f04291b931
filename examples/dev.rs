//! dev
use census::puzzle::*;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let givens = Grid::new(args[1].chars().map(|c| grid::value_of(c).expect("cell")).collect());
    let p = Puzzle::new(Arc::new(Shape::usual(9).expect("shape")), givens);
    let which: Vec<usize> = if args.len() > 2 { vec![args[2].parse().expect("n")] } else { (0..18).collect() };
    for w in which { census::count::bands::dev(&p, w); }
}
