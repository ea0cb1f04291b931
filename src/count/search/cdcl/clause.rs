//! What a conflict teaches: from the reasons of its trail back to a single fact of the last guess.

use super::{Cdcl, Clause, Conflict, Lit, Reason};

impl Cdcl<'_> {
    /// Learns from a conflict below a guess: goes back to where the clause says something new, and says it.
    pub(crate) fn learn(&mut self, conflict: Conflict) {
        let (clause, level) = self.analyze(conflict);
        self.go_back(level as usize);
        let news = clause.trail[0];
        let why = self.keep(clause);
        self.add(news, why);
        self.queue.age();
    }

    /// The clause of a conflict, and the level on which all of its trail but the first are false.
    fn analyze(&mut self, conflict: Conflict) -> (Clause, u32) {
        let here = self.level() as u32;
        let mut causes = Vec::new();
        match conflict {
            Conflict::Empty(set) => causes.extend_from_slice(self.cover.members(set)),
            Conflict::Both(one, other) => causes.extend([one, other]),
            Conflict::Clause(number) => causes.extend(self.clauses[number as usize].trail.iter().map(|fact| fact / 2)),
        }
        let mut trail: Vec<Lit> = Vec::new();
        let mut touched = Vec::new();
        let mut open = 0;
        let mut at = self.trail.len();
        let first = loop {
            for &cause in &causes {
                let level = self.level_of[cause as usize];
                if level > 0 && !self.seen[cause as usize] {
                    self.seen[cause as usize] = true;
                    touched.push(cause);
                    self.queue.bump(cause);
                    if level == here {
                        open += 1;
                    } else {
                        trail.push(self.negation(cause));
                    }
                }
            }
            // The latest fact of this level that takes part: either all comes down to it, or it has causes.
            at = self.trail[..at].iter().rposition(|fact| self.seen[(fact / 2) as usize]).unwrap_or(0);
            let latest = self.trail[at];
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
        trail.retain(|fact| {
            let candidate = fact / 2;
            let mut implied = self.why[candidate as usize] != Reason::Guess;
            self.causes_of(candidate, |cause| {
                implied &= self.seen[cause as usize] || self.level_of[cause as usize] == 0;
            });
            !implied
        });
        for candidate in touched {
            self.seen[candidate as usize] = false;
        }
        let level_of = |fact: &Lit| self.level_of[(fact / 2) as usize];
        trail.sort_by_key(|fact| std::cmp::Reverse(level_of(fact)));
        let level = trail.first().map_or(0, level_of);
        let levels = 1 + trail.chunk_by(|a, b| level_of(a) == level_of(b)).count() as u32;
        trail.insert(0, first);
        (Clause { trail, levels }, level)
    }

    /// That what is known about a candidate is not so.
    fn negation(&self, candidate: u32) -> Lit {
        2 * candidate + u32::from(self.is_chosen(candidate as usize))
    }

    /// The candidates from which it follows what is known about this one.
    fn causes_of(&self, candidate: u32, mut cause: impl FnMut(u32)) {
        let others = |&other: &u32| other != candidate;
        match self.why[candidate as usize] {
            Reason::Guess => {}
            Reason::Rival(rival) => cause(rival),
            Reason::Last(set) => self.cover.members(set).iter().copied().filter(others).for_each(cause),
            Reason::Clause(number) => {
                self.clauses[number as usize].trail.iter().map(|fact| fact / 2).filter(others).for_each(cause);
            }
        }
    }
}
