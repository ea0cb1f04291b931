//! dev
use census::puzzle::*;
use std::sync::Arc;
fn puzzle(s: &str) -> Puzzle {
    let givens = Grid::new(s.chars().map(|c| grid::value_of(c).expect("cell")).collect());
    Puzzle::new(Arc::new(Shape::usual(9).expect("shape")), givens)
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args[1] == "random" {
        // random LO HI N SEED
        let n = |i: usize| args[i].parse::<u64>().expect("n");
        let mut rng = fastrand::Rng::with_seed(n(5));
        for clues in n(2)..=n(3) {
            let mut times = Vec::new();
            let mut worst = (0.0, String::new());
            for _ in 0..n(4) {
                let base: Vec<u8> = (0..81).map(|i| { let (r, c) = (i / 9, i % 9); ((r * 3 + r / 3 + c) % 9 + 1) as u8 }).collect();
                let mut d: Vec<u8> = (1..=9).collect(); rng.shuffle(&mut d);
                let mut line = |_| { let mut b = vec![0usize, 1, 2]; rng.shuffle(&mut b); b.iter().flat_map(|b| { let mut l = vec![0usize, 1, 2]; rng.shuffle(&mut l); l.into_iter().map(|l| b * 3 + l).collect::<Vec<_>>() }).collect::<Vec<_>>() };
                let (rows, cols) = (line(0), line(1));
                let mut cells: Vec<usize> = (0..81).collect(); rng.shuffle(&mut cells);
                let mut g = vec!['.'; 81];
                for &c in &cells[..clues as usize] { g[c] = (b'0' + d[base[rows[c / 9] * 9 + cols[c % 9]] as usize - 1]) as char; }
                let s: String = g.into_iter().collect();
                let (t, _, _, detail) = census::count::bands::dev_best(&puzzle(&s));
                times.push(t);
                if t > worst.0 { worst = (t, format!("{s} {detail}")); }
            }
            times.sort_by(f64::total_cmp);
            println!("{clues}: median {:.4} worst {:.4} {}", times[times.len() / 2], worst.0, worst.1);
        }
        return;
    }
    let p = puzzle(&args[1]);
    if args.len() > 2 { census::count::bands::dev_all(&p); }
    println!("{:?}", census::count::bands::dev_best(&p));
}
