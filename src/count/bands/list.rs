//! Listing by the join: all fillings of each band are made once, and solutions put together from three of them.
//!
//! Nothing is merged here: every solution has to be told. For each triple of chains, one in each stack, whose bands have
//! fillings (x of X, y of Y, z of Z), there are x · y · z solutions, and the next one differs from the last in one band
//! only. So a solution costs little more than writing it down, if the bands have few enough fillings to be kept.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;

use crate::count::{Control, Counted, Counter, Method, Pool, PoolPlan, PoolTooLarge, Solutions};
use crate::puzzle::Puzzle;

use super::chain::Chains;
use super::frame::{Clue, Filter, Frame, Orientation};
use super::join::filters;
use super::partition::{ALL, PARTITIONS, Parts, cross};
use super::pool::{Item, pool};
use super::unit::Unit;

/// The most fillings of a band that are kept: 27 bytes each.
const MOST_FILLINGS: usize = 6 << 20;
/// The most triples of partitions of a band.
const MOST_TRIPLES: usize = 16 << 20;
/// Solutions between two looks at the control.
const SOLUTIONS_BETWEEN_LOOKS: u64 = 1024;

/// A band of its own has too many fillings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "--method bands lists only what has few ways to fill each band on its own, and band {band} has too few clues for that; \
     --method search lists anything"
)]
pub struct TooSparse {
    /// The band, from the top, from 1.
    pub band: usize,
}

/// The cells of a band, row by row.
type Cells = [u8; 27];

/// One puzzle, ready to be listed.
pub(super) struct Lister {
    stacks: [Chains; 3],
    /// The partitions of the first band, in each stack.
    above: [Vec<u16>; 3],
    bands: [Band; 3],
}

impl Lister {
    pub(super) fn new(puzzle: &Puzzle) -> Result<Lister, TooSparse> {
        let frame = Frame::new(puzzle, &Orientation::UPRIGHT);
        let stacks = [0, 1, 2].map(|stack| Chains::new(&filters(&frame, stack, None)));
        let band = |band: usize| {
            let partitions = [0, 1, 2].map(|stack| stacks[stack].at(band));
            Band::new(&frame.boxes[band], partitions).ok_or(TooSparse { band: band + 1 })
        };
        let bands = [band(0)?, band(1)?, band(2)?];
        Ok(Lister { above: [0, 1, 2].map(|stack| stacks[stack].at(0)), stacks, bands })
    }
}

impl Method for Lister {
    fn unit_bytes(&self) -> usize {
        Unit::BYTES
    }

    /// A unit is pairs of partitions of the first two boxes of the first band, numbered from 0.
    fn expand(&self, plan: &PoolPlan, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        let ways = |stack: usize, place: u16| self.stacks[stack].after(place).len() as u64;
        let item = |first: u16, second: u16| Item { first, weight: ways(0, first) * ways(1, second) };
        let [first, second, third] = &self.above;
        let items: Vec<Item> =
            first.iter().flat_map(|&first| second.iter().map(move |&second| item(first, second))).collect();
        Ok(pool(&items, usize::from(!third.is_empty()), plan))
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(Visitor { lister: self, solution: [0; 81] })
    }
}

/// All fillings of a band, by the column partitions of its boxes.
struct Band {
    /// The number of each partition of each box.
    numbers: [Vec<u16>; 3],
    partitions: [Vec<u16>; 3],
    rows: Chains,
    /// For each row partition of the second and of the third box, the numbers of the column partitions that cross it.
    crossed: [Vec<Vec<u16>>; 2],
    slices: Vec<OnceLock<Fillings>>,
}

/// The fillings with a given partition of the first box; those of the others, p and q, are at `starts[p · count of q + q]`.
struct Fillings {
    starts: Vec<u32>,
    cells: Vec<Cells>,
}

impl Band {
    /// A band with these clues and these partitions of its boxes, unless it has too many fillings.
    fn new(clues: &[Vec<Clue>; 3], partitions: [Vec<u16>; 3]) -> Option<Band> {
        let triples = partitions.iter().map(Vec::len).try_fold(1usize, usize::checked_mul)?;
        if triples > MOST_TRIPLES {
            return None;
        }
        let lines = clues.each_ref().map(|clues| clues.iter().map(|clue| (clue.digit, clue.row)).collect::<Vec<_>>());
        let rows = Chains::new(&Filter::line(lines.each_ref().map(Vec::as_slice)));
        let crossed = [0, 1, 2].map(|stack| {
            let mut crossed = vec![Vec::new(); PARTITIONS];
            for place in rows.at(stack) {
                let crosses = |&(_, column): &(u16, &u16)| cross(ALL.parts(*column), ALL.parts(place));
                let columns = (0..).zip(&partitions[stack]).filter(crosses);
                crossed[usize::from(place)] = columns.map(|(number, _)| number).collect::<Vec<u16>>();
            }
            crossed
        });
        let ways = |chain: &[u16; 3]| (0..3).map(|i| crossed[i][usize::from(chain[i])].len()).product::<usize>();
        if rows.all().iter().map(ways).sum::<usize>() > MOST_FILLINGS {
            return None;
        }
        let numbers = partitions.each_ref().map(|partitions| {
            let mut numbers = vec![0; PARTITIONS];
            (0..).zip(partitions).for_each(|(number, &place)| numbers[usize::from(place)] = number);
            numbers
        });
        let slices = partitions[0].iter().map(|_| OnceLock::new()).collect();
        let [_, second, third] = crossed;
        Some(Band { numbers, partitions, rows, crossed: [second, third], slices })
    }

    /// The fillings with this partition of the first box.
    fn fillings(&self, first: u16) -> &Fillings {
        let number = self.numbers[0][usize::from(first)];
        self.slices[usize::from(number)].get_or_init(|| self.fill(first))
    }

    fn fill(&self, first: u16) -> Fillings {
        let columns = ALL.parts(first);
        let thirds = self.partitions[2].len();
        let rows = || self.rows.all().iter().filter(|chain| cross(columns, ALL.parts(chain[0])));
        let crossed = |i: usize, chain: &[u16; 3]| &self.crossed[i][usize::from(chain[i + 1])];
        let mut starts = vec![0u32; self.partitions[1].len() * thirds + 1];
        for chain in rows() {
            for &second in crossed(0, chain) {
                for &third in crossed(1, chain) {
                    starts[usize::from(second) * thirds + usize::from(third) + 1] += 1;
                }
            }
        }
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut next = starts.clone();
        let mut cells = vec![[0; 27]; starts.last().map_or(0, |&end| end as usize)];
        for chain in rows() {
            let mut filling = [0; 27];
            write_box(&mut filling, 0, columns, ALL.parts(chain[0]));
            for &second in crossed(0, chain) {
                let place = self.partitions[1][usize::from(second)];
                write_box(&mut filling, 1, ALL.parts(place), ALL.parts(chain[1]));
                for &third in crossed(1, chain) {
                    let place = self.partitions[2][usize::from(third)];
                    write_box(&mut filling, 2, ALL.parts(place), ALL.parts(chain[2]));
                    let at = &mut next[usize::from(second) * thirds + usize::from(third)];
                    cells[*at as usize] = filling;
                    *at += 1;
                }
            }
        }
        Fillings { starts, cells }
    }

    /// Where the fillings with the second and a third partition lie, for all third ones.
    fn starts<'a>(&self, fillings: &'a Fillings, second: u16) -> &'a [u32] {
        let thirds = self.partitions[2].len();
        &fillings.starts[usize::from(self.numbers[1][usize::from(second)]) * thirds..][..thirds + 1]
    }

    /// Those with this third partition.
    fn range(&self, starts: &[u32], third: u16) -> Range<usize> {
        let number = usize::from(self.numbers[2][usize::from(third)]);
        starts[number] as usize..starts[number + 1] as usize
    }
}

/// Writes the values of a box into its band: where a column meets a row, there is one digit.
fn write_box(filling: &mut Cells, stack: usize, columns: &Parts, rows: &Parts) {
    for (i, row) in rows.iter().enumerate() {
        for (j, column) in columns.iter().enumerate() {
            filling[i * 9 + stack * 3 + j] = (row & column).trailing_zeros() as u8 + 1;
        }
    }
}

/// Visits the solutions of units.
struct Visitor<'a> {
    lister: &'a Lister,
    solution: [u8; 81],
}

impl Visitor<'_> {
    /// Visits the solutions above which these two partitions stand; says whether to go on.
    fn pair(&mut self, first: u16, second: u16, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> ControlFlow<()> {
        let Lister { stacks, above, bands: [x, y, z] } = self.lister;
        let x_fillings = x.fillings(first);
        let x_starts = x.starts(x_fillings, second);
        for &third in &above[2] {
            let x_range = x.range(x_starts, third);
            if x_range.is_empty() {
                continue;
            }
            for one in stacks[0].after(first) {
                let (y_fillings, z_fillings) = (y.fillings(one[1]), z.fillings(one[2]));
                for two in stacks[1].after(second) {
                    let (y_starts, z_starts) = (y.starts(y_fillings, two[1]), z.starts(z_fillings, two[2]));
                    for three in stacks[2].after(third) {
                        let y_range = y.range(y_starts, three[1]);
                        if y_range.is_empty() {
                            continue;
                        }
                        let z_range = z.range(z_starts, three[2]);
                        if z_range.is_empty() {
                            continue;
                        }
                        for x in &x_fillings.cells[x_range.clone()] {
                            self.solution[..27].copy_from_slice(x);
                            for y in &y_fillings.cells[y_range.clone()] {
                                self.solution[27..54].copy_from_slice(y);
                                for z in &z_fillings.cells[z_range.clone()] {
                                    self.solution[54..].copy_from_slice(z);
                                    visit(&self.solution)?;
                                }
                            }
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Counter for Visitor<'_> {
    fn count(&mut self, unit: &[u8], control: &Control) -> Counted {
        self.visit(unit, control, &mut |_| ControlFlow::Continue(()))
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        let [firsts, seconds, _] = &self.lister.above;
        let patience = control.patience().min(SOLUTIONS_BETWEEN_LOOKS);
        let (mut solutions, mut told, mut nodes) = (0, 0, 0);
        let mut finished = true;
        let pairs = Unit::from_bytes(unit).classes;
        if pairs.end as usize > firsts.len() * seconds.len() {
            return Counted { solutions: Solutions::ZERO, nodes: 0, finished: false }; // no unit of this puzzle
        }
        for pair in pairs {
            let first = firsts[pair as usize / seconds.len()];
            let second = seconds[pair as usize % seconds.len()];
            nodes += 1;
            let flow = self.pair(first, second, &mut |solution| {
                solutions += 1;
                visit(solution)?;
                if solutions - told < patience {
                    return ControlFlow::Continue(());
                }
                let news = solutions - told;
                told = solutions;
                if control.tell(news.into(), 0) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            if flow.is_break() || control.stopped() {
                finished = false;
                break;
            }
        }
        control.tell((solutions - told).into(), nodes);
        Counted { solutions: Solutions::new(solutions.into()), nodes, finished }
    }
}
