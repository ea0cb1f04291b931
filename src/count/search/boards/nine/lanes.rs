//! Two slots of four 32-bit lanes side by side: 256-bit vectors where the processor has them, plain arrays elsewhere. The
//! only file of the 9×9 board with `unsafe` code, but for the one call in `mod.rs` that enters the vector code.

/// Three bands of one value's plane, and a lane that stays empty.
pub(crate) type Slot = [u32; 4];

/// Operations on two slots at once; a lane never meets another but in [`Pair::next_band`] and [`Pair::swapped`].
pub(crate) trait Pair: Copy {
    /// What it takes to make one: where that is special instructions, the proof that the processor has them.
    type Proof: Copy;

    fn load(proof: Self::Proof, slots: &[Slot; 2]) -> Self;
    fn store(self, slots: &mut [Slot; 2]);
    /// The same slot twice.
    fn twice(proof: Self::Proof, slot: &Slot) -> Self;
    /// The same number in every lane.
    fn all(proof: Self::Proof, lane: u32) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn and_not(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn shl<const BY: i32>(self) -> Self;
    fn shr<const BY: i32>(self) -> Self;
    /// Seven times each lane, which must not overflow.
    fn sevenfold(self) -> Self;
    /// In the lane of each band that of the next band, the first after the last.
    fn next_band(self) -> Self;
    /// The two slots in each other's place.
    fn swapped(self) -> Self;
    fn is_zero(self) -> bool;
    /// The first of the two slots.
    fn first(self) -> Slot;

    #[inline(always)]
    fn or3(self, b: Self, c: Self) -> Self {
        self.or(b).or(c)
    }

    /// Where at least two of three have a one.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b).or(c.and(self.or(b)))
    }
}

/// For every target.
#[derive(Clone, Copy)]
pub(crate) struct Plain([u32; 8]);

impl Plain {
    #[inline(always)]
    fn with(self, other: Plain, f: impl Fn(u32, u32) -> u32) -> Plain {
        Plain(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl Pair for Plain {
    type Proof = ();

    #[inline(always)]
    fn load((): (), slots: &[Slot; 2]) -> Plain {
        Plain(std::array::from_fn(|i| slots[i / 4][i % 4]))
    }
    #[inline(always)]
    fn store(self, slots: &mut [Slot; 2]) {
        for (i, lane) in self.0.into_iter().enumerate() {
            slots[i / 4][i % 4] = lane;
        }
    }
    #[inline(always)]
    fn twice((): (), slot: &Slot) -> Plain {
        Plain(std::array::from_fn(|i| slot[i % 4]))
    }
    #[inline(always)]
    fn all((): (), lane: u32) -> Plain {
        Plain([lane; 8])
    }
    #[inline(always)]
    fn and(self, other: Plain) -> Plain {
        self.with(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: Plain) -> Plain {
        self.with(other, |a, b| a | b)
    }
    #[inline(always)]
    fn and_not(self, other: Plain) -> Plain {
        self.with(other, |a, b| a & !b)
    }
    #[inline(always)]
    fn add(self, other: Plain) -> Plain {
        self.with(other, u32::wrapping_add)
    }
    #[inline(always)]
    fn sub(self, other: Plain) -> Plain {
        self.with(other, u32::wrapping_sub)
    }
    #[inline(always)]
    fn shl<const BY: i32>(self) -> Plain {
        Plain(self.0.map(|lane| lane << BY))
    }
    #[inline(always)]
    fn shr<const BY: i32>(self) -> Plain {
        Plain(self.0.map(|lane| lane >> BY))
    }
    #[inline(always)]
    fn sevenfold(self) -> Plain {
        Plain(self.0.map(|lane| (lane << 3).wrapping_sub(lane)))
    }
    #[inline(always)]
    fn next_band(self) -> Plain {
        const NEXT: [usize; 8] = [1, 2, 0, 3, 5, 6, 4, 7];
        Plain(NEXT.map(|lane| self.0[lane]))
    }
    #[inline(always)]
    fn swapped(self) -> Plain {
        Plain(std::array::from_fn(|i| self.0[i ^ 4]))
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

/// Why each `unsafe` below is sound: an `Avx2` is made by `load`, `twice` and `all` alone or from others of its kind, and
/// those three take the proof that the processor has AVX2. Loads and stores go through references to 32 bytes.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use std::arch::x86_64::*;

    use super::{Pair, Slot};
    use crate::search::vectors::Detected;

    /// 256 bits in a register.
    #[derive(Clone, Copy)]
    pub(in crate::search::boards::nine) struct Avx2(__m256i);

    impl Pair for Avx2 {
        type Proof = Detected;

        #[inline(always)]
        fn load(_: Detected, slots: &[Slot; 2]) -> Avx2 {
            // SAFETY: AVX2 was detected, and the reference is to 32 bytes.
            Avx2(unsafe { _mm256_loadu_si256(slots.as_ptr().cast()) })
        }
        #[inline(always)]
        fn store(self, slots: &mut [Slot; 2]) {
            // SAFETY: AVX2 was detected, or there were no `self`, and the reference is to 32 bytes.
            unsafe { _mm256_storeu_si256(slots.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn twice(_: Detected, slot: &Slot) -> Avx2 {
            // SAFETY: AVX2 was detected, and the reference is to 16 bytes.
            Avx2(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(slot.as_ptr().cast())) })
        }
        #[inline(always)]
        fn all(_: Detected, lane: u32) -> Avx2 {
            // SAFETY: AVX2 was detected.
            Avx2(unsafe { _mm256_set1_epi32(lane as i32) })
        }
        // SAFETY, from here on: AVX2 was detected, or there were no `self`.
        #[inline(always)]
        fn and(self, other: Avx2) -> Avx2 {
            Avx2(unsafe { _mm256_and_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn or(self, other: Avx2) -> Avx2 {
            Avx2(unsafe { _mm256_or_si256(self.0, other.0) })
        }
        #[inline(always)]
        fn and_not(self, other: Avx2) -> Avx2 {
            Avx2(unsafe { _mm256_andnot_si256(other.0, self.0) })
        }
        #[inline(always)]
        fn add(self, other: Avx2) -> Avx2 {
            Avx2(unsafe { _mm256_add_epi32(self.0, other.0) })
        }
        #[inline(always)]
        fn sub(self, other: Avx2) -> Avx2 {
            Avx2(unsafe { _mm256_sub_epi32(self.0, other.0) })
        }
        #[inline(always)]
        fn shl<const BY: i32>(self) -> Avx2 {
            Avx2(unsafe { _mm256_slli_epi32::<BY>(self.0) })
        }
        #[inline(always)]
        fn shr<const BY: i32>(self) -> Avx2 {
            Avx2(unsafe { _mm256_srli_epi32::<BY>(self.0) })
        }
        #[inline(always)]
        fn sevenfold(self) -> Avx2 {
            // Lanes are 32 bits wide, but nothing borrows from its neighbour. A difference of 64 bits keeps the compiler from
            // making a multiplication of it, which takes ten times as long.
            Avx2(unsafe { _mm256_sub_epi64(_mm256_slli_epi32::<3>(self.0), self.0) })
        }
        #[inline(always)]
        fn next_band(self) -> Avx2 {
            Avx2(unsafe { _mm256_shuffle_epi32::<0b11_00_10_01>(self.0) })
        }
        #[inline(always)]
        fn swapped(self) -> Avx2 {
            Avx2(unsafe { _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0) })
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
