//! Lists solutions by the join: makes all fillings of each band once, and combines them.
//!
//! Nothing is merged here, as every solution is listed. For each triple of chains, one in each stack, whose bands have x, y
//! and z fillings, there are x · y · z solutions, and each differs from the one before in one band only. So a solution
//! costs little more than writing it, if the bands have few enough fillings to keep.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use crate::{CacheStats, Control, Counted, Counter, Method, Pool, PoolOptions, PoolTooLarge, Solutions, SplitSink};
use census_puzzle::Puzzle;

use super::chain::Chains;
use super::clues::{Clue, Filter, Orientation, OrientedClues};
use super::join::{Continuations, continuations, filters};
use super::partition::{ALL, PARTITIONS, Parts, cross, crossing};
use super::pool::{Item, Unit, pool};
use super::table::Rows;
use crate::groups::{Groups, span};

/// The most fillings of a band: 27 bytes each.
const MAX_FILLINGS: usize = 6 << 20;
/// The most triples of partitions of a band.
const MAX_TRIPLES: usize = 16 << 20;
/// Units of a listing, for each unit that a count would have.
const FINER: usize = 64;
/// Solutions between two polls of the control.
const SOLUTIONS_BETWEEN_POLLS: u64 = 1024;

/// A band and a stack with too many fillings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "--method bands lists only puzzles with few enough fillings of each band, or of each stack, to keep them in memory, \
     but band {band} and stack {stack} have too few clues (about five in each are enough); use --method search"
)]
pub struct TooSparse {
    /// From the top, from 1.
    pub band: usize,
    /// From the left, from 1.
    pub stack: usize,
}

/// The cells of a band, row by row of the puzzle.
type BandCells = [u8; 27];

/// The method for listing a plain 9×9.
pub struct Lister {
    transposed: bool,
    bands: [Band; 3],
    /// The continuations of each stack.
    below: [Continuations; 3],
}

impl Lister {
    /// The puzzle as it is, or with its rows and columns swapped, if one of them has few enough fillings.
    pub fn new(puzzle: &Puzzle) -> Result<Lister, TooSparse> {
        let upright = Lister::with(puzzle, Orientation::UPRIGHT);
        upright.or_else(|band| {
            let transposed = Orientation { transposed: true, ..Orientation::UPRIGHT };
            Lister::with(puzzle, transposed).map_err(|stack| TooSparse { band: band + 1, stack: stack + 1 })
        })
    }

    /// `Err`: the first band that has too many fillings.
    fn with(puzzle: &Puzzle, orientation: Orientation) -> Result<Lister, usize> {
        let oriented = OrientedClues::new(puzzle, &orientation);
        let transposed = orientation.transposed;
        let stacks = [0, 1, 2].map(|stack| Chains::accepted(&filters(&oriented, stack, None)));
        let band = |band: usize| {
            let columns = [0, 1, 2].map(|stack| Rows::one_each(stacks[stack].at(band)));
            Band::new(&oriented.boxes[band], columns, transposed).ok_or(band)
        };
        let bands = [band(0)?, band(1)?, band(2)?];
        let below = [0, 1, 2].map(|i| continuations(&stacks[i], &bands[1].columns[i], &bands[2].columns[i]));
        Ok(Lister { transposed, bands, below })
    }
}

impl Method for Lister {
    fn unit_bytes(&self) -> usize {
        Unit::BYTES
    }

    /// A unit is a run of pairs of partitions of the first two boxes of the first band. There are many more units than for
    /// a count, because workers may be only a few units ahead of the output.
    fn expand(&self, plan: &PoolOptions, _: &dyn Fn() -> bool) -> Result<Pool, PoolTooLarge> {
        let continuations = |stack: usize, index: u16| self.below[stack].of(index).len() as u64;
        let item = |first: u16, second: u16| Item { first, weight: continuations(0, first) * continuations(1, second) };
        let [first, second, third] = self.bands[0].columns.each_ref().map(|rows| &rows.members);
        let items: Vec<Item> =
            first.iter().flat_map(|&first| second.iter().map(move |&second| item(first, second))).collect();
        let units = plan.units.saturating_mul(FINER);
        Ok(pool(&items, usize::from(!third.is_empty()), &PoolOptions { units, ..*plan }))
    }

    fn counter(&self) -> Box<dyn Counter + '_> {
        Box::new(Visitor { lister: self, solution: [0; 81] })
    }
}

/// All fillings of a band, by the column partitions of its boxes.
struct Band {
    transposed: bool,
    /// The column partitions of each box, by number.
    columns: [Rows; 3],
    /// The row partitions, as chains.
    rows: Chains,
    /// For each row partition of the second and of the third box, the numbers of the column partitions that cross it.
    crossed: [Vec<Vec<u16>>; 2],
    slices: Vec<OnceLock<Fillings>>,
}

/// The fillings with a given partition of the first box; those with partitions p and q of the others are in group p · count
/// of q + q.
type Fillings = Groups<BandCells>;

impl Band {
    /// `None` if there are too many fillings.
    fn new(clues: &[Vec<Clue>; 3], columns: [Rows; 3], transposed: bool) -> Option<Band> {
        let triples = columns.iter().map(Rows::len).try_fold(1usize, usize::checked_mul)?;
        if triples > MAX_TRIPLES {
            return None;
        }
        let rows = Chains::accepted(&Filter::rows(clues));
        let crossed = [0, 1, 2].map(|stack| {
            let mut crossed = vec![Vec::<u16>::new(); PARTITIONS];
            for index in rows.at(stack) {
                crossed[usize::from(index)] = crossing(index, &columns[stack].members).collect();
            }
            crossed
        });
        let fillings = |chain: &[u16; 3]| (0..3).map(|i| crossed[i][usize::from(chain[i])].len()).product::<usize>();
        if rows.all().iter().map(fillings).sum::<usize>() > MAX_FILLINGS {
            return None;
        }
        let slices = columns[0].members.iter().map(|_| OnceLock::new()).collect();
        let [_, second, third] = crossed;
        Some(Band { transposed, columns, rows, crossed: [second, third], slices })
    }

    fn fillings(&self, first: u16) -> &Fillings {
        self.slices[usize::from(first)].get_or_init(|| self.fill(first))
    }

    fn fill(&self, first: u16) -> Fillings {
        let partition = |stack: usize, number: u16| ALL.parts(self.columns[stack].members[usize::from(number)]);
        let columns = partition(0, first);
        let thirds = self.columns[2].len();
        let rows = || self.rows.all().iter().filter(|chain| cross(columns, ALL.parts(chain[0])));
        let crossed = |i: usize, chain: &[u16; 3]| &self.crossed[i][usize::from(chain[i + 1])];
        let mut starts = vec![0u32; self.columns[1].len() * thirds + 1];
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
            self.write_box(&mut filling, 0, columns, ALL.parts(chain[0]));
            for &second in crossed(0, chain) {
                self.write_box(&mut filling, 1, partition(1, second), ALL.parts(chain[1]));
                for &third in crossed(1, chain) {
                    self.write_box(&mut filling, 2, partition(2, third), ALL.parts(chain[2]));
                    let at = &mut next[usize::from(second) * thirds + usize::from(third)];
                    cells[*at as usize] = filling;
                    *at += 1;
                }
            }
        }
        Groups::new(cells, starts)
    }

    /// Writes the values of a box into its band: the single digit that each column and each row share.
    fn write_box(&self, filling: &mut BandCells, stack: usize, columns: &Parts, rows: &Parts) {
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let at = if self.transposed { (stack * 3 + j) * 3 + i } else { i * 9 + stack * 3 + j };
                filling[at] = (row & column).trailing_zeros() as u8 + 1;
            }
        }
    }

    /// Where the fillings with this second and each third partition begin, and the end.
    fn starts<'a>(&self, fillings: &'a Fillings, second: u16) -> &'a [u32] {
        let thirds = self.columns[2].len();
        fillings.starts(usize::from(second) * thirds, thirds)
    }
}

struct Visitor<'a> {
    lister: &'a Lister,
    solution: [u8; 81],
}

impl Visitor<'_> {
    /// Writes a filling into the solution: three rows of the puzzle, or three of its columns.
    #[inline(always)]
    fn write_band(&mut self, band: usize, filling: &BandCells) {
        if !self.lister.transposed {
            self.solution[band * 27..][..27].copy_from_slice(filling);
            return;
        }
        for (row, three) in self.solution.chunks_exact_mut(9).zip(filling.as_chunks::<3>().0) {
            row[band * 3..][..3].copy_from_slice(three);
        }
    }

    /// Visits the solutions with these partitions of the first two boxes of X.
    fn pair(
        &mut self,
        first: u16,
        second: u16,
        control: &Control,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Lister { below, bands: [x, y, z], .. } = self.lister;
        let x_fillings = x.fillings(x.columns[0].of(first));
        let x_starts = x.starts(x_fillings, x.columns[1].of(second));
        let none = |starts: &[u32]| starts.first() == starts.last();
        if none(x_starts) {
            return ControlFlow::Continue(());
        }
        for &(y1, z1) in below[0].of(first) {
            if control.stopped() {
                return ControlFlow::Break(());
            }
            let (y_fillings, z_fillings) = (y.fillings(y1), z.fillings(z1));
            for &(y2, z2) in below[1].of(second) {
                let (y_starts, z_starts) = (y.starts(y_fillings, y2), z.starts(z_fillings, z2));
                if none(y_starts) || none(z_starts) {
                    continue;
                }
                for (number, &third) in (0u32..).zip(&x.columns[2].members) {
                    let x_span = span(x_starts, number);
                    if x_span.is_empty() {
                        continue;
                    }
                    for &(y3, z3) in below[2].of(third) {
                        let (y_span, z_span) = (span(y_starts, y3), span(z_starts, z3));
                        if y_span.is_empty() || z_span.is_empty() {
                            continue;
                        }
                        for x in &x_fillings.all()[x_span.clone()] {
                            self.write_band(0, x);
                            for y in &y_fillings.all()[y_span.clone()] {
                                self.write_band(1, y);
                                for z in &z_fillings.all()[z_span.clone()] {
                                    self.write_band(2, z);
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
    fn count_unit(&mut self, unit: &[u8], control: &Control, _: Option<&mut SplitSink>) -> Counted {
        self.visit(unit, control, &mut |_| ControlFlow::Continue(()))
    }

    fn visit(&mut self, unit: &[u8], control: &Control, visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Counted {
        let [firsts, seconds, _] = self.lister.bands[0].columns.each_ref().map(|rows| &rows.members);
        let report_interval = control.report_interval().min(SOLUTIONS_BETWEEN_POLLS);
        let (mut solutions, mut reported, mut nodes) = (0, 0, 0);
        let mut finished = true;
        for pair in Unit::from_bytes(unit, firsts.len() * seconds.len(), 1).classes {
            let first = firsts[pair / seconds.len()];
            let second = seconds[pair % seconds.len()];
            nodes += 1;
            let flow = self.pair(first, second, control, &mut |solution| {
                solutions += 1;
                visit(solution)?;
                if solutions - reported < report_interval {
                    return ControlFlow::Continue(());
                }
                let unreported = solutions - reported;
                reported = solutions;
                if control.report(unreported.into(), 0) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            if flow.is_break() || control.stopped() {
                finished = false;
                break;
            }
        }
        control.report((solutions - reported).into(), nodes);
        Counted { solutions: Solutions::new(solutions.into()), nodes, finished, cache: CacheStats::default() }
    }
}
