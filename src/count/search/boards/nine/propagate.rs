//! Propagation on the 9×9 board: all values, cells and houses at once.
//!
//! A round has up to three steps, each with a fixed number of vector operations, however many cells it fills:
//!
//! ```text
//!   naked singles     cells with one candidate: set in at least one of the nine planes, and not in two
//!   hidden singles    values with one place in a row, column or box: within each plane
//!   locked            locked candidates: a value confined to the intersection of a box and a line goes from the rest of both
//! ```
//!
//! Singles are removed from their peers, and the next round begins, until nothing changes. Two singles of one round may
//! contradict each other; a check of all settled cells at the end detects that.

use super::lanes::{Slot, SlotPair};
use super::{ALL, BOXES, NineState, PAIRS, ROW, ROW_STARTS, SPARES};

/// How much to propagate.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Hidden singles are searched while at least so many cells are open.
    pub hidden_from: u32,
    pub locked: bool,
}

pub(crate) enum Outcome {
    Contradiction,
    Solved,
    Open { open: Slot, two: Slot },
}

pub(crate) struct Guess<'a> {
    pub value: &'a [[Slot; 2]; PAIRS],
    pub cell: &'a Slot,
    pub peers: &'a Slot,
}

/// Constants of every step, in every lane.
#[derive(Clone, Copy)]
struct Masks<V> {
    rows: V,
    row: V,
    /// The spare bit behind each row.
    spares: V,
    boxes: V,
}

/// Cells with at least one, two and three candidates.
struct CandidateCounts<V> {
    once: V,
    twice: V,
    thrice: V,
}

/// Propagates the state in `from` after a guess, or as it is. Writes the result to `into`, unless it is a contradiction.
#[inline(always)]
pub(crate) fn propagate<V: SlotPair>(
    proof: V::Proof,
    effort: Effort,
    from: &NineState,
    guess: Option<Guess>,
    into: &mut NineState,
) -> Outcome {
    let masks = Masks {
        rows: V::all(proof, ALL),
        row: V::all(proof, ROW),
        spares: V::all(proof, SPARES),
        boxes: V::all(proof, BOXES),
    };
    let all = V::twice(proof, &[ALL, ALL, ALL, 0]);
    let mut planes: [V; PAIRS] = std::array::from_fn(|i| V::load(proof, &from.planes[i]));
    let mut settled = V::twice(proof, &from.settled);
    if let Some(Guess { value, cell, peers }) = guess {
        let (cell, peers) = (V::twice(proof, cell), V::twice(proof, peers));
        for (plane, value) in planes.iter_mut().zip(value) {
            // Remove all other values from the cell, and this value from its peers.
            let value = V::load(proof, value);
            *plane = plane.and_not(cell.and_not(value).or(peers.and(value)));
        }
        settled = settled.or(cell);
    }
    loop {
        let seen = count_candidates(&planes);
        if !all.and_not(seen.once).is_zero() {
            return Outcome::Contradiction;
        }
        let mut found = seen.once.and_not(seen.twice).and_not(settled);
        let singles: [V; PAIRS];
        if !found.is_zero() {
            singles = planes.map(|plane| plane.and(found));
        } else {
            let open = seen.twice.first();
            let count = open[0].count_ones() + open[1].count_ones() + open[2].count_ones();
            let mut hidden = None;
            if count > 0 && count >= effort.hidden_from {
                match hidden_singles(proof, masks, &planes, settled) {
                    None => return Outcome::Contradiction,
                    Some((cells, singles)) if !cells.is_zero() => hidden = Some((cells, singles)),
                    Some(_) if effort.locked && remove_locked(proof, masks, &mut planes) => continue,
                    Some(_) => {}
                }
            }
            let Some((cells, hidden)) = hidden else {
                if clashes(proof, masks, &planes, settled) {
                    return Outcome::Contradiction;
                }
                for (plane, slots) in planes.into_iter().zip(&mut into.planes) {
                    plane.store(slots);
                }
                into.settled = settled.first();
                return match count {
                    0 => Outcome::Solved,
                    _ => Outcome::Open { open, two: seen.twice.and_not(seen.thrice).first() },
                };
            };
            for (plane, single) in planes.iter_mut().zip(hidden) {
                *plane = plane.and_not(cells).or(single);
            }
            (found, singles) = (cells, hidden);
        }
        settled = settled.or(found);
        for (plane, single) in planes.iter_mut().zip(singles) {
            *plane = plane.and_not(houses_of(masks, single)).or(single);
        }
    }
}

#[inline(always)]
fn count_candidates<V: SlotPair>(planes: &[V; PAIRS]) -> CandidateCounts<V> {
    let (mut once, mut twice) = (planes[0].or(planes[1]), planes[0].and(planes[1]));
    let mut thrice = twice.and_not(twice);
    for &plane in &planes[2..] {
        thrice = thrice.or(twice.and(plane));
        twice = twice.or(once.and(plane));
        once = once.or(plane);
    }
    // So far, even and odd slots are separate.
    let (o, t) = (once.swapped(), twice.swapped());
    CandidateCounts {
        thrice: thrice.or3(thrice.swapped(), twice.and(o).or(once.and(t))),
        twice: twice.or3(t, once.and(o)),
        once: once.or(o),
    }
}

/// All cells of the rows, columns and boxes of these cells, for each plane.
#[inline(always)]
fn houses_of<V: SlotPair>(masks: Masks<V>, cells: V) -> V {
    // Adding all ones to a row carries into its spare bit, unless the row is empty.
    let behind = cells.add(masks.rows).and(masks.spares);
    let rows = behind.sub(behind.shr::<9>());
    let columns = cells.or3(cells.shr::<10>(), cells.shr::<20>()).and(masks.row);
    let boxes = columns.or3(columns.shr::<1>(), columns.shr::<2>()).and(masks.boxes).sevenfold();
    let next = columns.next_band();
    let down = boxes.or(columns).or3(next, next.next_band());
    rows.or(down_rows(down))
}

/// Copies the first row to all three.
#[inline(always)]
fn down_rows<V: SlotPair>(row: V) -> V {
    row.or3(row.shl::<10>(), row.shl::<20>())
}

/// The hidden singles: their cells, and the cells of each value. `None` on a contradiction: a value has no place in a
/// house, or two values have the same single place.
#[inline(always)]
fn hidden_singles<V: SlotPair>(
    proof: V::Proof,
    masks: Masks<V>,
    planes: &[V; PAIRS],
    settled: V,
) -> Option<(V, [V; PAIRS])> {
    let starts = V::all(proof, ROW_STARTS);
    let zero = V::all(proof, 0);
    let (mut missing, mut cells, mut shared) = (zero, zero, zero);
    let mut singles = *planes;
    for (i, single) in singles.iter_mut().enumerate() {
        let plane = *single;
        // A row had at most one place if it is empty without its lowest bit.
        let filled = plane.add(masks.rows).and(masks.spares);
        let others = plane.and(plane.or(masks.spares).sub(starts));
        let single_spares = masks.spares.and_not(others.add(masks.rows));
        let rows = single_spares.sub(single_spares.shr::<9>());
        // Columns of a band: which have at least one place, and which at least two.
        let (a, b, c) = (plane.and(masks.row), plane.shr::<10>().and(masks.row), plane.shr::<20>());
        let (one, more) = (a.or3(b, c), a.majority(b, c));
        let (one_1, one_2) = (one.shr::<1>(), one.shr::<2>());
        let boxes = one.or3(one_1, one_2).and(masks.boxes);
        let boxes_more = more.or3(more.shr::<1>(), more.shr::<2>()).or(one.majority(one_1, one_2));
        let (next, next_more) = (one.next_band(), more.next_band());
        let (last, last_more) = (next.next_band(), next_more.next_band());
        let columns = one.or3(next, last);
        let columns_more = more.or3(next_more, last_more).or(one.majority(next, last));
        let down = boxes.and_not(boxes_more).sevenfold().or(columns.and_not(columns_more));
        *single = plane.and(rows.or(down_rows(down))).and_not(settled);

        let needed = V::load(proof, &NEEDED[i]);
        missing = missing.or(needed.and_not(filled.or3(boxes.shl::<10>(), columns)));
        shared = shared.or(cells.and(*single));
        cells = cells.or(*single);
    }
    let others = cells.swapped();
    shared = shared.or3(shared.swapped(), cells.and(others));
    (missing.or(shared).is_zero()).then_some((cells.or(others), singles))
}

/// The houses in which each value needs a place: three rows (spare bits), nine columns (first row), and three boxes (second
/// row). The tenth slot is empty.
const NEEDED: [[Slot; 2]; PAIRS] = {
    const LANE: u32 = SPARES | ROW | BOXES << 10;
    const SLOT: Slot = [LANE, LANE, LANE, 0];
    let mut needed = [[SLOT; 2]; PAIRS];
    needed[4][1] = [0; 4];
    needed
};

/// Removes what locked candidates exclude. Returns whether anything changed.
#[inline(always)]
fn remove_locked<V: SlotPair>(proof: V::Proof, masks: Masks<V>, planes: &mut [V; PAIRS]) -> bool {
    let lane = |lane| V::all(proof, lane);
    let starts = lane(BOXES * ROW_STARTS);
    // A mini-row (the three cells common to a box and a row) is one bit here, its first. `beside`: the other mini-rows of
    // its row; …
    let (first, middle, last) = (lane(ROW_STARTS), lane(ROW_STARTS << 3), lane(ROW_STARTS << 6));
    let beside = |m: V| {
        let (left, right) = (m.shr::<3>().and(first.or(middle)), m.shl::<3>().and(middle.or(last)));
        left.or(right).or3(m.shr::<6>().and(first), m.shl::<6>().and(last))
    };
    // … `below`: the other mini-rows of its box.
    let below = |m: V| m.shr::<10>().or(m.shl::<10>()).or3(m.shr::<20>(), m.shl::<20>()).and(starts);
    // The same for mini-columns (the three cells common to a box and a column), one bit of a row each: the others of the
    // box, and of the column.
    let (column_1, column_2, column_3) = (masks.boxes, masks.boxes.shl::<1>(), masks.boxes.shl::<2>());
    let in_box = |m: V| {
        let (left, right) = (m.shr::<1>().and(column_1.or(column_2)), m.shl::<1>().and(column_2.or(column_3)));
        left.or(right).or3(m.shr::<2>().and(column_1), m.shl::<2>().and(column_3))
    };
    let in_column = |m: V| m.next_band().or(m.next_band().next_band());

    let mut taken = lane(0);
    for plane in planes {
        let crossings = plane.or3(plane.shr::<1>(), plane.shr::<2>()).and(starts);
        let only_in_box = crossings.and_not(below(crossings));
        let only_in_row = crossings.and_not(beside(crossings));
        let rows = beside(only_in_box).or(below(only_in_row)).sevenfold();
        let crossings = plane.or3(plane.shr::<10>(), plane.shr::<20>()).and(masks.row);
        let only_in_box = crossings.and_not(in_box(crossings));
        let only_in_column = crossings.and_not(in_column(crossings));
        let columns = down_rows(in_column(only_in_box).or(in_box(only_in_column)));
        let out = plane.and(rows.or(columns));
        taken = taken.or(out);
        *plane = plane.and_not(out);
    }
    !taken.is_zero()
}

/// Whether two settled cells of a house have the same value.
#[inline(always)]
fn clashes<V: SlotPair>(proof: V::Proof, masks: Masks<V>, planes: &[V; PAIRS], settled: V) -> bool {
    let starts = V::all(proof, ROW_STARTS);
    let (column_1, column_2) = (masks.boxes, masks.boxes.shl::<1>());
    let mut clash = V::all(proof, 0);
    for &plane in planes {
        let cells = plane.and(settled);
        let rows = cells.and(cells.or(masks.spares).sub(starts));
        let (b, c) = (cells.shr::<10>(), cells.shr::<20>());
        let columns = cells.or3(b, c).and(masks.row);
        let stacked = cells.majority(b, c).and(masks.row);
        let boxes = columns.and(columns.shr::<1>()).and(column_1.or(column_2));
        let boxes = boxes.or(columns.and(columns.shr::<2>()).and(column_1));
        clash = clash.or3(rows, stacked).or3(boxes, columns.and(columns.next_band()));
    }
    !clash.is_zero()
}
