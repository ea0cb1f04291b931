//! The three innermost loops, on rows of 16-bit numbers: a scalar version for every target, and AVX2 where the processor
//! has it. The only file of this method with `unsafe` code.
//!
//! All rows have a length that is a multiple of [`LANES`]. A table entry is at most [`MAX_ENTRY`], and a dot product has at
//! most [`MAX_TERMS`] terms, so that no sum below can overflow: the assertions below, and "Exact sums" in `docs/bands.md`.

/// Rows are padded to a multiple of this length.
pub(super) const LANES: usize = 16;
/// The largest number of fillings of a band with given columns. A test computes it for a band without clues, and clues only
/// reduce it; [`Table`](super::table::Table) still checks every slice.
pub(super) const MAX_ENTRY: u16 = 1728;
pub(super) const MAX_TERMS: usize = 1024;

// 216 row partitions cross a column partition, and each has 56 continuations.
const _: () = assert!(216 * 56 <= u16::MAX as u32);
const _: () = assert!(MAX_ENTRY <= i16::MAX as u16);
const _: () = assert!(MAX_TERMS as u64 * MAX_ENTRY as u64 * (MAX_ENTRY as u64) < 1 << 32);
const _: () = assert!((MAX_TERMS / LANES) as u64 * 2 * MAX_ENTRY as u64 * (MAX_ENTRY as u64) < 1 << 31);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(DetectedAvx2),
}

/// Proof that AVX2 was detected: only [`Kernel::best`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DetectedAvx2(());

impl Kernel {
    pub(super) fn best() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Kernel::Avx2(DetectedAvx2(()));
        }
        Kernel::Scalar
    }

    /// Sets `sum` to the sum of rows of `table`, given by number. Each is as long as `sum`.
    pub(super) fn sum_rows(self, sum: &mut [u16], table: &[u16], rows: &[u32]) {
        let len = sum.len();
        let last = rows.iter().copied().max().unwrap_or(0) as usize;
        let end = (last + 1).checked_mul(len);
        assert!(len.is_multiple_of(LANES) && (rows.is_empty() || end.is_some_and(|end| end <= table.len())));
        match self {
            Kernel::Scalar => scalar::sum_rows(sum, table, rows),
            // SAFETY: AVX2 was detected; `len` is a multiple of 16, and the last of the rows lies within the table.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => unsafe { avx2::sum_rows(sum, table, rows) },
        }
    }

    /// `out[c · stride + i] = rows[i][c]`. There are `stride` rows.
    pub(super) fn transpose(self, rows: &[&[u16]], out: &mut [u16]) {
        let stride = rows.len();
        let len = rows.first().map_or(0, |row| row.len());
        assert!(stride.is_multiple_of(LANES) && len.is_multiple_of(LANES));
        assert!(rows.iter().all(|row| row.len() == len) && out.len() >= len * stride);
        match self {
            Kernel::Scalar => scalar::transpose(rows, out),
            // SAFETY: AVX2 was detected; both lengths are multiples of 16, all rows are equally long, and `out` has room.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => unsafe { avx2::transpose(rows, out) },
        }
    }

    /// The dot products of `left` with rows of `table`, each as long as `left`.
    pub(super) fn dots(self, left: &[u16], table: &[u16], rows: &[OwnedRow], out: &mut [u32]) {
        assert!(left.len().is_multiple_of(LANES) && left.len() <= MAX_TERMS && out.len() == rows.len());
        match self {
            Kernel::Scalar => scalar::dots(left, table, rows, out),
            // SAFETY: AVX2 was detected; `left.len()` is a multiple of 16; `out` has a place for each row. That the rows
            // lie within the table is checked there, row by row.
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => unsafe { avx2::dots(left, table, rows, out) },
        }
    }
}

/// A row, and the third that it belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnedRow {
    pub row: u16,
    pub owner: u16,
}

mod scalar {
    use super::OwnedRow;

    pub(super) fn sum_rows(sum: &mut [u16], table: &[u16], rows: &[u32]) {
        sum.fill(0);
        for &row in rows {
            let row = &table[row as usize * sum.len()..][..sum.len()];
            for (sum, &number) in sum.iter_mut().zip(row) {
                *sum += number;
            }
        }
    }

    pub(super) fn transpose(rows: &[&[u16]], out: &mut [u16]) {
        for (i, row) in rows.iter().enumerate() {
            for (&number, out) in row.iter().zip(out[i..].iter_mut().step_by(rows.len())) {
                *out = number;
            }
        }
    }

    pub(super) fn dots(left: &[u16], table: &[u16], rows: &[OwnedRow], out: &mut [u32]) {
        for (row, out) in rows.iter().zip(out) {
            let row = &table[usize::from(row.row) * left.len()..][..left.len()];
            *out = left.iter().zip(row).map(|(&a, &b)| u32::from(a) * u32::from(b)).sum();
        }
    }
}

/// Callers ensure that the processor has AVX2, that lengths are multiples of 16, and that rows lie within their tables:
/// every load and store below is of 16 numbers at a multiple of 16 within a row.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{LANES, OwnedRow};

    #[target_feature(enable = "avx2")]
    unsafe fn load(row: *const u16) -> __m256i {
        // SAFETY: the caller has 16 numbers there.
        unsafe { _mm256_loadu_si256(row.cast()) }
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn sum_rows(sum: &mut [u16], table: &[u16], rows: &[u32]) {
        const FOUR: usize = 4 * LANES;
        let fours = sum.len() / FOUR * FOUR;
        for at in (0..fours).step_by(FOUR) {
            // SAFETY: `at` to `at + 64` is within each row.
            unsafe { sum_columns::<4>(sum, table, rows, at) };
        }
        for at in (fours..sum.len()).step_by(LANES) {
            // SAFETY: `at` to `at + 16` is within each row.
            unsafe { sum_columns::<1>(sum, table, rows, at) };
        }
    }

    /// Sums `N` · 16 columns, in registers, from column `at` on.
    #[target_feature(enable = "avx2")]
    unsafe fn sum_columns<const N: usize>(sum: &mut [u16], table: &[u16], rows: &[u32], at: usize) {
        let (len, sum) = (sum.len(), sum.as_mut_ptr());
        // SAFETY: columns `at` to `at + N · 16` are within `sum` and within each row of the table.
        unsafe {
            let mut sums = [_mm256_setzero_si256(); N];
            for &row in rows {
                let row = table.as_ptr().add(row as usize * len + at);
                for (i, part) in sums.iter_mut().enumerate() {
                    *part = _mm256_add_epi16(*part, load(row.add(i * LANES)));
                }
            }
            for (i, part) in sums.iter().enumerate() {
                _mm256_storeu_si256(sum.add(at + i * LANES).cast(), *part);
            }
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn transpose(rows: &[&[u16]], out: &mut [u16]) {
        let stride = rows.len();
        let len = rows.first().map_or(0, |row| row.len());
        for i in (0..stride).step_by(LANES) {
            for c in (0..len).step_by(LANES) {
                // SAFETY: sixteen rows from i on have sixteen numbers from c on; `out` has room for `len` rows of
                // `stride` numbers, and so for sixteen of them, from row c on, with sixteen numbers from i on.
                unsafe {
                    let square = std::array::from_fn(|k| load(rows.get_unchecked(i + k).as_ptr().add(c)));
                    for (k, row) in transpose_square(square).into_iter().enumerate() {
                        _mm256_storeu_si256(out.as_mut_ptr().add((c + k) * stride + i).cast(), row);
                    }
                }
            }
        }
    }

    /// Transposes 16 × 16 numbers: pairs of rows are interleaved at widths 16, 32, 64 and 128 bits.
    #[target_feature(enable = "avx2")]
    fn transpose_square(r: [__m256i; 16]) -> [__m256i; 16] {
        let mut a = r;
        for i in 0..8 {
            a[i] = _mm256_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
            a[i + 8] = _mm256_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
        }
        // a[i]: numbers 0‥3 (and 8‥11) of rows 2i, 2i+1; a[i + 8]: numbers 4‥7 (and 12‥15).
        let mut b = a;
        for half in [0, 8] {
            for i in 0..4 {
                b[half + i] = _mm256_unpacklo_epi32(a[half + 2 * i], a[half + 2 * i + 1]);
                b[half + i + 4] = _mm256_unpackhi_epi32(a[half + 2 * i], a[half + 2 * i + 1]);
            }
        }
        // b[q + i] with q = 0, 4, 8, 12: numbers q/2, q/2 + 1 (and + 8) of rows 4i ‥ 4i+3.
        let mut c = b;
        for quarter in [0, 4, 8, 12] {
            for i in 0..2 {
                c[quarter + i] = _mm256_unpacklo_epi64(b[quarter + 2 * i], b[quarter + 2 * i + 1]);
                c[quarter + i + 2] = _mm256_unpackhi_epi64(b[quarter + 2 * i], b[quarter + 2 * i + 1]);
            }
        }
        // c[2n + i]: number n (and n + 8) of rows 8i ‥ 8i+7.
        let mut d = c;
        for n in 0..8 {
            d[n] = _mm256_permute2x128_si256::<0x20>(c[2 * n], c[2 * n + 1]);
            d[n + 8] = _mm256_permute2x128_si256::<0x31>(c[2 * n], c[2 * n + 1]);
        }
        d
    }

    /// `left` has a multiple of 16 numbers, and `out` a place for each row.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn dots(left: &[u16], table: &[u16], rows: &[OwnedRow], out: &mut [u32]) {
        let (fours, rest) = rows.as_chunks::<4>();
        let (outs, rest_out) = out.as_chunks_mut::<4>();
        for (four, out) in fours.iter().zip(outs) {
            // SAFETY: the caller's promise about `left`.
            *out = unsafe { four_dots(left, table, four) };
        }
        if let Some(&first) = rest.first() {
            let mut four = [first; 4];
            four[..rest.len()].copy_from_slice(rest);
            // SAFETY: as above.
            let sums = unsafe { four_dots(left, table, &four) };
            rest_out.copy_from_slice(&sums[..rest.len()]);
        }
    }

    /// Four dot products, which share the loads of `left`.
    #[target_feature(enable = "avx2")]
    unsafe fn four_dots(left: &[u16], table: &[u16], rows: &[OwnedRow; 4]) -> [u32; 4] {
        let len = left.len();
        // Slicing checks that the rows lie within the table.
        let rows = rows.map(|row| table[usize::from(row.row) * len..][..len].as_ptr());
        let mut sums = [_mm256_setzero_si256(); 4];
        for at in (0..len).step_by(LANES) {
            // SAFETY: `at` to `at + 16` is within `left` and within each of the rows.
            unsafe {
                let left = load(left.as_ptr().add(at));
                for (sum, row) in sums.iter_mut().zip(rows) {
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(left, load(row.add(at))));
                }
            }
        }
        let [a, b, c, d] = sums;
        let sums = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let mut out = [0; 4];
        // SAFETY: `out` has four numbers of 32 bits.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), sums) };
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_table() -> impl Strategy<Value = (usize, Vec<u16>)> {
        (1usize..9, 1usize..40).prop_flat_map(|(sixteens, rows)| {
            let len = sixteens * LANES;
            (Just(len), proptest::collection::vec(0..=MAX_ENTRY, len * rows))
        })
    }

    proptest! {
        #[test]
        fn scalar_and_vector_paths_give_the_numbers_of_the_definitions(
            (len, table) in any_table(),
            picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..37),
        ) {
            let row = |number: u32| &table[number as usize * len..][..len];
            let numbers: Vec<u32> = picks.iter().map(|pick| pick.index(table.len() / len) as u32).collect();
            let owned: Vec<OwnedRow> = numbers.iter().map(|&row| OwnedRow { row: row as u16, owner: 9 }).collect();
            let padded = numbers.len().next_multiple_of(LANES);
            let rows: Vec<&[u16]> = numbers.iter().copied().chain([0; LANES]).take(padded).map(row).collect();
            for kernel in [Kernel::Scalar, Kernel::best()] {
                let mut dots = vec![7; numbers.len()];
                kernel.dots(row(0), &table, &owned, &mut dots);
                let dot = |&number: &u32| row(0).iter().zip(row(number)).map(|(&a, &b)| u32::from(a) * u32::from(b)).sum();
                prop_assert_eq!(dots, numbers.iter().map(dot).collect::<Vec<u32>>());

                let mut sums = vec![3; len];
                kernel.sum_rows(&mut sums, &table, &numbers);
                let sum = |column: usize| numbers.iter().map(|&number| row(number)[column]).sum();
                prop_assert_eq!(sums, (0..len).map(sum).collect::<Vec<u16>>());

                let mut transposed = vec![5; padded * len];
                kernel.transpose(&rows, &mut transposed);
                prop_assert!((0..padded * len).all(|at| transposed[at] == rows[at % padded][at / padded]));
            }
        }
    }

    #[test]
    fn the_largest_dot_product_fits() {
        let row = vec![MAX_ENTRY; MAX_TERMS];
        for kernel in [Kernel::Scalar, Kernel::best()] {
            let mut out = [0; 5];
            kernel.dots(&row, &row, &[OwnedRow::default(); 5], &mut out);
            assert_eq!(out, [MAX_TERMS as u32 * 1728 * 1728; 5]);
        }
    }
}
