//! Vectors as plain arrays, for every target.

use std::array::from_fn;

use crate::search::boards::generic::bits;

use super::{LaneSets, Lanes, Slot, SlotPair};

#[derive(Clone, Copy)]
pub(in crate::search) struct Plain<T, const N: usize>([T; N]);

pub(in crate::search) type PlainPair = Plain<u32, 8>;
pub(in crate::search) type PlainLanes = Plain<u16, 32>;

impl<T: Copy, const N: usize> Plain<T, N> {
    #[inline(always)]
    fn with(self, other: Plain<T, N>, f: impl Fn(T, T) -> T) -> Plain<T, N> {
        Plain(from_fn(|i| f(self.0[i], other.0[i])))
    }
}

operator!(BitAnd::bitand for PlainPair, |a, b| a.with(b, |a, b| a & b));
operator!(BitOr::bitor for PlainPair, |a, b| a.with(b, |a, b| a | b));
operator!(Not::not for PlainPair, |a| Plain(a.0.map(|lane| !lane)));
operator!(Add::add for PlainPair, |a, b| a.with(b, u32::wrapping_add));
operator!(Sub::sub for PlainPair, |a, b| a.with(b, u32::wrapping_sub));

impl SlotPair for PlainPair {
    type Proof = ();

    #[inline(always)]
    fn load((): (), slots: &[Slot; 2]) -> PlainPair {
        Plain(from_fn(|i| slots[i / 4][i % 4]))
    }
    #[inline(always)]
    fn store(self, slots: &mut [Slot; 2]) {
        *slots = from_fn(|slot| from_fn(|lane| self.0[4 * slot + lane]));
    }
    #[inline(always)]
    fn shl<const BY: i32>(self) -> PlainPair {
        Plain(self.0.map(|lane| lane << BY))
    }
    #[inline(always)]
    fn shr<const BY: i32>(self) -> PlainPair {
        Plain(self.0.map(|lane| lane >> BY))
    }
    #[inline(always)]
    fn sevenfold(self) -> PlainPair {
        self.shl::<3>() - self
    }
    #[inline(always)]
    fn next_band(self) -> PlainPair {
        Plain([1, 2, 0, 3, 5, 6, 4, 7].map(|lane: usize| self.0[lane]))
    }
    #[inline(always)]
    fn swapped(self) -> PlainPair {
        Plain(from_fn(|i| self.0[i ^ 4]))
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0 == [0; 8]
    }
}

operator!(BitAnd::bitand for PlainLanes, |a, b| a.with(b, |a, b| a & b));
operator!(BitOr::bitor for PlainLanes, |a, b| a.with(b, |a, b| a | b));
operator!(Not::not for PlainLanes, |a| Plain(a.0.map(|set| !set)));

impl Lanes for PlainLanes {
    type Proof = ();

    #[inline(always)]
    fn all((): (), set: u16) -> PlainLanes {
        Plain([set; 32])
    }
    #[inline(always)]
    fn spread((): (), mask: u32) -> PlainLanes {
        Plain(from_fn(|i| ((mask >> i & 1) as u16).wrapping_neg()))
    }
    #[inline(always)]
    fn without_smallest(self) -> PlainLanes {
        Plain(self.0.map(|set| set & set.wrapping_sub(1)))
    }
    #[inline(always)]
    fn empty(self) -> u32 {
        self.equal(Plain([0; 32]))
    }
    #[inline(always)]
    fn any_empty(self) -> bool {
        self.0.contains(&0)
    }
    #[inline(always)]
    fn equal(self, other: PlainLanes) -> u32 {
        (0..32).fold(0, |mask, i| mask | u32::from(self.0[i] == other.0[i]) << i)
    }
    #[inline(always)]
    fn put(self, values: &mut LaneSets) {
        values[..32].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn extract((): (), word: u64, mask: u64) -> u64 {
        let selected = bits(mask).enumerate();
        selected.fold(0, |moved, (to, from)| moved | (word >> from & 1) << to)
    }
}
