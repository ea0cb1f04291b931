//! 256-bit vectors, with the instructions of AVX2.
//!
//! Why each `unsafe` is sound: a vector is made only from a [`Detected`], the proof that the processor has AVX2, BMI1, BMI2
//! and POPCNT, or from other vectors. Loads and stores go through references to as many bytes.

use std::arch::x86_64::*;

use super::{LaneSets, Lanes, Slot, SlotPair};

/// Proof that AVX2, BMI1, BMI2 and POPCNT were detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Detected(());

/// Proof that AVX-512 F, VL, BW and DQ were detected, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::search) struct Detected512(());

impl Detected {
    pub(super) fn new() -> Option<Detected> {
        let detected = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        detected.then_some(Detected(()))
    }
}

impl Detected512 {
    pub(super) fn new() -> Option<Detected512> {
        let detected = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        detected.then_some(Detected512(()))
    }
}

#[derive(Clone, Copy)]
pub(in crate::search) struct Avx2Pair(__m256i);

operator!(BitAnd::bitand for Avx2Pair, |a, b| Avx2Pair(unsafe { _mm256_and_si256(a.0, b.0) }));
operator!(BitOr::bitor for Avx2Pair, |a, b| Avx2Pair(unsafe { _mm256_or_si256(a.0, b.0) }));
operator!(Not::not for Avx2Pair, |a| Avx2Pair(unsafe { _mm256_xor_si256(a.0, _mm256_set1_epi32(-1)) }));
operator!(Add::add for Avx2Pair, |a, b| Avx2Pair(unsafe { _mm256_add_epi32(a.0, b.0) }));
operator!(Sub::sub for Avx2Pair, |a, b| Avx2Pair(unsafe { _mm256_sub_epi32(a.0, b.0) }));

impl SlotPair for Avx2Pair {
    type Proof = Detected;

    #[inline(always)]
    fn load(_: Detected, slots: &[Slot; 2]) -> Avx2Pair {
        Avx2Pair(unsafe { _mm256_loadu_si256(slots.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store(self, slots: &mut [Slot; 2]) {
        unsafe { _mm256_storeu_si256(slots.as_mut_ptr().cast(), self.0) }
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
        // Lanes are 32 bits wide, but no borrow crosses them. The 64-bit subtraction keeps the compiler from turning this
        // into a multiplication, which takes ten times as long.
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
}

/// Lanes 0 to 7 and 16 to 23, then the others: packing two vectors of 16-bit lanes into one of bytes then orders them.
#[derive(Clone, Copy)]
pub(in crate::search) struct Avx2Lanes(Avx2Pair, Avx2Pair);

operator!(BitAnd::bitand for Avx2Lanes, |a, b| Avx2Lanes(a.0 & b.0, a.1 & b.1));
operator!(BitOr::bitor for Avx2Lanes, |a, b| Avx2Lanes(a.0 | b.0, a.1 | b.1));
operator!(Not::not for Avx2Lanes, |a| Avx2Lanes(!a.0, !a.1));

impl Avx2Lanes {
    #[inline(always)]
    fn map(self, f: impl Fn(__m256i) -> __m256i) -> Avx2Lanes {
        Avx2Lanes(Avx2Pair(f(self.0.0)), Avx2Pair(f(self.1.0)))
    }
}

impl Lanes for Avx2Lanes {
    type Proof = Detected;

    #[inline(always)]
    fn all(_: Detected, set: u16) -> Avx2Lanes {
        let half = Avx2Pair(unsafe { _mm256_set1_epi16(set as i16) });
        Avx2Lanes(half, half)
    }
    #[inline(always)]
    fn spread(_: Detected, mask: u32) -> Avx2Lanes {
        const BYTE: i64 = 0x0101_0101_0101_0101;
        unsafe {
            // Each lane gets the byte of the mask that has its bit, and keeps that bit.
            let bytes = _mm256_set1_epi32(mask as i32);
            let first = _mm256_set_epi64x(2 * BYTE, 2 * BYTE, 0, 0);
            let second = _mm256_set_epi64x(3 * BYTE, 3 * BYTE, BYTE, BYTE);
            let bit = _mm256_broadcastsi128_si256(_mm_set_epi16(128, 64, 32, 16, 8, 4, 2, 1));
            Avx2Lanes(Avx2Pair(first), Avx2Pair(second))
                .map(|order| _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_shuffle_epi8(bytes, order), bit), bit))
        }
    }
    #[inline(always)]
    fn without_smallest(self) -> Avx2Lanes {
        self & self.map(|half| unsafe { _mm256_add_epi16(half, _mm256_set1_epi16(-1)) })
    }
    #[inline(always)]
    fn empty(self) -> u32 {
        self.equal(self & !self)
    }
    #[inline(always)]
    fn any_empty(self) -> bool {
        let Avx2Lanes(a, b) = self.map(|half| unsafe { _mm256_cmpeq_epi16(half, _mm256_setzero_si256()) });
        unsafe { _mm256_movemask_epi8((a | b).0) != 0 }
    }
    #[inline(always)]
    fn equal(self, other: Avx2Lanes) -> u32 {
        let equal = |a: Avx2Pair, b: Avx2Pair| unsafe { _mm256_cmpeq_epi16(a.0, b.0) };
        // One bit a lane: every lane is all ones or all zeros.
        unsafe { _mm256_movemask_epi8(_mm256_packs_epi16(equal(self.0, other.0), equal(self.1, other.1))) as u32 }
    }
    #[inline(always)]
    fn put(self, values: &mut LaneSets) {
        let eights: *mut __m128i = values.as_mut_ptr().cast();
        unsafe {
            _mm_storeu_si128(eights, _mm256_castsi256_si128(self.0.0));
            _mm_storeu_si128(eights.add(1), _mm256_castsi256_si128(self.1.0));
            _mm_storeu_si128(eights.add(2), _mm256_extracti128_si256::<1>(self.0.0));
            _mm_storeu_si128(eights.add(3), _mm256_extracti128_si256::<1>(self.1.0));
        }
    }
    #[inline(always)]
    fn extract(_: Detected, word: u64, mask: u64) -> u64 {
        unsafe { _pext_u64(word, mask) }
    }
}
