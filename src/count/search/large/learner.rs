//! Learning from dead ends: is there a solution with these candidates? (Conflict-driven clause learning on an exact cover.)
//!
//! The learner guesses a candidate and draws consequences: a chosen candidate rules out all that share a set with it, and the
//! last one left in a set is chosen. When a set has none left, it asks for the reasons of the reasons, until one fact of
//! the last guess is left that, together with facts of earlier ones, leads here. That is a *lesson*: "not all of these
//! together". It goes back to where the lesson says something new, and never falls into this trap again, wherever
//! it meets it. Blind search would fall into it once for each way to guess all that has nothing to do with it.
//!
//! What it says is certain: lessons follow from the puzzle alone. How long it takes is counted in steps, not seconds, so that
//! it gives up at the same point on every machine.
//!
//! (J. P. Marques-Silva, K. A. Sakallah, GRASP, 1999; M. W. Moskewicz et al., Chaff, 2001: watched literals, activities.)

mod draw;
mod lesson;

use super::cover::Cover;
use super::queue::Queue;

/// A fact about a candidate: `2 * candidate`, it is chosen; `2 * candidate + 1`, it is ruled out.
pub(super) type Fact = u32;

/// That a candidate is chosen.
pub(super) fn chosen(candidate: u32) -> Fact {
    2 * candidate
}

/// That it is ruled out.
pub(super) fn ruled_out(candidate: u32) -> Fact {
    2 * candidate + 1
}

/// Why something is a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It was guessed, or holds in any case.
    Guess,
    /// The last one left in this set.
    Last(u32),
    /// It shares a set with this candidate, which is chosen.
    Rival(u32),
    /// All but one of a lesson's facts are false.
    Lesson(u32),
}

/// What cannot be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Conflict {
    /// A set with nothing left.
    Empty(u32),
    /// Two in one set.
    Both(u32, u32),
    /// A lesson all of whose facts are false.
    Lesson(u32),
}

/// What the learner found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A solution: see [`Learner::is_chosen`].
    Solution,
    /// There is none.
    None,
    /// It took too long, or was stopped.
    GaveUp,
}

/// At least one of these facts holds; the first two are watched.
pub(super) struct Lesson {
    pub facts: Vec<Fact>,
    /// On how many levels of guesses its facts lay when it was learned: the fewer, the more often it will be of use.
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
pub(super) struct Learner<'a> {
    pub cover: &'a Cover,
    /// 1: chosen, −1: ruled out, 0: open.
    values: Vec<i8>,
    pub level_of: Vec<u32>,
    pub why: Vec<Why>,
    /// All facts, in the order in which they became known, and where each level of guesses begins.
    pub facts: Vec<Fact>,
    begins: Vec<usize>,
    /// Facts whose consequences have been drawn.
    drawn: usize,
    /// For each set, how many of its candidates are not ruled out, and all of their numbers in one exclusive or: the last one
    /// left is found without looking for it.
    left: Vec<u32>,
    sum: Vec<u32>,
    pub lessons: Vec<Lesson>,
    most_lessons: usize,
    watches: Vec<Vec<u32>>,
    pub queue: Queue,
    pub seen: Vec<bool>,
    pub steps: u64,
    next_look: u64,
    contradiction: bool,
}

impl<'a> Learner<'a> {
    pub(super) fn new(cover: &'a Cover) -> Learner<'a> {
        let candidates = cover.candidates();
        let (left, sum) = (0..cover.len() as u32)
            .map(|set| cover.members(set))
            .map(|members| (members.len() as u32, members.iter().fold(0, |sum, member| sum ^ member)))
            .unzip();
        // Before there have been conflicts, candidates in small sets come first.
        let weight = |set: &u32| 1e-3 / cover.members(*set).len() as f64;
        let activity = (0..candidates as u32).map(|candidate| cover.sets(candidate).iter().map(weight).sum());
        Learner {
            cover,
            values: vec![0; candidates],
            level_of: vec![0; candidates],
            why: vec![Why::Guess; candidates],
            facts: Vec::with_capacity(candidates),
            begins: Vec::new(),
            drawn: 0,
            left,
            sum,
            lessons: Vec::new(),
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
    pub(super) fn is_chosen(&self, candidate: usize) -> bool {
        self.values[candidate] == 1
    }

    /// Whether it is known, without any guess, that no solution has this candidate.
    pub(super) fn is_impossible(&self, candidate: usize) -> bool {
        self.contradiction || self.values[candidate] == -1 && self.level_of[candidate] == 0
    }

    /// The number of guesses.
    pub(super) fn level(&self) -> usize {
        self.begins.len()
    }

    /// Looks for a solution with this fact, or for any, for about so many steps more, or until `stop`.
    pub(super) fn solve(&mut self, assumed: Option<Fact>, steps: u64, stop: &dyn Fn() -> bool) -> Answer {
        let until = self.steps.saturating_add(steps);
        let (mut starts, mut conflicts) = (1, 0);
        self.go_back(0);
        while !self.contradiction {
            if self.steps > until || self.is_stopped(stop) {
                return Answer::GaveUp;
            }
            if let Some(conflict) = self.draw() {
                conflicts += 1;
                if self.level() == 0 {
                    self.contradiction = true;
                    break;
                }
                self.learn_from(conflict);
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
            self.begins.push(self.facts.len());
            if self.value(guess) == 0 {
                self.add(guess, Why::Guess);
            }
        }
        Answer::None
    }

    /// Takes it as known that no solution has this candidate.
    pub(super) fn rule_out(&mut self, candidate: u32) {
        self.go_back(0);
        match self.values[candidate as usize] {
            0 => self.add(ruled_out(candidate), Why::Guess),
            1 => self.contradiction = true,
            _ => {}
        }
        self.contradiction |= self.draw().is_some();
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
    pub(super) fn value(&self, fact: Fact) -> i8 {
        let value = self.values[(fact / 2) as usize];
        if fact & 1 == 0 { value } else { -value }
    }

    pub(super) fn add(&mut self, fact: Fact, why: Why) {
        let candidate = (fact / 2) as usize;
        self.values[candidate] = if fact & 1 == 0 { 1 } else { -1 };
        self.level_of[candidate] = self.begins.len() as u32;
        self.why[candidate] = why;
        self.facts.push(fact);
    }

    /// Takes back all guesses beyond the first `level`.
    pub(super) fn go_back(&mut self, level: usize) {
        let Some(&begin) = self.begins.get(level) else { return };
        for at in (begin..self.facts.len()).rev() {
            let fact = self.facts[at];
            let candidate = fact / 2;
            if fact & 1 == 1 && at < self.drawn {
                for &set in self.cover.sets(candidate) {
                    self.left[set as usize] += 1;
                    self.sum[set as usize] ^= candidate;
                }
            }
            self.values[candidate as usize] = 0;
            self.queue.put(candidate);
        }
        self.facts.truncate(begin);
        self.drawn = self.drawn.min(begin);
        self.begins.truncate(level);
    }

    /// Keeps a lesson in mind: its first fact is the one that it makes known now, its second the last of the others to
    /// become false.
    pub(super) fn keep(&mut self, lesson: Lesson) -> Why {
        let number = self.lessons.len() as u32;
        let &[first, second, ..] = lesson.facts.as_slice() else { return Why::Guess };
        self.watches[first as usize].push(number);
        self.watches[second as usize].push(number);
        self.lessons.push(lesson);
        Why::Lesson(number)
    }

    /// Forgets half of the lessons when there are too many, the least useful first. Only without guesses.
    fn forget(&mut self) {
        if self.lessons.len() < self.most_lessons {
            return;
        }
        self.most_lessons += MORE_LESSONS;
        let mut lessons = std::mem::take(&mut self.lessons);
        lessons.sort_by_key(|lesson| (lesson.levels, lesson.facts.len()));
        let half = lessons.len() / 2;
        let keep = lessons.partition_point(|lesson| lesson.levels <= LEVELS_TO_KEEP).max(half);
        lessons.truncate(keep);
        self.watches.iter_mut().for_each(Vec::clear);
        // What is known without guesses needs no reason any more.
        for &fact in &self.facts {
            self.why[(fact / 2) as usize] = Why::Guess;
        }
        for mut lesson in lessons {
            if lesson.facts.iter().all(|&fact| self.value(fact) != 1) {
                lesson.facts.retain(|&fact| self.values[(fact / 2) as usize] == 0);
                self.keep(lesson);
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
