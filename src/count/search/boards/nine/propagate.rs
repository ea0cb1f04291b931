//! Propagation on the 9×9 board: all values, cells and houses at once. A round has a fixed number of vector operations,
//! however many cells it fills: naked singles, hidden singles within each plane, locked candidates.
//!
//! Singles are removed from their peers, and the next round begins, until nothing changes. Two singles of one round may
//! contradict each other; a check of all settled cells at the end detects that.

use crate::search::endgame;
use crate::search::engine::Propagation;
use crate::search::vectors::{Slot, SlotPair};

use super::{ALL, BOXES, NineBoard, NineState, PAIRS, ROW, ROW_STARTS, SPARES};

/// The open cells, none after a solution, and those with two candidates.
pub(crate) struct Open {
    pub all: Slot,
    pub two: Slot,
}

/// Cells with at least one, two and three candidates.
struct CandidateCounts<V> {
    once: V,
    twice: V,
    thrice: V,
}

/// Propagates the state in `from` after a guess (cell, value), or as it is. With cheap propagation, without locked
/// candidates, and without hidden singles where the endgame begins. Writes the result to `into`, unless it is a
/// contradiction (`None`).
#[inline(always)]
pub(crate) fn propagate<V: SlotPair>(
    proof: V::Proof,
    board: &NineBoard,
    propagation: Propagation,
    from: &NineState,
    guess: Option<(usize, usize)>,
    into: &mut NineState,
) -> Option<Open> {
    let full = propagation == Propagation::Full;
    let all = V::load(proof, &[[ALL, ALL, ALL, 0]; 2]);
    let mut planes: [V; PAIRS] = std::array::from_fn(|i| V::load(proof, &from.planes[i]));
    let mut settled = V::load(proof, &from.settled);
    if let Some((cell, value)) = guess {
        let (cell, peers) = (V::load(proof, &board.cells[cell]), V::load(proof, &board.peers[cell]));
        for (plane, value) in planes.iter_mut().zip(&board.values[value]) {
            // Remove all other values from the cell, and this value from its peers.
            let value = V::load(proof, value);
            *plane = *plane & !(cell & !value | peers & value);
        }
        settled = settled | cell;
    }
    loop {
        let seen = count_candidates(&planes);
        if !(all & !seen.once).is_zero() {
            return None;
        }
        let mut found = seen.once & !seen.twice & !settled;
        let singles: [V; PAIRS];
        if !found.is_zero() {
            singles = planes.map(|plane| plane & found);
        } else {
            let open = seen.twice.first();
            let count = open[0].count_ones() + open[1].count_ones() + open[2].count_ones();
            let mut hidden = None;
            if count > if full { 0 } else { endgame::MAX_CELLS as u32 } {
                match hidden_singles(proof, &planes, settled)? {
                    (cells, singles) if !cells.is_zero() => hidden = Some((cells, singles)),
                    _ if full && remove_locked(proof, &mut planes) => continue,
                    _ => {}
                }
            }
            let Some((cells, hidden)) = hidden else {
                if clashes(proof, &planes, settled) {
                    return None;
                }
                for (plane, slots) in planes.into_iter().zip(&mut into.planes) {
                    plane.store(slots);
                }
                settled.store(&mut into.settled);
                return Some(Open { all: open, two: (seen.twice & !seen.thrice).first() });
            };
            for (plane, single) in planes.iter_mut().zip(hidden) {
                *plane = *plane & !cells | single;
            }
            (found, singles) = (cells, hidden);
        }
        settled = settled | found;
        for (plane, single) in planes.iter_mut().zip(singles) {
            *plane = *plane & !houses_of(proof, single) | single;
        }
    }
}

#[inline(always)]
fn count_candidates<V: SlotPair>(planes: &[V; PAIRS]) -> CandidateCounts<V> {
    let (mut once, mut twice) = (planes[0] | planes[1], planes[0] & planes[1]);
    let mut thrice = twice & !twice;
    for &plane in &planes[2..] {
        thrice = thrice | twice & plane;
        twice = twice | once & plane;
        once = once | plane;
    }
    // So far, even and odd slots are separate.
    let (o, t) = (once.swapped(), twice.swapped());
    CandidateCounts {
        thrice: thrice | thrice.swapped() | (twice & o | once & t),
        twice: twice | t | once & o,
        once: once | o,
    }
}

/// All cells of the rows, columns and boxes of these cells, for each plane.
#[inline(always)]
fn houses_of<V: SlotPair>(proof: V::Proof, cells: V) -> V {
    // Adding all ones to a row carries into its spare bit, unless the row is empty.
    let behind = (cells + V::all(proof, ALL)) & V::all(proof, SPARES);
    let rows = behind - behind.shr::<9>();
    let columns = (cells | cells.shr::<10>() | cells.shr::<20>()) & V::all(proof, ROW);
    let boxes = ((columns | columns.shr::<1>() | columns.shr::<2>()) & V::all(proof, BOXES)).sevenfold();
    let next = columns.next_band();
    rows | down_rows(boxes | columns | next | next.next_band())
}

/// Copies the first row to all three.
#[inline(always)]
fn down_rows<V: SlotPair>(row: V) -> V {
    row | row.shl::<10>() | row.shl::<20>()
}

/// The hidden singles: their cells, and the cells of each value. `None` on a contradiction: a value has no place in a
/// house, or two values have the same single place.
#[inline(always)]
fn hidden_singles<V: SlotPair>(proof: V::Proof, planes: &[V; PAIRS], settled: V) -> Option<(V, [V; PAIRS])> {
    let all = |lane| V::all(proof, lane);
    let (starts, row, spares, zero) = (all(ROW_STARTS), all(ROW), all(SPARES), all(0));
    let (mut missing, mut cells, mut shared) = (zero, zero, zero);
    let mut singles = *planes;
    for (i, single) in singles.iter_mut().enumerate() {
        let plane = *single;
        // A row had at most one place if it is empty without its lowest bit.
        let filled = (plane + all(ALL)) & spares;
        let others = plane & ((plane | spares) - starts);
        let single_spares = spares & !(others + all(ALL));
        let rows = single_spares - single_spares.shr::<9>();
        // Columns of a band: which have at least one place, and which at least two.
        let (a, b, c) = (plane & row, plane.shr::<10>() & row, plane.shr::<20>());
        let (one, more) = (a | b | c, a.majority(b, c));
        let (one_1, one_2) = (one.shr::<1>(), one.shr::<2>());
        let boxes = (one | one_1 | one_2) & all(BOXES);
        let boxes_more = more | more.shr::<1>() | more.shr::<2>() | one.majority(one_1, one_2);
        let (next, next_more) = (one.next_band(), more.next_band());
        let (last, last_more) = (next.next_band(), next_more.next_band());
        let columns = one | next | last;
        let columns_more = more | next_more | last_more | one.majority(next, last);
        let down = (boxes & !boxes_more).sevenfold() | columns & !columns_more;
        *single = plane & (rows | down_rows(down)) & !settled;

        missing = missing | V::load(proof, &NEEDED[i]) & !(filled | boxes.shl::<10>() | columns);
        shared = shared | cells & *single;
        cells = cells | *single;
    }
    let others = cells.swapped();
    shared = shared | shared.swapped() | cells & others;
    (missing | shared).is_zero().then_some((cells | others, singles))
}

/// The houses in which each value needs a place: three rows (spare bits), nine columns (first row), and three boxes (second
/// row). The tenth slot is empty.
const NEEDED: [[Slot; 2]; PAIRS] = {
    const LANE: u32 = SPARES | ROW | BOXES << 10;
    let mut needed = [[[LANE, LANE, LANE, 0]; 2]; PAIRS];
    needed[4][1] = [0; 4];
    needed
};

/// Removes what locked candidates exclude. Returns whether anything changed.
#[inline(always)]
fn remove_locked<V: SlotPair>(proof: V::Proof, planes: &mut [V; PAIRS]) -> bool {
    let lane = |lane| V::all(proof, lane);
    let starts = lane(BOXES * ROW_STARTS);
    // A mini-row (the three cells common to a box and a row) is one bit here, its first. `beside`: the other mini-rows of
    // its row; …
    let (first, middle, last) = (lane(ROW_STARTS), lane(ROW_STARTS << 3), lane(ROW_STARTS << 6));
    let beside = |m: V| {
        let next = m.shr::<3>() & (first | middle) | m.shl::<3>() & (middle | last);
        next | m.shr::<6>() & first | m.shl::<6>() & last
    };
    // … `below`: the other mini-rows of its box.
    let below = |m: V| (m.shr::<10>() | m.shl::<10>() | m.shr::<20>() | m.shl::<20>()) & starts;
    // The same for mini-columns (the three cells common to a box and a column), one bit of a row each: the others of the
    // box, and of the column.
    let (column_1, column_2, column_3) = (lane(BOXES), lane(BOXES << 1), lane(BOXES << 2));
    let in_box = |m: V| {
        let next = m.shr::<1>() & (column_1 | column_2) | m.shl::<1>() & (column_2 | column_3);
        next | m.shr::<2>() & column_1 | m.shl::<2>() & column_3
    };
    let in_column = |m: V| m.next_band() | m.next_band().next_band();

    let mut taken = lane(0);
    for plane in planes {
        let crossings = (*plane | plane.shr::<1>() | plane.shr::<2>()) & starts;
        let only_in_box = crossings & !below(crossings);
        let only_in_row = crossings & !beside(crossings);
        let rows = (beside(only_in_box) | below(only_in_row)).sevenfold();
        let crossings = (*plane | plane.shr::<10>() | plane.shr::<20>()) & lane(ROW);
        let only_in_box = crossings & !in_box(crossings);
        let only_in_column = crossings & !in_column(crossings);
        let columns = down_rows(in_column(only_in_box) | in_box(only_in_column));
        let out = *plane & (rows | columns);
        taken = taken | out;
        *plane = *plane & !out;
    }
    !taken.is_zero()
}

/// Whether two settled cells of a house have the same value.
#[inline(always)]
fn clashes<V: SlotPair>(proof: V::Proof, planes: &[V; PAIRS], settled: V) -> bool {
    let all = |lane| V::all(proof, lane);
    let (column_1, column_2) = (all(BOXES), all(BOXES << 1));
    let mut clash = all(0);
    for &plane in planes {
        let cells = plane & settled;
        let rows = cells & ((cells | all(SPARES)) - all(ROW_STARTS));
        let (b, c) = (cells.shr::<10>(), cells.shr::<20>());
        let columns = (cells | b | c) & all(ROW);
        let stacked = cells.majority(b, c) & all(ROW);
        let boxes = columns & columns.shr::<1>() & (column_1 | column_2) | columns & columns.shr::<2>() & column_1;
        clash = clash | rows | stacked | boxes | columns & columns.next_band();
    }
    !clash.is_zero()
}
