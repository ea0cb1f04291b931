//! The oracle: naive backtracking from the definition of a house. Slow, short, and independent of the engine: it takes only
//! order, regions and extras from a shape, and builds the houses itself.

use census_puzzle::{Puzzle, Regions, Shape};

/// The houses of a shape as lists of (row, column).
pub fn houses(shape: &Shape) -> Vec<Vec<(usize, usize)>> {
    let n = shape.order();
    let cells_where = |member: &dyn Fn(usize, usize) -> bool| -> Vec<(usize, usize)> {
        let cells = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        cells.filter(|&(row, column)| member(row, column)).collect()
    };
    let mut houses = Vec::new();
    for i in 0..n {
        houses.push(cells_where(&|row, _| row == i));
        houses.push(cells_where(&|_, column| column == i));
    }
    match shape.regions() {
        Regions::None => {}
        Regions::Jigsaw(map) => {
            for region in 0..n {
                houses.push(cells_where(&|row, column| usize::from(map[row * n + column]) == region));
            }
        }
        Regions::Boxes { rows, cols } => {
            for top in (0..n).step_by(*rows) {
                for left in (0..n).step_by(*cols) {
                    houses.push(cells_where(&|row, column| {
                        (top..top + rows).contains(&row) && (left..left + cols).contains(&column)
                    }));
                }
            }
        }
    }
    if shape.extras().diagonals {
        houses.push(cells_where(&|row, column| row == column));
        houses.push(cells_where(&|row, column| row + column == n - 1));
    }
    if shape.extras().hyper {
        let side = n.isqrt();
        // Windows of side × side cells, one line apart from each other and from the edge.
        for top in (1..n - side).step_by(side + 1) {
            for left in (1..n - side).step_by(side + 1) {
                houses.push(cells_where(&|row, column| {
                    (top..top + side).contains(&row) && (left..left + side).contains(&column)
                }));
            }
        }
    }
    houses
}

/// Whether a filling is a solution: every house holds every value once.
pub fn is_solution(shape: &Shape, grid: &[u8]) -> bool {
    let n = shape.order();
    houses(shape).iter().all(|house| {
        let mut values: Vec<u8> = house.iter().map(|&(row, column)| grid[row * n + column]).collect();
        values.sort_unstable();
        values.iter().copied().eq(1..=n as u8)
    })
}

pub struct Brute {
    order: usize,
    /// For each cell, the other cells of its houses.
    peers_of: Vec<Vec<usize>>,
    pub grid: Vec<u8>,
    /// Tries left before it gives up.
    budget: u64,
    /// The order of values, shuffled for a random solution.
    pub values: Vec<u8>,
}

impl Brute {
    pub fn new(puzzle: &Puzzle, budget: u64) -> Brute {
        let n = puzzle.shape.order();
        let mut peers_of = vec![Vec::new(); n * n];
        for house in houses(&puzzle.shape) {
            let cells: Vec<usize> = house.iter().map(|&(row, column)| row * n + column).collect();
            for &cell in &cells {
                peers_of[cell].extend(cells.iter().filter(|&&other| other != cell));
            }
        }
        let grid = puzzle.givens.values().to_vec();
        Brute { order: n, peers_of, grid, budget, values: (1..=n as u8).collect() }
    }

    /// Whether no house of a cell holds this value elsewhere.
    pub fn may_hold(&self, cell: usize, value: u8) -> bool {
        self.taken(cell) >> value & 1 == 0
    }

    /// The values that the houses of a cell hold elsewhere, as bits.
    fn taken(&self, cell: usize) -> u128 {
        let mut taken = 0;
        // A plain loop: unoptimised tests spend most of their time here.
        for &peer in &self.peers_of[cell] {
            taken |= 1 << self.grid[peer];
        }
        taken & !1
    }

    /// Calls `found` with every solution, until it returns `false`. `None` if the budget is exhausted.
    pub fn each(&mut self, found: &mut dyn FnMut(&[u8]) -> bool) -> Option<bool> {
        let filled: Vec<usize> = (0..self.grid.len()).filter(|&cell| self.grid[cell] != 0).collect();
        if filled.iter().any(|&cell| !self.may_hold(cell, self.grid[cell])) {
            return Some(true);
        }
        self.fill(found)
    }

    fn fill(&mut self, found: &mut dyn FnMut(&[u8]) -> bool) -> Option<bool> {
        let empty = (0..self.grid.len()).filter(|&cell| self.grid[cell] == 0);
        let Some(cell) = empty.max_by_key(|&cell| self.taken(cell).count_ones()) else {
            return Some(found(&self.grid));
        };
        let taken = self.taken(cell);
        for i in 0..self.order {
            let value = self.values[i];
            if taken >> value & 1 == 0 {
                self.budget = self.budget.checked_sub(1)?;
                self.grid[cell] = value;
                let go_on = self.fill(found)?;
                self.grid[cell] = 0;
                if !go_on {
                    return Some(false);
                }
            }
        }
        Some(true)
    }
}

/// All solutions, in order of their cells; `None` if the search exceeds `budget`.
pub fn solutions(puzzle: &Puzzle, budget: u64) -> Option<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    Brute::new(puzzle, budget).each(&mut |grid| {
        all.push(grid.to_vec());
        true
    })?;
    all.sort();
    Some(all)
}

/// Without a budget.
pub fn count(puzzle: &Puzzle) -> u128 {
    let mut count = 0;
    Brute::new(puzzle, u64::MAX).each(&mut |_| {
        count += 1;
        true
    });
    count
}
