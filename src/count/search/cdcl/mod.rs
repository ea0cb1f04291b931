//! Learning from dead ends: is there a solution with these candidates? (Conflict-driven clause learning on an exact cover.)
//!
//! The learner guesses a candidate and draws consequences: a chosen candidate rules out all that count_splitting a set with it, and the
//! last one left in a set is chosen. When a set has none left, it asks for the reasons of the reasons, until one fact of
//! the last guess is left that, together with trail of earlier ones, leads here. That is a *clause*: "not all of these
//! together". It goes back to where the clause says something new, and never falls into this trap again, wherever
//! it meets it. Blind search would fall into it once for each way to guess all that has nothing to do with it.
//!
//! What it says is certain: clauses follow from the puzzle alone. How long it takes is counted in steps, not seconds, so that
//! it gives up at the same point on every machine.
//!
//! (J. P. Marques-Silva, K. A. Sakallah, GRASP, 1999; M. W. Moskewicz et al., Chaff, 2001: watched literals, activities.)

mod clause;
mod heap;
mod propagate;

use crate::search::boards::large::cover::Cover;
use heap::Queue;

/// A fact about a candidate: `2 * candidate`, it is chosen; `2 * candidate + 1`, it is ruled out.
pub(crate) type Lit = u32;

/// That a candidate is chosen.
pub(crate) fn chosen(candidate: u32) -> Lit {
    2 * candidate
}

/// That it is ruled out.
pub(crate) fn ruled_out(candidate: u32) -> Lit {
    2 * candidate + 1
}

/// Why something is a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It was guessed, or holds in any case.
    Guess,
    /// The last one left in this set.
    Last(u32),
    /// It shares a set with this candidate, which is chosen.
    Rival(u32),
    /// All but one of a clause's trail are false.
    Clause(u32),
}

/// What cannot be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conflict {
    /// A set with nothing left.
    Empty(u32),
    /// Two in one set.
    Both(u32, u32),
    /// A clause all of whose trail are false.
    Clause(u32),
}

/// What the learner found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A solution: see [`Cdcl::is_chosen`].
    Solution,
    /// There is none.
    None,
    /// It took too long, or was stopped.
    GaveUp,
}

/// At least one of these trail holds; the first two are watched.
pub(crate) struct Clause {
    pub trail: Vec<Lit>,
    /// On how many levels of guesses its trail lay when it was learned: the fewer, the more often it will be of use.
    pub levels: u32,
}

/// Conflicts between two fresh starts, times a number of the sequence 1 1 2 1 1 2 4 … (M. Luby et al., 1993).
const CONFLICTS_BETWEEN_STARTS: u64 = 64;
/// Lessons kept at first, and how many more each time that half of them have been forgotten.
const LESSONS: usize = 4000;
const MORE_LESSONS: usize = 300;
/// Lessons on so few levels are never forgotten.
const LEVELS_TO_KEEP: u32 = 2;

/// Steps between two looks at whether to stop: some milliseconds.
const STEPS_BETWEEN_LOOKS: u64 = 1_000_000;

/// The learner, and what it has learned so far.
pub(crate) struct Cdcl<'a> {
    pub cover: &'a Cover,
    /// 1: chosen, −1: ruled out, 0: open.
    values: Vec<i8>,
    pub level_of: Vec<u32>,
    pub why: Vec<Reason>,
    /// All trail, in the order in which they became known, and where each level of guesses begins.
    pub trail: Vec<Lit>,
    begins: Vec<usize>,
    /// Facts whose consequences have been propagated.
    propagated: usize,
    /// For each set, how many of its candidates are not ruled out, and all of their numbers in one exclusive or: the last one
    /// left is found without looking for it.
    left: Vec<u32>,
    sum: Vec<u32>,
    pub clauses: Vec<Clause>,
    most_lessons: usize,
    watches: Vec<Vec<u32>>,
    pub queue: Queue,
    pub seen: Vec<bool>,
    pub steps: u64,
    next_look: u64,
    contradiction: bool,
}

impl<'a> Cdcl<'a> {
    pub(crate) fn new(cover: &'a Cover) -> Cdcl<'a> {
        let candidates = cover.candidates();
        let (left, sum) = (0..cover.len() as u32)
            .map(|set| cover.members(set))
            .map(|members| (members.len() as u32, members.iter().fold(0, |sum, member| sum ^ member)))
            .unzip();
        // Before there have been conflicts, candidates in small sets come first.
        let weight = |set: &u32| 1e-3 / cover.members(*set).len() as f64;
        let activity = (0..candidates as u32).map(|candidate| cover.sets(candidate).iter().map(weight).sum());
        Cdcl {
            cover,
            values: vec![0; candidates],
            level_of: vec![0; candidates],
            why: vec![Reason::Guess; candidates],
            trail: Vec::with_capacity(candidates),
            begins: Vec::new(),
            propagated: 0,
            left,
            sum,
            clauses: Vec::new(),
            most_lessons: LESSONS,
            watches: vec![Vec::new(); 2 * candidates],
            queue: Queue::new(activity.collect()),
            seen: vec![false; candidates],
            steps: 0,
            next_look: 0,
            contradiction: false,
        }
    }

    /// Whether the solution just found has this candidate.
    pub(crate) fn is_chosen(&self, candidate: usize) -> bool {
        self.values[candidate] == 1
    }

    /// Whether it is known, without any guess, that no solution has this candidate.
    pub(crate) fn is_impossible(&self, candidate: usize) -> bool {
        self.contradiction || self.values[candidate] == -1 && self.level_of[candidate] == 0
    }

    /// The number of guesses.
    pub(crate) fn level(&self) -> usize {
        self.begins.len()
    }

    /// Looks for a solution with this fact, or for any, for about so many steps more, or until `stop`.
    pub(crate) fn solve(&mut self, assumed: Option<Lit>, steps: u64, stop: &dyn Fn() -> bool) -> Answer {
        let until = self.steps.saturating_add(steps);
        let (mut starts, mut conflicts) = (1, 0);
        self.go_back(0);
        while !self.contradiction {
            if self.steps > until || self.is_stopped(stop) {
                return Answer::GaveUp;
            }
            if let Some(conflict) = self.propagate() {
                conflicts += 1;
                if self.level() == 0 {
                    self.contradiction = true;
                    break;
                }
                self.learn(conflict);
                continue;
            }
            if conflicts >= CONFLICTS_BETWEEN_STARTS * luby(starts) {
                (starts, conflicts) = (starts + 1, 0);
                self.go_back(0);
                self.forget();
                continue;
            }
            let guess = match assumed {
                Some(fact) if self.level() == 0 => match self.value(fact) {
                    -1 => return Answer::None,
                    _ => Some(fact),
                },
                // A candidate that is chosen has more consequences than one that is ruled out.
                _ => self.next_open().map(chosen),
            };
            let Some(guess) = guess else { return Answer::Solution };
            self.begins.push(self.trail.len());
            if self.value(guess) == 0 {
                self.add(guess, Reason::Guess);
            }
        }
        Answer::None
    }

    /// Takes it as known that no solution has this candidate.
    pub(crate) fn rule_out(&mut self, candidate: u32) {
        self.go_back(0);
        match self.values[candidate as usize] {
            0 => self.add(ruled_out(candidate), Reason::Guess),
            1 => self.contradiction = true,
            _ => {}
        }
        self.contradiction |= self.propagate().is_some();
    }

    /// Asks `stop` now and then.
    fn is_stopped(&mut self, stop: &dyn Fn() -> bool) -> bool {
        let look = self.steps >= self.next_look;
        if look {
            self.next_look = self.steps + STEPS_BETWEEN_LOOKS;
        }
        look && stop()
    }

    fn next_open(&mut self) -> Option<u32> {
        loop {
            let candidate = self.queue.take()?;
            if self.values[candidate as usize] == 0 {
                return Some(candidate);
            }
        }
    }

    /// 1: holds, −1: does not, 0: open.
    #[inline(always)]
    pub(crate) fn value(&self, fact: Lit) -> i8 {
        let value = self.values[(fact / 2) as usize];
        if fact & 1 == 0 { value } else { -value }
    }

    pub(crate) fn add(&mut self, fact: Lit, why: Reason) {
        let candidate = (fact / 2) as usize;
        self.values[candidate] = if fact & 1 == 0 { 1 } else { -1 };
        self.level_of[candidate] = self.begins.len() as u32;
        self.why[candidate] = why;
        self.trail.push(fact);
    }

    /// Takes back all guesses beyond the first `level`.
    pub(crate) fn go_back(&mut self, level: usize) {
        let Some(&begin) = self.begins.get(level) else { return };
        for at in (begin..self.trail.len()).rev() {
            let fact = self.trail[at];
            let candidate = fact / 2;
            if fact & 1 == 1 && at < self.propagated {
                for &set in self.cover.sets(candidate) {
                    self.left[set as usize] += 1;
                    self.sum[set as usize] ^= candidate;
                }
            }
            self.values[candidate as usize] = 0;
            self.queue.put(candidate);
        }
        self.trail.truncate(begin);
        self.propagated = self.propagated.min(begin);
        self.begins.truncate(level);
    }

    /// Keeps a clause in mind: its first fact is the one that it makes known now, its second the last of the others to
    /// become false.
    pub(crate) fn keep(&mut self, clause: Clause) -> Reason {
        let number = self.clauses.len() as u32;
        let &[first, second, ..] = clause.trail.as_slice() else { return Reason::Guess };
        self.watches[first as usize].push(number);
        self.watches[second as usize].push(number);
        self.clauses.push(clause);
        Reason::Clause(number)
    }

    /// Forgets half of the clauses when there are too many, the least useful first. Only without guesses.
    fn forget(&mut self) {
        if self.clauses.len() < self.most_lessons {
            return;
        }
        self.most_lessons += MORE_LESSONS;
        let mut clauses = std::mem::take(&mut self.clauses);
        clauses.sort_by_key(|clause| (clause.levels, clause.trail.len()));
        let half = clauses.len() / 2;
        let keep = clauses.partition_point(|clause| clause.levels <= LEVELS_TO_KEEP).max(half);
        clauses.truncate(keep);
        self.watches.iter_mut().for_each(Vec::clear);
        // What is known without guesses needs no reason any more.
        for &fact in &self.trail {
            self.why[(fact / 2) as usize] = Reason::Guess;
        }
        for mut clause in clauses {
            if clause.trail.iter().all(|&fact| self.value(fact) != 1) {
                clause.trail.retain(|&fact| self.values[(fact / 2) as usize] == 0);
                self.keep(clause);
            }
        }
    }
}

/// The sequence 1 1 2 1 1 2 4 1 1 2 …, from its first member, which is number 1.
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
    fn the_sequence_of_fresh_starts() {
        let sequence: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
