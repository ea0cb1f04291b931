//! What a conflict teaches: from the reasons of its facts back to a single fact of the last guess.

use super::{Conflict, Fact, Learner, Lesson, Why};

impl Learner<'_> {
    /// Learns from a conflict below a guess: goes back to where the lesson says something new, and says it.
    pub(super) fn learn_from(&mut self, conflict: Conflict) {
        let (lesson, level) = self.lesson_of(conflict);
        self.go_back(level as usize);
        let news = lesson.facts[0];
        let why = self.keep(lesson);
        self.add(news, why);
        self.queue.age();
    }

    /// The lesson of a conflict, and the level on which all of its facts but the first are false.
    fn lesson_of(&mut self, conflict: Conflict) -> (Lesson, u32) {
        let here = self.level() as u32;
        let mut causes = Vec::new();
        match conflict {
            Conflict::Empty(set) => causes.extend_from_slice(self.cover.members(set)),
            Conflict::Both(one, other) => causes.extend([one, other]),
            Conflict::Lesson(number) => causes.extend(self.lessons[number as usize].facts.iter().map(|fact| fact / 2)),
        }
        let mut facts: Vec<Fact> = Vec::new();
        let mut touched = Vec::new();
        let mut open = 0;
        let mut at = self.facts.len();
        let first = loop {
            for &cause in &causes {
                let level = self.level_of[cause as usize];
                if level > 0 && !self.seen[cause as usize] {
                    self.seen[cause as usize] = true;
                    touched.push(cause);
                    self.queue.blame(cause);
                    if level == here {
                        open += 1;
                    } else {
                        facts.push(self.negation(cause));
                    }
                }
            }
            // The latest fact of this level that takes part: either all comes down to it, or it has causes.
            at = self.facts[..at].iter().rposition(|fact| self.seen[(fact / 2) as usize]).unwrap_or(0);
            let latest = self.facts[at];
            debug_assert!(open > 0, "a conflict has a cause on its level");
            open -= 1;
            if open == 0 {
                break latest ^ 1;
            }
            causes.clear();
            self.causes_of(latest / 2, |cause| causes.push(cause));
        };
        self.steps += touched.len() as u64;
        // What follows from the others need not be said.
        facts.retain(|fact| {
            let candidate = fact / 2;
            let mut implied = self.why[candidate as usize] != Why::Guess;
            self.causes_of(candidate, |cause| {
                implied &= self.seen[cause as usize] || self.level_of[cause as usize] == 0;
            });
            !implied
        });
        for candidate in touched {
            self.seen[candidate as usize] = false;
        }
        let level_of = |fact: &Fact| self.level_of[(fact / 2) as usize];
        facts.sort_by_key(|fact| std::cmp::Reverse(level_of(fact)));
        let level = facts.first().map_or(0, level_of);
        let levels = 1 + facts.chunk_by(|a, b| level_of(a) == level_of(b)).count() as u32;
        facts.insert(0, first);
        (Lesson { facts, levels }, level)
    }

    /// That what is known about a candidate is not so.
    fn negation(&self, candidate: u32) -> Fact {
        2 * candidate + u32::from(self.is_chosen(candidate as usize))
    }

    /// The candidates from which it follows what is known about this one.
    fn causes_of(&self, candidate: u32, mut cause: impl FnMut(u32)) {
        let others = |&other: &u32| other != candidate;
        match self.why[candidate as usize] {
            Why::Guess => {}
            Why::Rival(rival) => cause(rival),
            Why::Last(set) => self.cover.members(set).iter().copied().filter(others).for_each(cause),
            Why::Lesson(number) => {
                self.lessons[number as usize].facts.iter().map(|fact| fact / 2).filter(others).for_each(cause);
            }
        }
    }
}
