//! Two slots of four 32-bit lanes side by side: 256-bit vectors where the processor has them, plain arrays elsewhere. The
//! only file of the 9×9 board with `unsafe` code, except for the calls in `mod.rs` that enter the vector code.

/// The plane of a value: one lane a band, and an empty lane.
pub(crate) type Slot = [u32; 4];

/// Operations on two slots at once. Lanes mix only in [`SlotPair::next_band`] and [`SlotPair::swapped`].
pub(crate) trait SlotPair: Copy {
    /// Proof that the processor has the instructions, where they are special.
    type Proof: Copy;

    fn load(proof: Self::Proof, slots: &[Slot; 2]) -> Self;
    fn store(self, slots: &mut [Slot; 2]);
    fn twice(proof: Self::Proof, slot: &Slot) -> Self;
    fn all(proof: Self::Proof, lane: u32) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn and_not(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn shl<const BY: i32>(self) -> Self;
    fn shr<const BY: i32>(self) -> Self;
    /// Seven times each lane. It must not overflow.
    fn sevenfold(self) -> Self;
    /// Moves the lane of each next band to the band before, cyclically.
    fn next_band(self) -> Self;
    /// Exchanges the two slots.
    fn swapped(self) -> Self;
    fn is_zero(self) -> bool;
    fn first(self) -> Slot;

    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        self.or(b).or(c)
    }

    /// The bits that are set in at least two of three.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b).or(c.and(self.or(b)))
    }
}

/// The version for every target.
#[derive(Clone, Copy)]
pub(crate) struct PlainPair([u32; 8]);

impl PlainPair {
    #[inline(always)]
    fn with(self, other: PlainPair, f: impl Fn(u32, u32) -> u32) -> PlainPair {
        PlainPair(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl SlotPair for PlainPair {
    type Proof = ();

    #[inline(always)]
    fn load((): (), slots: &[Slot; 2]) -> PlainPair {
        PlainPair(std::array::from_fn(|i| slots[i / 4][i % 4]))
    }
    #[inline(always)]
    fn store(self, slots: &mut [Slot; 2]) {
        for (i, lane) in self.0.into_iter().enumerate() {
            slots[i / 4][i % 4] = lane;
        }
    }
    #[inline(always)]
    fn twice((): (), slot: &Slot) -> PlainPair {
        PlainPair(std::array::from_fn(|i| slot[i % 4]))
    }
    #[inline(always)]
    fn all((): (), lane: u32) -> PlainPair {
        PlainPair([lane; 8])
    }
    #[inline(always)]
    fn and(self, other: PlainPair) -> PlainPair {
        self.with(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: PlainPair) -> PlainPair {
        self.with(other, |a, b| a | b)
    }
    #[inline(always)]
    fn and_not(self, other: PlainPair) -> PlainPair {
        self.with(other, |a, b| a & !b)
    }
    #[inline(always)]
    fn add(self, other: PlainPair) -> PlainPair {
        self.with(other, u32::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, other: PlainPair) -> PlainPair {
        self.with(other, u32::wrapping_sub)
    }
    #[inline(always)]
    fn shl<const BY: i32>(self) -> PlainPair {
        PlainPair(self.0.map(|lane| lane << BY))
    }
    #[inline(always)]
    fn shr<const BY: i32>(self) -> PlainPair {
        PlainPair(self.0.map(|lane| lane >> BY))
    }
    #[inline(always)]
    fn sevenfold(self) -> PlainPair {
        PlainPair(self.0.map(|lane| (lane << 3).wrapping_sub(lane)))
    }
    #[inline(always)]
    fn next_band(self) -> PlainPair {
        const NEXT: [usize; 8] = [1, 2, 0, 3, 5, 6, 4, 7];
        PlainPair(NEXT.map(|lane| self.0[lane]))
    }
    #[inline(always)]
    fn swapped(self) -> PlainPair {
        PlainPair(std::array::from_fn(|i| self.0[i ^ 4]))
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0 == [0; 8]
    }
    #[inline(always)]
    fn first(self) -> Slot {
        std::array::from_fn(|i| self.0[i])
    }
}

/// Why each `unsafe` below is sound: an `Avx2Pair` is made only by `load`, `twice` and `all`, which take the proof that the
/// processor has AVX2, or from other `Avx2Pair`s. Loads and stores go through references to 32 bytes.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use std::arch::x86_64::*;

    use super::{Slot, SlotPair};
    use crate::search::vectors::Detected;

    #[derive(Clone, Copy)]
    pub(in crate::search::boards::nine) struct Avx2Pair(__m256i);

    impl SlotPair for Avx2Pair {
        type Proof = Detected;

        #[inline(always)]
        fn load(_: Detected, slots: &[Slot; 2]) -> Avx2Pair {
            // SAFETY: AVX2 was detected, and the reference is to 32 bytes.
            Avx2Pair(unsafe { _mm256_loadu_si256(slots.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, slots: &mut [Slot; 2]) {
            // SAFETY: `self` proves that AVX2 was detected, and the reference is to 32 bytes.
            unsafe { _mm256_storeu_si256(slots.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn twice(_: Detected, slot: &Slot) -> Avx2Pair {
            // SAFETY: AVX2 was detected, and the reference is to 16 bytes.
            Avx2Pair(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(slot.as_ptr().cast())) })
        }
        #[inline(always)]
        fn all(_: Detected, lane: u32) -> Avx2Pair {
            // SAFETY: AVX2 was detected.
            Avx2Pair(unsafe { _mm256_set1_epi32(lane as i32) })
        }
        // SAFETY, from here on: `self` proves that AVX2 was detected.
        #[inline(always)]
        fn and(self, other: Avx2Pair) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_and_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Avx2Pair) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_or_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn and_not(self, other: Avx2Pair) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
        #[inline(always)]
        fn add(self, other: Avx2Pair) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_add_epi32(self.0, other.0) })
        }
        #[inline(always)]
        fn sub(self, other: Avx2Pair) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_sub_epi32(self.0, other.0) })
        }
        #[inline(always)]
        fn shl<const BY: i32>(self) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_slli_epi32::<BY>(self.0) })
        }
        #[inline(always)]
        fn shr<const BY: i32>(self) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_srli_epi32::<BY>(self.0) })
        }
        #[inline(always)]
        fn sevenfold(self) -> Avx2Pair {
            // Lanes are 32 bits wide, but no borrow crosses them. The 64-bit subtraction keeps the compiler from turning
            // this into a multiplication, which takes ten times as long.
            Avx2Pair(unsafe { _mm256_sub_epi64(_mm256_slli_epi32::<3>(self.0), self.0) })
        }
        #[inline(always)]
        fn next_band(self) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_shuffle_epi32::<0b11_00_10_01>(self.0) })
        }
        #[inline(always)]
        fn swapped(self) -> Avx2Pair {
            Avx2Pair(unsafe { _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0) })
        }
        #[inline(always)]
        fn is_zero(self) -> bool {
            unsafe { _mm256_testz_si256(self.0, self.0) == 1 }
        }
        #[inline(always)]
        fn first(self) -> Slot {
            let mut slot = [0; 4];
            // The reference is to 16 bytes.
            unsafe { _mm_storeu_si128(slot.as_mut_ptr().cast(), _mm256_castsi256_si128(self.0)) };
            slot
        }
    }
}
