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

use crate::CacheStats;

/// Looks between two times at which it is asked whether the table pays.
const TRIAL: u64 = 1 << 12;
/// Trials without a find for which a table may be in debt: at the start nothing is known, and finds come in bursts.
const PATIENCE: i64 = 2;
/// Branches without a look after which a table that did not pay is tried again; four times as many each time.
const FIRST_PAUSE: u64 = 128 * TRIAL;

/// A table of remainders.
pub(super) struct Cache {
    /// Words of a remainder.
    words: usize,
    /// The most pairs of entries: a power of two. None where nothing is to be remembered, or there is no memory.
    most: usize,
    /// The pairs there are: also a power of two. They grow with what is kept.
    pairs: usize,
    table: Vec<u64>,
    /// What was kept since it last grew.
    kept: usize,
    /// Nodes that need not be searched again, thanks to what was found in this trial.
    saved: u64,
    /// Nodes saved, less what the lookups have cost, within bounds.
    balance: i64,
    /// Branches that still pass without a look, and how many will the next time that it does not pay.
    pause: u64,
    next_pause: u64,
    seen: CacheStats,
    told: CacheStats,
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
            balance: 0,
            pause: 0,
            next_pause: FIRST_PAUSE,
            seen: CacheStats::default(),
            told: CacheStats::default(),
        }
    }

    /// Whether it is worth looking at this branch.
    #[inline(always)]
    pub(super) fn pays(&mut self) -> bool {
        if self.most == 0 {
            return false;
        }
        let pays = self.pause == 0;
        self.pause -= u64::from(!pays);
        pays
    }

    /// What it has been used for since this was last asked.
    pub(super) fn news(&mut self) -> CacheStats {
        let (now, before) = (self.seen, std::mem::replace(&mut self.told, self.seen));
        CacheStats {
            lookups: now.lookups - before.lookups,
            hits: now.hits - before.hits,
            bytes: now.bytes - before.bytes,
        }
    }

    /// The number of solutions of a remainder, if it is known.
    pub(super) fn find(&mut self, remainder: &[u64]) -> Option<u128> {
        if self.kept >= self.pairs && self.pairs < self.most {
            self.grow();
        }
        if self.most == 0 {
            return None;
        }
        self.seen.lookups += 1;
        let found = self.get(remainder).map(|[low, high, nodes]| {
            self.seen.hits += 1;
            self.saved = self.saved.saturating_add(nodes);
            u128::from(high) << 64 | u128::from(low)
        });
        if self.seen.lookups.is_multiple_of(TRIAL) {
            self.judge();
        }
        found
    }

    /// What stands beside a remainder, if it is there: all of its words have to be the same.
    #[inline(always)]
    fn get(&self, remainder: &[u64]) -> Option<[u64; EXTRA]> {
        let mut entries = self.table[self.pair(remainder)].chunks_exact(self.words + EXTRA);
        let found = entries.find(|entry| entry[..self.words] == *remainder)?;
        found[self.words..].first_chunk().copied()
    }

    /// At the end of a trial: pauses if it has not paid for some time.
    fn judge(&mut self) {
        let cost = (TRIAL * self.nodes_per_look()) as i64;
        let saved = i64::try_from(std::mem::take(&mut self.saved)).unwrap_or(i64::MAX);
        // However much it once saved, it is soon noticed when it does not any more.
        self.balance = saved.saturating_add(self.balance - cost).min(PATIENCE * cost);
        if self.balance <= -PATIENCE * cost {
            self.balance = 0;
            self.pause = self.next_pause;
            self.next_pause = self.next_pause.saturating_mul(4);
        }
    }

    /// Makes the table larger, if there is memory for it.
    fn grow(&mut self) {
        const FIRST: usize = 1 << 10;
        let pairs = if self.pairs == 0 { FIRST } else { 4 * self.pairs };
        if !self.grow_to(pairs.min(self.most)) {
            self.most = self.pairs; // it stays as it is
        }
        self.kept = 0;
    }

    /// Makes the table larger where it stands, so that there are never two of it. `false`: there is no memory.
    fn grow_to(&mut self, pairs: usize) -> bool {
        let entry = self.words + EXTRA;
        let len = pairs.saturating_mul(2 * entry);
        if self.table.try_reserve_exact(len - self.table.len()).is_err() {
            return false;
        }
        self.table.resize(len, 0);
        self.seen.bytes = (len * size_of::<u64>()) as u64;
        let before = std::mem::replace(&mut self.pairs, pairs);
        for old in 0..before * 2 {
            let here = old * entry..(old + 1) * entry;
            let remainder = &self.table[here.start..here.start + self.words];
            // More digits of the hash say where it belongs: in its old pair, or in one of the new ones, to which nothing comes
            // from anywhere else.
            let new = self.pair(remainder).start + old % 2 * entry;
            if new != here.start && remainder.iter().any(|&word| word != 0) {
                self.table.copy_within(here.clone(), new);
                self.table[here].fill(0);
            }
        }
        true
    }

    /// A look and what is written down afterwards take about as long as so many nodes.
    fn nodes_per_look(&self) -> u64 {
        3 + self.words as u64 / 8
    }

    /// Writes down how many solutions a remainder has, and how many nodes it took to find out.
    pub(super) fn keep(&mut self, remainder: &[u64], solutions: u128, nodes: u64) {
        if self.table.is_empty() {
            return; // there was no memory for it
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

    /// So many lookups at what has not been seen before.
    fn look_in_vain(cache: &mut Cache, words: std::ops::Range<u64>) {
        for word in words {
            assert!(cache.pays());
            assert_eq!(cache.find(&[word]), None);
            cache.keep(&[word], 1, 1);
        }
    }

    #[test]
    fn a_table_in_which_nothing_is_found_pauses_longer_each_time() {
        let mut cache = Cache::new(1, 1 << 20);
        let trials = PATIENCE as u64 * TRIAL;
        for (turn, pause) in [FIRST_PAUSE, 4 * FIRST_PAUSE].into_iter().enumerate() {
            let first = 1 + turn as u64 * trials;
            look_in_vain(&mut cache, first..first + trials);
            assert!((0..pause).all(|_| !cache.pays()));
        }
        assert!(cache.pays());
        assert_eq!(cache.news().lookups, 2 * trials);
    }

    #[test]
    fn a_table_that_pays_after_a_cold_start_does_not_pause() {
        let mut cache = Cache::new(1, 1 << 20);
        look_in_vain(&mut cache, 1..1 + TRIAL);
        cache.keep(&[1], 5, 3 * TRIAL * cache.nodes_per_look());
        assert_eq!(cache.find(&[1]), Some(5));
        look_in_vain(&mut cache, 1 + TRIAL..3 * TRIAL);
        assert!(cache.pays());
    }

    #[test]
    fn a_table_grows_within_its_bytes_and_loses_nothing_on_the_way() {
        let bytes = 1 << 20;
        let mut cache = Cache::new(1, bytes);
        let mut grown = 0;
        for word in 1..=20_000 {
            if cache.kept >= cache.pairs && cache.pairs < cache.most {
                let all = |cache: &Cache| (1..word).map(|word| cache.get(&[word])).collect::<Vec<_>>();
                let before = if grown == 0 { Vec::new() } else { all(&cache) };
                cache.grow();
                assert_eq!(all(&cache), before);
                assert!(grown == 0 || before.iter().flatten().count() > word as usize / 2);
                grown += 1;
            }
            cache.keep(&[word], word.into(), word);
            assert_eq!(cache.get(&[word]), Some([word, 0, word]));
        }
        assert!(grown == 3 && cache.table.capacity() * 8 <= bytes, "{grown}");
    }

    #[test]
    fn where_there_is_no_memory_a_table_stays_as_it_is() {
        let mut cache = Cache::new(1, 1 << 20);
        look_in_vain(&mut cache, 1..100);
        assert!(!cache.grow_to(1 << 56) && !cache.grow_to(usize::MAX));
        assert_eq!(cache.find(&[99]), Some(1));
    }

    #[test]
    fn no_memory_is_no_table() {
        assert!(!Cache::new(1, 0).pays() && !Cache::new(0, 1 << 20).pays());
    }
}
