//! What has been counted before: remainders of the search and how many solutions each has.
//!
//! What is left of a puzzle at a node is its open cells and their candidates. Two nodes that differ only in which values
//! are which have the same number of solutions below them, so a remainder is written down as the sorted list of the places
//! of each value. A node whose remainder has been counted need not be searched again. On a sparse board, with many values
//! that are interchangeable, most nodes are such.
//!
//! The memory is a table of fixed size, whose entries hold the whole remainder: a hash says where to look, and only the
//! comparison of all words whether it is the same. Of two entries that want the same place, the one that was more work
//! stays; next to it is a place for the latest.

use super::super::CacheUse;

/// Looks between two times at which it is asked whether the table pays.
const TRIAL: u64 = 1 << 12;

/// A table of remainders.
pub(super) struct Cache {
    /// Words of a remainder.
    words: usize,
    /// The most pairs of entries: a power of two. None where it does not pay, or there is no memory for one.
    most: usize,
    /// The pairs there are: also a power of two. They grow with what is kept.
    pairs: usize,
    table: Vec<u64>,
    /// What was kept since it last grew.
    kept: usize,
    /// Nodes that need not be searched again, thanks to what was found in this trial.
    saved: u64,
    seen: CacheUse,
    told: CacheUse,
}

/// Words of an entry besides the remainder: the count in two halves, and the nodes it took.
const EXTRA: usize = 3;

impl Cache {
    /// A table for remainders of so many words, in at most so many bytes.
    pub(super) fn new(words: usize, bytes: usize) -> Cache {
        let pair = 2 * (words + EXTRA) * size_of::<u64>();
        let fits = bytes / pair;
        let most = if words == 0 || fits == 0 { 0 } else { 1 << fits.ilog2() };
        Cache {
            words,
            most,
            pairs: 0,
            table: Vec::new(),
            kept: 0,
            saved: 0,
            seen: CacheUse::default(),
            told: CacheUse::default(),
        }
    }

    /// Whether it is worth looking.
    #[inline(always)]
    pub(super) fn pays(&self) -> bool {
        self.most > 0
    }

    /// What it has been used for since this was last asked.
    pub(super) fn news(&mut self) -> CacheUse {
        let (now, before) = (self.seen, std::mem::replace(&mut self.told, self.seen));
        CacheUse { looks: now.looks - before.looks, hits: now.hits - before.hits, bytes: now.bytes - before.bytes }
    }

    /// The number of solutions of a remainder, if it is known.
    pub(super) fn find(&mut self, remainder: &[u64]) -> Option<u128> {
        if !self.pays() {
            return None;
        }
        if self.kept >= self.pairs && self.pairs < self.most {
            self.grow();
        }
        self.seen.looks += 1;
        let pair = self.pair(remainder);
        let mut entries = self.table[pair].chunks_exact(self.words + EXTRA);
        let found = entries.find(|entry| entry[..self.words] == *remainder);
        let found = found.and_then(|entry| entry[self.words..].first_chunk::<EXTRA>());
        let found = found.map(|&[low, high, nodes]| {
            self.seen.hits += 1;
            self.saved += nodes;
            u128::from(high) << 64 | u128::from(low)
        });
        if self.seen.looks.is_multiple_of(TRIAL) && std::mem::take(&mut self.saved) < TRIAL * self.nodes_per_look() {
            (self.most, self.pairs, self.table) = (0, 0, Vec::new());
        }
        found
    }

    /// Makes the table larger, and moves what it holds.
    fn grow(&mut self) {
        const FIRST: usize = 1 << 10;
        self.pairs = if self.pairs == 0 { self.most.min(FIRST) } else { self.most.min(4 * self.pairs) };
        let larger = vec![0; self.pairs * 2 * (self.words + EXTRA)];
        // While it moves, both are there; but the old one is a quarter of the new one, and goes.
        let old = std::mem::replace(&mut self.table, larger);
        self.seen.bytes = (self.table.len() * size_of::<u64>()) as u64;
        for entry in old.chunks_exact(self.words + EXTRA).filter(|entry| entry.iter().any(|&word| word != 0)) {
            let count = u128::from(entry[self.words + 1]) << 64 | u128::from(entry[self.words]);
            self.keep(&entry[..self.words], count, entry[self.words + 2]);
        }
        self.kept = 0;
    }

    /// A look and what is written down afterwards take about as long as so many nodes.
    fn nodes_per_look(&self) -> u64 {
        3 + self.words as u64 / 8
    }

    /// Writes down how many solutions a remainder has, and how many nodes it took to find out.
    pub(super) fn keep(&mut self, remainder: &[u64], solutions: u128, nodes: u64) {
        if self.table.is_empty() {
            return; // it has turned out not to pay
        }
        self.kept += 1;
        let (len, pair) = (self.words + EXTRA, self.pair(remainder));
        let (first, second) = self.table[pair].split_at_mut(len);
        let entry = if nodes >= first[len - 1] { first } else { second };
        entry[..self.words].copy_from_slice(remainder);
        entry[self.words..].copy_from_slice(&[solutions as u64, (solutions >> 64) as u64, nodes]);
    }

    /// Where a remainder may stand.
    fn pair(&self, remainder: &[u64]) -> std::ops::Range<usize> {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let mix = |hash: u64, &word: &u64| (hash.rotate_left(29) ^ word).wrapping_mul(ODD);
        let hash = remainder.iter().fold(0, mix);
        let pair = (hash >> 32) as usize & (self.pairs - 1);
        let len = 2 * (self.words + EXTRA);
        pair * len..(pair + 1) * len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn whatever_is_found_is_what_was_kept(
            bytes in 100usize..5000,
            keeps in proptest::collection::vec((1u64..40, 1u64..3, 0u64..9), 0..200),
        ) {
            let mut cache = Cache::new(2, bytes);
            let mut truth = HashMap::new();
            for (a, b, nodes) in keeps {
                let solutions = u128::from(a) << 70 | u128::from(b);
                let _ = cache.find(&[a, b]);
                cache.keep(&[a, b], solutions, nodes);
                truth.insert([a, b], solutions);
                for (remainder, &solutions) in &truth {
                    let found = cache.find(remainder);
                    prop_assert!(found.is_none_or(|found| found == solutions));
                }
                let found = cache.find(&[a, b]);
                prop_assert_eq!(found, Some(solutions).filter(|_| cache.pays() || found.is_some()));
            }
            prop_assert!(cache.news().bytes <= bytes as u64);
        }
    }

    #[test]
    fn a_table_in_which_nothing_is_found_is_given_up() {
        let mut cache = Cache::new(1, 1 << 20);
        for word in 1..=TRIAL {
            assert!(cache.pays());
            assert_eq!(cache.find(&[word]), None);
            cache.keep(&[word], 1, 1);
        }
        assert!(!cache.pays());
        assert_eq!(cache.news().looks, TRIAL);
    }

    #[test]
    fn no_memory_is_no_table() {
        assert!(!Cache::new(1, 0).pays() && !Cache::new(0, 1 << 20).pays());
    }
}
