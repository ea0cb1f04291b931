//! A CDCL solver (conflict-driven clause learning) on an exact cover: is there a solution with these candidates?
//!
//! A chosen candidate rules out all that share a set with it, and the last candidate left in a set is chosen. Learned
//! clauses follow from the puzzle alone. Effort is measured in steps, not seconds, so that the solver gives up at the
//! same point on every machine.
//!
//! (J. P. Marques-Silva, K. A. Sakallah, GRASP, 1999; M. W. Moskewicz et al., Chaff, 2001: watched literals, VSIDS; G.
//! Audemard, L. Simon, Glucose, 2009: literal block distance.)

mod clause;
mod heap;
mod propagate;

use crate::search::boards::large::cover::Cover;
use heap::ActivityHeap;

/// A literal: `2 * candidate` means chosen, `2 * candidate + 1` ruled out.
pub(crate) type Lit = u32;

pub(crate) fn chosen(candidate: u32) -> Lit {
    2 * candidate
}

pub(crate) fn ruled_out(candidate: u32) -> Lit {
    2 * candidate + 1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A decision, or true at level 0.
    Decision,
    /// The last candidate left in this set.
    LastInSet(u32),
    /// Ruled out by this chosen candidate, which shares a set with it.
    Excluded(u32),
    /// All other literals of this clause are false.
    Clause(u32),
}

/// An assigned candidate, and a reason for the opposite.
pub(crate) type Conflict = (u32, Reason);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolveResult {
    /// The chosen candidates are a solution: see [`Cdcl::is_chosen`].
    Sat,
    Unsat,
    /// The step limit was reached, or the solver was stopped.
    Unknown,
}

/// A disjunction of literals; the first two are watched.
pub(crate) struct Clause {
    pub lits: Vec<Lit>,
    /// The literal block distance when it was learned: the number of decision levels among its literals. Clauses with a low
    /// one are the most useful.
    pub lbd: u32,
}

/// Conflicts between two restarts, times a member of the Luby sequence 1 1 2 1 1 2 4 … (M. Luby et al., 1993).
const CONFLICTS_PER_RESTART: u64 = 64;
/// Clauses kept before the first reduction, and how many more after each.
const FIRST_CLAUSES: usize = 4000;
const MORE_CLAUSES: usize = 300;
/// Clauses with at most this literal block distance are never removed.
const MAX_LBD_KEPT: u32 = 2;

/// Steps between two polls of `stop`: some milliseconds.
const STEPS_BETWEEN_POLLS: u64 = 1_000_000;

pub(crate) struct Cdcl<'a> {
    pub cover: &'a Cover,
    /// 1: chosen, −1: ruled out, 0: unassigned.
    values: Vec<i8>,
    pub level_of: Vec<u32>,
    pub reason: Vec<Reason>,
    /// The true literals in the order of their assignment, and the trail index at which each decision level begins.
    pub trail: Vec<Lit>,
    level_starts: Vec<usize>,
    /// Literals of the trail that were propagated.
    propagated: usize,
    /// For each set, the number of its candidates that are not ruled out, and the XOR of their numbers: when one is left,
    /// that is its number.
    left: Vec<u32>,
    xor: Vec<u32>,
    pub clauses: Vec<Clause>,
    max_clauses: usize,
    watches: Vec<Vec<u32>>,
    pub heap: ActivityHeap,
    pub seen: Vec<bool>,
    pub steps: u64,
    next_poll: u64,
    contradiction: bool,
}

impl<'a> Cdcl<'a> {
    pub(crate) fn new(cover: &'a Cover) -> Cdcl<'a> {
        let candidates = cover.sets.len();
        let (left, xor) = (0..cover.members.len() as u32)
            .map(|set| cover.members.of(set))
            .map(|members| (members.len() as u32, members.iter().fold(0, |xor, member| xor ^ member)))
            .unzip();
        // Before the first conflict, candidates in small sets come first.
        let weight = |set: &u32| 1e-3 / cover.members.of(*set).len() as f64;
        let activity = (0..candidates as u32).map(|candidate| cover.sets.of(candidate).iter().map(weight).sum());
        Cdcl {
            cover,
            values: vec![0; candidates],
            level_of: vec![0; candidates],
            reason: vec![Reason::Decision; candidates],
            trail: Vec::with_capacity(candidates),
            level_starts: Vec::new(),
            propagated: 0,
            left,
            xor,
            clauses: Vec::new(),
            max_clauses: FIRST_CLAUSES,
            watches: vec![Vec::new(); 2 * candidates],
            heap: ActivityHeap::new(activity.collect()),
            seen: vec![false; candidates],
            steps: 0,
            next_poll: 0,
            contradiction: false,
        }
    }

    pub(crate) fn is_chosen(&self, candidate: usize) -> bool {
        self.values[candidate] == 1
    }

    /// Whether the candidate is ruled out at decision level 0.
    pub(crate) fn is_ruled_out(&self, candidate: usize) -> bool {
        self.contradiction || self.values[candidate] == -1 && self.level_of[candidate] == 0
    }

    pub(crate) fn decision_level(&self) -> usize {
        self.level_starts.len()
    }

    /// Searches a solution in which `assumed` holds, for about so many steps, or until `stop`.
    pub(crate) fn solve(&mut self, assumed: Option<Lit>, steps: u64, stop: &dyn Fn() -> bool) -> SolveResult {
        let until = self.steps.saturating_add(steps);
        let (mut starts, mut conflicts) = (1, 0);
        self.backtrack(0);
        while !self.contradiction {
            if self.steps > until || self.is_stopped(stop) {
                return SolveResult::Unknown;
            }
            if let Some(conflict) = self.propagate() {
                conflicts += 1;
                if self.decision_level() == 0 {
                    self.contradiction = true;
                    break;
                }
                self.learn(conflict);
                continue;
            }
            if conflicts >= CONFLICTS_PER_RESTART * luby(starts) {
                (starts, conflicts) = (starts + 1, 0);
                self.backtrack(0);
                self.reduce_clauses();
                continue;
            }
            let guess = match assumed {
                Some(lit) if self.decision_level() == 0 => match self.value(lit) {
                    -1 => return SolveResult::Unsat,
                    _ => Some(lit),
                },
                // Choosing a candidate propagates more than ruling it out.
                _ => self.next_decision().map(chosen),
            };
            let Some(guess) = guess else { return SolveResult::Sat };
            self.level_starts.push(self.trail.len());
            if self.value(guess) == 0 {
                self.assign(guess, Reason::Decision);
            }
        }
        SolveResult::Unsat
    }

    pub(crate) fn rule_out(&mut self, candidate: u32) {
        self.backtrack(0);
        match self.values[candidate as usize] {
            0 => self.assign(ruled_out(candidate), Reason::Decision),
            1 => self.contradiction = true,
            _ => {}
        }
        self.contradiction |= self.propagate().is_some();
    }

    fn is_stopped(&mut self, stop: &dyn Fn() -> bool) -> bool {
        let poll = self.steps >= self.next_poll;
        if poll {
            self.next_poll = self.steps + STEPS_BETWEEN_POLLS;
        }
        poll && stop()
    }

    fn next_decision(&mut self) -> Option<u32> {
        std::iter::from_fn(|| self.heap.pop()).find(|&candidate| self.values[candidate as usize] == 0)
    }

    /// 1: true, −1: false, 0: unassigned.
    #[inline(always)]
    pub(crate) fn value(&self, lit: Lit) -> i8 {
        let value = self.values[(lit / 2) as usize];
        if lit & 1 == 0 { value } else { -value }
    }

    pub(crate) fn assign(&mut self, lit: Lit, reason: Reason) {
        let candidate = (lit / 2) as usize;
        self.values[candidate] = if lit & 1 == 0 { 1 } else { -1 };
        self.level_of[candidate] = self.level_starts.len() as u32;
        self.reason[candidate] = reason;
        self.trail.push(lit);
    }

    /// Undoes all decision levels above `level`.
    pub(crate) fn backtrack(&mut self, level: usize) {
        let Some(&start) = self.level_starts.get(level) else { return };
        for at in (start..self.trail.len()).rev() {
            let lit = self.trail[at];
            let candidate = lit / 2;
            if lit & 1 == 1 && at < self.propagated {
                for &set in self.cover.sets.of(candidate) {
                    self.left[set as usize] += 1;
                    self.xor[set as usize] ^= candidate;
                }
            }
            self.values[candidate as usize] = 0;
            self.heap.insert(candidate);
        }
        self.trail.truncate(start);
        self.propagated = self.propagated.min(start);
        self.level_starts.truncate(level);
    }

    /// The first literal must be the one that the clause implies now, the second one of the highest level among the others.
    pub(crate) fn add_clause(&mut self, clause: Clause) -> Reason {
        let number = self.clauses.len() as u32;
        let &[first, second, ..] = clause.lits.as_slice() else { return Reason::Decision };
        self.watches[first as usize].push(number);
        self.watches[second as usize].push(number);
        self.clauses.push(clause);
        Reason::Clause(number)
    }

    /// Removes up to half of the clauses, the least useful first, when there are too many. Only at decision level 0.
    fn reduce_clauses(&mut self) {
        if self.clauses.len() < self.max_clauses {
            return;
        }
        self.max_clauses += MORE_CLAUSES;
        let mut clauses = std::mem::take(&mut self.clauses);
        clauses.sort_by_key(|clause| (clause.lbd, clause.lits.len()));
        let half = clauses.len() / 2;
        let keep = clauses.partition_point(|clause| clause.lbd <= MAX_LBD_KEPT).max(half);
        clauses.truncate(keep);
        self.watches.iter_mut().for_each(Vec::clear);
        // Literals of level 0 need no reason.
        for &lit in &self.trail {
            self.reason[(lit / 2) as usize] = Reason::Decision;
        }
        for mut clause in clauses {
            if clause.lits.iter().all(|&lit| self.value(lit) != 1) {
                clause.lits.retain(|&lit| self.values[(lit / 2) as usize] == 0);
                self.add_clause(clause);
            }
        }
    }
}

/// The Luby sequence 1 1 2 1 1 2 4 1 1 2 …; `number` counts from 1.
fn luby(mut number: u64) -> u64 {
    loop {
        let power = (number + 1).next_power_of_two();
        if power == number + 1 {
            return power / 2;
        }
        number -= power / 2 - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn the_luby_sequence_of_restarts() {
        let sequence: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
