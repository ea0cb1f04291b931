//! Unit propagation.

use super::{Cdcl, Conflict, Lit, Reason, chosen, ruled_out};

/// The cost of visiting a clause, relative to a candidate.
const STEPS_PER_CLAUSE: u64 = 8;

impl Cdcl<'_> {
    /// Propagates the trail up to the first conflict.
    pub(crate) fn propagate(&mut self) -> Option<Conflict> {
        while self.propagated < self.trail.len() {
            let lit = self.trail[self.propagated];
            self.propagated += 1;
            let conflict =
                if lit & 1 == 0 { self.propagate_chosen(lit / 2) } else { self.propagate_ruled_out(lit / 2) };
            let conflict = conflict.or_else(|| self.propagate_clauses(lit ^ 1));
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn propagate_chosen(&mut self, candidate: u32) -> Option<Conflict> {
        let cover = self.cover;
        for &set in cover.sets.of(candidate) {
            if self.left[set as usize] == 1 {
                continue;
            }
            let members = cover.members.of(set);
            self.steps += members.len() as u64;
            for &other in members.iter().filter(|&&other| other != candidate) {
                match self.values[other as usize] {
                    0 => self.assign(ruled_out(other), Reason::Excluded(candidate)),
                    1 => return Some((other, Reason::Excluded(candidate))),
                    _ => {}
                }
            }
        }
        None
    }

    fn propagate_ruled_out(&mut self, candidate: u32) -> Option<Conflict> {
        let mut conflict = None;
        let sets = self.cover.sets.of(candidate);
        self.steps += sets.len() as u64;
        // Update all sets, even after a conflict: backtracking undoes all of them.
        for &set in sets {
            self.left[set as usize] -= 1;
            self.xor[set as usize] ^= candidate;
            if self.left[set as usize] == 1 && conflict.is_none() {
                let last = self.xor[set as usize];
                match self.values[last as usize] {
                    0 => self.assign(chosen(last), Reason::LastInSet(set)),
                    1 => {}
                    _ => conflict = Some((last, Reason::LastInSet(set))),
                }
            }
        }
        conflict
    }

    /// Visits the clauses that watch a literal which became false.
    fn propagate_clauses(&mut self, lit: Lit) -> Option<Conflict> {
        let mut watching = std::mem::take(&mut self.watches[lit as usize]);
        let mut conflict = None;
        self.steps += STEPS_PER_CLAUSE * watching.len() as u64;
        watching.retain(|&number| {
            if conflict.is_some() {
                return true;
            }
            let lits = &mut self.clauses[number as usize].lits;
            if lits[0] == lit {
                lits.swap(0, 1);
            }
            let values = &self.values;
            let value = |lit: Lit| if lit & 1 == 0 { values[(lit / 2) as usize] } else { -values[(lit / 2) as usize] };
            let other = value(lits[0]);
            if other == 1 {
                return true;
            }
            if let Some(next) = (2..lits.len()).find(|&next| value(lits[next]) != -1) {
                lits.swap(1, next);
                let now = lits[1];
                self.watches[now as usize].push(number);
                return false;
            }
            let forced = lits[0];
            if other == -1 {
                conflict = Some((forced / 2, Reason::Clause(number)));
            } else {
                self.assign(forced, Reason::Clause(number));
            }
            true
        });
        self.watches[lit as usize] = watching;
        conflict
    }
}
