//! Thirty-two candidate sets of 16 bits side by side: two 256-bit vectors where the processor has them, plain arrays
//! elsewhere. The only file of the endgame with `unsafe` code, except for the calls in `mod.rs` that enter the vector code.

/// 32 lanes, and a 33rd that is always 0: [`u32::trailing_zeros`] returns 32 if there is no lane.
pub(crate) type LaneSets = [u16; 33];

/// Operations on all sets at once. A mask has one bit a lane.
pub(crate) trait Lanes: Copy {
    /// Proof that the processor has the instructions, where they are special.
    type Proof: Copy;

    fn all(proof: Self::Proof, set: u16) -> Self;
    /// Full sets in the lanes of a mask, empty sets elsewhere.
    fn spread(proof: Self::Proof, mask: u32) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn and_not(self, other: Self) -> Self;
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

/// The version for every target.
#[derive(Clone, Copy)]
pub(crate) struct PlainLanes([u16; 32]);

impl PlainLanes {
    #[inline(always)]
    fn with(self, other: PlainLanes, f: impl Fn(u16, u16) -> u16) -> PlainLanes {
        PlainLanes(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn mask(self, f: impl Fn(u16) -> bool) -> u32 {
        self.0.iter().enumerate().fold(0, |mask, (i, &set)| mask | u32::from(f(set)) << i)
    }
}

impl Lanes for PlainLanes {
    type Proof = ();

    #[inline(always)]
    fn all((): (), set: u16) -> PlainLanes {
        PlainLanes([set; 32])
    }
    #[inline(always)]
    fn spread((): (), mask: u32) -> PlainLanes {
        PlainLanes(std::array::from_fn(|i| ((mask >> i & 1) as u16).wrapping_neg()))
    }
    #[inline(always)]
    fn and(self, other: PlainLanes) -> PlainLanes {
        self.with(other, |a, b| a & b)
    }
    #[inline(always)]
    fn or(self, other: PlainLanes) -> PlainLanes {
        self.with(other, |a, b| a | b)
    }
    #[inline(always)]
    fn and_not(self, other: PlainLanes) -> PlainLanes {
        self.with(other, |a, b| a & !b)
    }
    #[inline(always)]
    fn without_smallest(self) -> PlainLanes {
        PlainLanes(self.0.map(|set| set & set.wrapping_sub(1)))
    }
    #[inline(always)]
    fn empty(self) -> u32 {
        self.mask(|set| set == 0)
    }
    #[inline(always)]
    fn any_empty(self) -> bool {
        self.0.contains(&0)
    }
    #[inline(always)]
    fn equal(self, other: PlainLanes) -> u32 {
        self.with(other, |a, b| a ^ b).empty()
    }
    #[inline(always)]
    fn put(self, values: &mut LaneSets) {
        values[..32].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn extract((): (), word: u64, mut mask: u64) -> u64 {
        let (mut bits, mut at) = (0, 0);
        while mask != 0 {
            bits |= (word >> mask.trailing_zeros() & 1) << at;
            mask &= mask - 1;
            at += 1;
        }
        bits
    }
}

/// Why each `unsafe` below is sound: an `Avx2Lanes` is made only by `all` and `spread`, which take the proof that the
/// processor has AVX2 and BMI2, or from other `Avx2Lanes`. Stores go through a reference to 66 bytes.
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use std::arch::x86_64::*;

    use super::{LaneSets, Lanes};
    use crate::search::vectors::Detected;

    /// Lanes 0 to 7 and 16 to 23, then the others: packing two vectors of 16-bit lanes into one of bytes then orders them.
    #[derive(Clone, Copy)]
    pub(in crate::search::endgame) struct Avx2Lanes(__m256i, __m256i);

    impl Avx2Lanes {
        /// One bit a lane. Every lane must be all ones or all zeros.
        #[inline(always)]
        fn mask(self) -> u32 {
            // SAFETY: `self` proves that AVX2 was detected.
            unsafe { _mm256_movemask_epi8(_mm256_packs_epi16(self.0, self.1)) as u32 }
        }
    }

    impl Lanes for Avx2Lanes {
        type Proof = Detected;

        #[inline(always)]
        fn all(_: Detected, set: u16) -> Avx2Lanes {
            // SAFETY: AVX2 was detected.
            let one = unsafe { _mm256_set1_epi16(set as i16) };
            Avx2Lanes(one, one)
        }
        #[inline(always)]
        fn spread(_: Detected, mask: u32) -> Avx2Lanes {
            const BYTE: i64 = 0x0101_0101_0101_0101;
            // SAFETY: AVX2 was detected.
            unsafe {
                // Each lane gets the byte of the mask that has its bit, and keeps that bit.
                let bytes = _mm256_set1_epi32(mask as i32);
                let first = _mm256_set_epi64x(2 * BYTE, 2 * BYTE, 0, 0);
                let second = _mm256_set_epi64x(3 * BYTE, 3 * BYTE, BYTE, BYTE);
                let bit = _mm256_broadcastsi128_si256(_mm_set_epi16(128, 64, 32, 16, 8, 4, 2, 1));
                let lanes = |order| _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_shuffle_epi8(bytes, order), bit), bit);
                Avx2Lanes(lanes(first), lanes(second))
            }
        }
        // SAFETY, from here on: `self` proves that AVX2 was detected.
        #[inline(always)]
        fn and(self, other: Avx2Lanes) -> Avx2Lanes {
            unsafe { Avx2Lanes(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
        }
        #[inline(always)]
        fn or(self, other: Avx2Lanes) -> Avx2Lanes {
            unsafe { Avx2Lanes(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1)) }
        }
        #[inline(always)]
        fn and_not(self, other: Avx2Lanes) -> Avx2Lanes {
            unsafe { Avx2Lanes(_mm256_andnot_si256(other.0, self.0), _mm256_andnot_si256(other.1, self.1)) }
        }
        #[inline(always)]
        fn without_smallest(self) -> Avx2Lanes {
            let less = |x| unsafe { _mm256_and_si256(x, _mm256_add_epi16(x, _mm256_set1_epi16(-1))) };
            Avx2Lanes(less(self.0), less(self.1))
        }
        #[inline(always)]
        fn empty(self) -> u32 {
            let zero = |x| unsafe { _mm256_cmpeq_epi16(x, _mm256_setzero_si256()) };
            Avx2Lanes(zero(self.0), zero(self.1)).mask()
        }
        #[inline(always)]
        fn any_empty(self) -> bool {
            let zero = |x| unsafe { _mm256_cmpeq_epi16(x, _mm256_setzero_si256()) };
            unsafe { _mm256_movemask_epi8(_mm256_or_si256(zero(self.0), zero(self.1))) != 0 }
        }
        #[inline(always)]
        fn equal(self, other: Avx2Lanes) -> u32 {
            unsafe { Avx2Lanes(_mm256_cmpeq_epi16(self.0, other.0), _mm256_cmpeq_epi16(self.1, other.1)) }.mask()
        }
        #[inline(always)]
        fn put(self, values: &mut LaneSets) {
            let eights: *mut __m128i = values.as_mut_ptr().cast();
            unsafe {
                _mm_storeu_si128(eights, _mm256_castsi256_si128(self.0));
                _mm_storeu_si128(eights.add(1), _mm256_castsi256_si128(self.1));
                _mm_storeu_si128(eights.add(2), _mm256_extracti128_si256::<1>(self.0));
                _mm_storeu_si128(eights.add(3), _mm256_extracti128_si256::<1>(self.1));
            }
        }
        #[inline(always)]
        fn extract(_: Detected, word: u64, mask: u64) -> u64 {
            // SAFETY: BMI2 was detected.
            unsafe { _pext_u64(word, mask) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The results of all operations on some numbers.
    fn all_of<L: Lanes>(proof: L::Proof, masks: &[u32; 16], word: u64) -> Vec<u64> {
        let put = |lanes: L| {
            let mut values = [7; 33];
            lanes.put(&mut values);
            values.map(u64::from)
        };
        let sets = (0..16).map(|bit| L::spread(proof, masks[bit]).and(L::all(proof, 1 << bit)));
        let sets = sets.reduce(|a, b| a.or(b)).expect("sixteen");
        let less = sets.without_smallest();
        let mut seen = vec![sets.empty().into(), sets.any_empty().into(), less.empty().into(), sets.equal(less).into()];
        seen.push(L::extract(proof, word, word.rotate_left(masks[0] % 64) ^ u64::from(masks[1])));
        for lanes in [sets, less, sets.and_not(less), L::all(proof, 513)] {
            seen.extend(put(lanes));
        }
        seen
    }

    proptest! {
        #[test]
        #[cfg(target_arch = "x86_64")]
        fn vectors_and_plain_arrays_agree(masks: [u32; 16], thin: bool, word: u64) {
            use crate::search::vectors::Vectors;
            // With few members a set, there are singles and empty sets.
            let masks = if thin { masks.map(|mask| mask & mask.rotate_left(7) & mask.rotate_left(13)) } else { masks };
            for vectors in Vectors::all() {
                if let Vectors::Avx2(proof) | Vectors::Avx512(proof, _) = vectors {
                    prop_assert_eq!(all_of::<avx2::Avx2Lanes>(proof, &masks, word), all_of::<PlainLanes>((), &masks, word));
                }
            }
        }
    }
}
