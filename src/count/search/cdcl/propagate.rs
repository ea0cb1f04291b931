//! What follows from trail.

use super::{Cdcl, Conflict, Lit, Reason, chosen, ruled_out};

/// What a look at a clause costs, compared with one at a candidate.
const STEPS_PER_LESSON: u64 = 8;

impl Cdcl<'_> {
    /// Draws the consequences of all trail, up to the first conflict.
    pub(crate) fn propagate(&mut self) -> Option<Conflict> {
        while self.propagated < self.trail.len() {
            let fact = self.trail[self.propagated];
            self.propagated += 1;
            let conflict =
                if fact & 1 == 0 { self.propagate_chosen(fact / 2) } else { self.propagate_ruled_out(fact / 2) };
            let conflict = conflict.or_else(|| self.propagate_clauses(fact ^ 1));
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn propagate_chosen(&mut self, candidate: u32) -> Option<Conflict> {
        let cover = self.cover;
        for &set in cover.sets(candidate) {
            if self.left[set as usize] == 1 {
                continue;
            }
            let members = cover.members(set);
            self.steps += members.len() as u64;
            for &rival in members.iter().filter(|&&rival| rival != candidate) {
                match self.values[rival as usize] {
                    0 => self.add(ruled_out(rival), Reason::Rival(candidate)),
                    1 => return Some(Conflict::Both(candidate, rival)),
                    _ => {}
                }
            }
        }
        None
    }

    fn propagate_ruled_out(&mut self, candidate: u32) -> Option<Conflict> {
        let mut conflict = None;
        let sets = self.cover.sets(candidate);
        self.steps += sets.len() as u64;
        // To the last set, conflict or not: going back undoes all of them.
        for &set in sets {
            self.left[set as usize] -= 1;
            self.sum[set as usize] ^= candidate;
            if self.left[set as usize] == 1 && conflict.is_none() {
                let last = self.sum[set as usize];
                match self.values[last as usize] {
                    0 => self.add(chosen(last), Reason::Last(set)),
                    1 => {}
                    _ => conflict = Some(Conflict::Empty(set)),
                }
            }
        }
        conflict
    }

    /// Goes through the clauses that watch a fact which has turned out false.
    fn propagate_clauses(&mut self, fact: Lit) -> Option<Conflict> {
        let mut watching = std::mem::take(&mut self.watches[fact as usize]);
        let mut conflict = None;
        self.steps += STEPS_PER_LESSON * watching.len() as u64;
        watching.retain(|&number| {
            if conflict.is_some() {
                return true;
            }
            let trail = &mut self.clauses[number as usize].trail;
            if trail[0] == fact {
                trail.swap(0, 1);
            }
            let values = &self.values;
            let value =
                |fact: Lit| if fact & 1 == 0 { values[(fact / 2) as usize] } else { -values[(fact / 2) as usize] };
            let other = value(trail[0]);
            if other == 1 {
                return true;
            }
            if let Some(next) = (2..trail.len()).find(|&next| value(trail[next]) != -1) {
                trail.swap(1, next);
                let now = trail[1];
                self.watches[now as usize].push(number);
                return false;
            }
            if other == -1 {
                conflict = Some(Conflict::Clause(number));
            } else {
                let forced = trail[0];
                self.add(forced, Reason::Clause(number));
            }
            true
        });
        self.watches[fact as usize] = watching;
        conflict
    }
}
