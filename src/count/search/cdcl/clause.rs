//! Conflict analysis: derives a clause from a conflict, by the first unique implication point.

use super::{Cdcl, Clause, Conflict, Lit, Reason};

impl Cdcl<'_> {
    /// Learns a clause from a conflict above level 0, backjumps to the level where it is unit, and assigns its first
    /// literal.
    pub(crate) fn learn(&mut self, conflict: Conflict) {
        let (clause, level) = self.analyze(conflict);
        self.backtrack(level as usize);
        let asserted = clause.lits[0];
        let reason = self.add_clause(clause);
        self.assign(asserted, reason);
        self.heap.decay();
    }

    /// The learned clause, and the highest decision level among all its literals but the first.
    fn analyze(&mut self, conflict: Conflict) -> (Clause, u32) {
        let here = self.decision_level() as u32;
        let (candidate, reason) = conflict;
        let mut causes = vec![candidate];
        self.causes_of(candidate, reason, |cause| causes.push(cause));
        let mut lits: Vec<Lit> = Vec::new();
        let mut touched = Vec::new();
        let mut open = 0;
        let mut at = self.trail.len();
        let first = loop {
            for &cause in &causes {
                let level = self.level_of[cause as usize];
                if level > 0 && !self.seen[cause as usize] {
                    self.seen[cause as usize] = true;
                    touched.push(cause);
                    self.heap.bump(cause);
                    if level == here {
                        open += 1;
                    } else {
                        lits.push(self.negation(cause));
                    }
                }
            }
            // The latest literal of this level that takes part. If no other is open, it is the unique implication point.
            at = self.trail[..at].iter().rposition(|lit| self.seen[(lit / 2) as usize]).unwrap_or(0);
            let latest = self.trail[at];
            debug_assert!(open > 0, "a conflict has a cause on its level");
            open -= 1;
            if open == 0 {
                break latest ^ 1;
            }
            causes.clear();
            self.causes_of(latest / 2, self.reason[(latest / 2) as usize], |cause| causes.push(cause));
        };
        self.steps += touched.len() as u64;
        // Minimization: drop literals implied by the others.
        lits.retain(|lit| {
            let candidate = lit / 2;
            let reason = self.reason[candidate as usize];
            let mut implied = reason != Reason::Decision;
            self.causes_of(candidate, reason, |cause| {
                implied &= self.seen[cause as usize] || self.level_of[cause as usize] == 0;
            });
            !implied
        });
        for candidate in touched {
            self.seen[candidate as usize] = false;
        }
        let level_of = |lit: &Lit| self.level_of[(lit / 2) as usize];
        lits.sort_by_key(|lit| std::cmp::Reverse(level_of(lit)));
        let level = lits.first().map_or(0, level_of);
        let lbd = 1 + lits.chunk_by(|a, b| level_of(a) == level_of(b)).count() as u32;
        lits.insert(0, first);
        (Clause { lits, lbd }, level)
    }

    /// The false literal of an assigned candidate.
    fn negation(&self, candidate: u32) -> Lit {
        2 * candidate + u32::from(self.is_chosen(candidate as usize))
    }

    /// The other candidates whose assignments are the reason for one of this candidate.
    fn causes_of(&self, candidate: u32, reason: Reason, mut cause: impl FnMut(u32)) {
        let others = |&other: &u32| other != candidate;
        match reason {
            Reason::Decision => {}
            Reason::Excluded(other) => cause(other),
            Reason::LastInSet(set) => self.cover.members.of(set).iter().copied().filter(others).for_each(cause),
            Reason::Clause(number) => {
                self.clauses[number as usize].lits.iter().map(|lit| lit / 2).filter(others).for_each(cause);
            }
        }
    }
}
