//! The vector instructions of the processor: detected once, carried as a proof. Plain arrays elsewhere.
//!
//! Code that is generic over [`SlotPair`] or [`Lanes`] contains no `unsafe`. All of it is `#[inline(always)]`: functions with
//! `#[target_feature]` compile it for the instructions, and are called where there is the proof.

/// Implements an operator of a vector type.
macro_rules! operator {
    ($trait:ident::$method:ident for $type:ty, |$a:ident $(, $b:ident)?| $result:expr) => {
        impl std::ops::$trait for $type {
            type Output = $type;

            #[inline(always)]
            fn $method(self $(, $b: $type)?) -> $type {
                let $a = self;
                $result
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
mod plain;

use std::ops::{Add, BitAnd, BitOr, Not, Sub};

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::{Avx2Lanes, Avx2Pair, Detected, Detected512};
pub(super) use plain::{PlainLanes, PlainPair};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2(Detected),
    /// AVX-512 adds registers and three-operand logic; vectors stay 256 bits wide.
    #[cfg(target_arch = "x86_64")]
    Avx512(Detected, Detected512),
}

impl Vectors {
    pub(super) fn best() -> Vectors {
        #[cfg(target_arch = "x86_64")]
        if let Some(proof) = Detected::new() {
            return Detected512::new().map_or(Vectors::Avx2(proof), |more| Vectors::Avx512(proof, more));
        }
        Vectors::Plain
    }

    #[cfg(test)]
    pub(super) fn all() -> Vec<Vectors> {
        let mut all = vec![Vectors::Plain, Vectors::best()];
        #[cfg(target_arch = "x86_64")]
        all.extend(Detected::new().map(Vectors::Avx2));
        all.dedup();
        all
    }
}

/// The plane of a value on the 9×9 board: one 32-bit lane a band, and an empty lane.
pub(super) type Slot = [u32; 4];

/// Two slots side by side. Lanes mix only in [`SlotPair::next_band`] and [`SlotPair::swapped`].
pub(super) trait SlotPair:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> + Add<Output = Self> + Sub<Output = Self>
{
    /// Proof that the processor has the instructions, where they are special.
    type Proof: Copy;

    fn load(proof: Self::Proof, slots: &[Slot; 2]) -> Self;
    fn store(self, slots: &mut [Slot; 2]);
    fn shl<const BY: i32>(self) -> Self;
    fn shr<const BY: i32>(self) -> Self;
    /// Seven times each lane. It must not overflow.
    fn sevenfold(self) -> Self;
    /// Moves the lane of each next band to the band before, cyclically.
    fn next_band(self) -> Self;
    /// Exchanges the two slots.
    fn swapped(self) -> Self;
    fn is_zero(self) -> bool;

    #[inline(always)]
    fn all(proof: Self::Proof, lane: u32) -> Self {
        Self::load(proof, &[[lane; 4]; 2])
    }

    #[inline(always)]
    fn first(self) -> Slot {
        let mut slots = [[0; 4]; 2];
        self.store(&mut slots);
        slots[0]
    }

    /// The bits that are set in at least two of three.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self & b | c & (self | b)
    }
}

/// 32 lanes, and a 33rd that is always 0: [`u32::trailing_zeros`] returns 32 if there is no lane.
pub(super) type LaneSets = [u16; 33];

/// Thirty-two candidate sets of 16 bits side by side, for the endgame. A mask has one bit a lane.
pub(super) trait Lanes: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Proof that the processor has the instructions, where they are special.
    type Proof: Copy;

    fn all(proof: Self::Proof, set: u16) -> Self;
    /// Full sets in the lanes of a mask, empty sets elsewhere.
    fn spread(proof: Self::Proof, mask: u32) -> Self;
    /// Each set without its smallest member.
    fn without_smallest(self) -> Self;
    fn empty(self) -> u32;
    fn any_empty(self) -> bool;
    fn equal(self, other: Self) -> u32;
    /// Writes all sets; leaves the 33rd lane as it is.
    fn put(self, values: &mut LaneSets);
    /// The bits of a word selected by a mask, moved together.
    fn extract(proof: Self::Proof, word: u64, mask: u64) -> u64;
}
