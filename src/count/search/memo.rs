//! The memo table: numbers of solutions of residual states ("The memo table" in `docs/search.md`).
//!
//! The table has a bounded size. An entry holds the complete residual state: a hash selects the place, and a comparison
//! of all words decides. A place has two entries: one for the state that took the most nodes, and one for the latest.

use crate::CacheStats;

/// Lookups of a trial, after which the benefit of the table is evaluated.
const TRIAL: u64 = 1 << 12;
/// Trials without a hit before the table pauses: it starts empty, and hits come in bursts.
const DEBT_TRIALS: i64 = 2;
/// Branches for which a table without benefit pauses; four times as many each time.
const FIRST_PAUSE: u64 = 128 * TRIAL;

#[derive(Default)]
pub(super) struct MemoTable {
    /// Words of a residual state.
    words: usize,
    /// The most pairs of entries: a power of two. 0 without a table or memory.
    max_pairs: usize,
    /// The allocated pairs: a power of two. They grow with the number of insertions.
    pairs: usize,
    table: Vec<u64>,
    /// Insertions since the table last grew.
    inserted: usize,
    /// Nodes saved by hits in this trial.
    saved: u64,
    /// Nodes saved minus the cost of lookups, bounded.
    balance: i64,
    /// Branches left of this pause, and the length of the next.
    pause: u64,
    next_pause: u64,
    lookups: u64,
    /// The use since [`MemoTable::take_stats`].
    stats: CacheStats,
}

/// Words of an entry besides the residual state: the count in two halves, and the nodes it took.
const PAYLOAD: usize = 3;

impl MemoTable {
    /// `words` of a residual state, at most `bytes` of memory.
    pub(super) fn new(words: usize, bytes: usize) -> MemoTable {
        let pair = 2 * (words + PAYLOAD) * size_of::<u64>();
        let fits = bytes / pair;
        let max_pairs = if words == 0 || fits == 0 { 0 } else { 1 << fits.ilog2() };
        MemoTable { words, max_pairs, next_pause: FIRST_PAUSE, ..MemoTable::default() }
    }

    /// Whether to look up this branch. Advances a pause.
    #[inline(always)]
    pub(super) fn should_lookup(&mut self) -> bool {
        if self.max_pairs == 0 {
            return false;
        }
        let should_lookup = self.pause == 0;
        self.pause -= u64::from(!should_lookup);
        should_lookup
    }

    pub(super) fn take_stats(&mut self) -> CacheStats {
        std::mem::take(&mut self.stats)
    }

    pub(super) fn lookup(&mut self, residual: &[u64]) -> Option<u128> {
        if self.inserted >= self.pairs && self.pairs < self.max_pairs {
            self.grow();
        }
        if self.max_pairs == 0 {
            return None;
        }
        self.lookups += 1;
        self.stats.lookups += 1;
        let found = self.get(residual).map(|[low, high, nodes]| {
            self.stats.hits += 1;
            self.saved = self.saved.saturating_add(nodes);
            u128::from(high) << 64 | u128::from(low)
        });
        if self.lookups.is_multiple_of(TRIAL) {
            self.adapt();
        }
        found
    }

    /// The payload of a residual state, if all of its words are equal.
    #[inline(always)]
    fn get(&self, residual: &[u64]) -> Option<[u64; PAYLOAD]> {
        let mut entries = self.table[self.pair(residual)].chunks_exact(self.words + PAYLOAD);
        let found = entries.find(|entry| entry[..self.words] == *residual)?;
        found[self.words..].first_chunk().copied()
    }

    /// At the end of a trial: pauses if the table has not paid for some time.
    fn adapt(&mut self) {
        let cost = (TRIAL * self.nodes_per_lookup()) as i64;
        let saved = i64::try_from(std::mem::take(&mut self.saved)).unwrap_or(i64::MAX);
        // The bound limits the influence of old savings.
        self.balance = saved.saturating_add(self.balance - cost).min(DEBT_TRIALS * cost);
        if self.balance <= -DEBT_TRIALS * cost {
            self.balance = 0;
            self.pause = self.next_pause;
            self.next_pause = self.next_pause.saturating_mul(4);
        }
    }

    fn grow(&mut self) {
        const FIRST: usize = 1 << 10;
        let pairs = if self.pairs == 0 { FIRST } else { 4 * self.pairs };
        if !self.grow_to(pairs.min(self.max_pairs)) {
            self.max_pairs = self.pairs; // out of memory: keep the present size
        }
        self.inserted = 0;
    }

    /// Grows the table in place, so that there are never two copies. `false`: out of memory.
    fn grow_to(&mut self, pairs: usize) -> bool {
        let entry = self.words + PAYLOAD;
        let len = pairs.saturating_mul(2 * entry);
        if self.table.try_reserve_exact(len - self.table.len()).is_err() {
            return false;
        }
        self.stats.bytes += ((len - self.table.len()) * size_of::<u64>()) as u64;
        self.table.resize(len, 0);
        let before = std::mem::replace(&mut self.pairs, pairs);
        for old in 0..before * 2 {
            let here = old * entry..(old + 1) * entry;
            let residual = &self.table[here.start..here.start + self.words];
            // More bits of the hash select the pair: an entry stays in its pair, or moves to one of the new pairs that
            // receives entries of this pair only.
            let new = self.pair(residual).start + old % 2 * entry;
            if new != here.start && residual.iter().any(|&word| word != 0) {
                self.table.copy_within(here.clone(), new);
                self.table[here].fill(0);
            }
        }
        true
    }

    /// The cost of a lookup and an insertion, in nodes.
    fn nodes_per_lookup(&self) -> u64 {
        3 + self.words as u64 / 8
    }

    /// `nodes` is the number of nodes that the count took.
    pub(super) fn insert(&mut self, residual: &[u64], solutions: u128, nodes: u64) {
        if self.table.is_empty() {
            return; // out of memory
        }
        self.inserted += 1;
        let (len, pair) = (self.words + PAYLOAD, self.pair(residual));
        let (first, second) = self.table[pair].split_at_mut(len);
        let entry = if nodes >= first[len - 1] { first } else { second };
        entry[..self.words].copy_from_slice(residual);
        entry[self.words..].copy_from_slice(&[solutions as u64, (solutions >> 64) as u64, nodes]);
    }

    fn pair(&self, residual: &[u64]) -> std::ops::Range<usize> {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let mix = |hash: u64, &word: &u64| (hash.rotate_left(29) ^ word).wrapping_mul(ODD);
        let hash = residual.iter().fold(0, mix);
        let pair = (hash >> 32) as usize & (self.pairs - 1);
        let len = 2 * (self.words + PAYLOAD);
        pair * len..(pair + 1) * len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    /// Lookups of states that are not in the table.
    fn miss(memo: &mut MemoTable, words: std::ops::Range<u64>) {
        for word in words {
            assert!(memo.should_lookup());
            assert_eq!(memo.lookup(&[word]), None);
            memo.insert(&[word], 1, 1);
        }
    }

    #[test]
    fn a_table_without_hits_pauses_longer_each_time() {
        let mut memo = MemoTable::new(1, 1 << 20);
        let trials = DEBT_TRIALS as u64 * TRIAL;
        for (turn, pause) in [FIRST_PAUSE, 4 * FIRST_PAUSE].into_iter().enumerate() {
            let first = 1 + turn as u64 * trials;
            miss(&mut memo, first..first + trials);
            assert!((0..pause).all(|_| !memo.should_lookup()));
        }
        assert!(memo.should_lookup());
        assert_eq!(memo.take_stats().lookups, 2 * trials);
    }

    #[test]
    fn a_table_that_pays_after_a_cold_start_does_not_pause() {
        let mut memo = MemoTable::new(1, 1 << 20);
        miss(&mut memo, 1..1 + TRIAL);
        memo.insert(&[1], 5 << 70 | 3, 3 * TRIAL * memo.nodes_per_lookup());
        assert_eq!(memo.lookup(&[1]), Some(5 << 70 | 3));
        miss(&mut memo, 1 + TRIAL..3 * TRIAL);
        assert!(memo.should_lookup());
    }

    #[test]
    fn a_table_grows_within_its_bytes_and_loses_no_entry() {
        let bytes = 1 << 20;
        let mut memo = MemoTable::new(1, bytes);
        let mut grown = 0;
        for word in 1..=20_000 {
            if memo.inserted >= memo.pairs && memo.pairs < memo.max_pairs {
                let all = |memo: &MemoTable| (1..word).map(|word| memo.get(&[word])).collect::<Vec<_>>();
                let before = if grown == 0 { Vec::new() } else { all(&memo) };
                memo.grow();
                assert_eq!(all(&memo), before);
                assert!(grown == 0 || before.iter().flatten().count() > word as usize / 2);
                grown += 1;
            }
            memo.insert(&[word], word.into(), word);
            assert_eq!(memo.get(&[word]), Some([word, 0, word]));
        }
        assert!((1..=20_000).all(|word| memo.get(&[word]).is_none_or(|entry| entry == [word, 0, word])));
        assert!(grown == 3 && memo.table.capacity() * 8 <= bytes, "{grown}");
        assert!(memo.take_stats().bytes <= bytes as u64);
    }

    #[test]
    fn without_memory_a_table_keeps_its_size_or_is_none() {
        let mut memo = MemoTable::new(1, 1 << 20);
        miss(&mut memo, 1..100);
        assert!(!memo.grow_to(1 << 56) && !memo.grow_to(usize::MAX));
        assert_eq!(memo.lookup(&[99]), Some(1));
        assert!(!MemoTable::new(1, 0).should_lookup() && !MemoTable::new(0, 1 << 20).should_lookup());
    }
}
