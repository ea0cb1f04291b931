//! What follows from facts.

use super::{Conflict, Fact, Learner, Why, chosen, ruled_out};

/// What a look at a lesson costs, compared with one at a candidate.
const STEPS_PER_LESSON: u64 = 8;

impl Learner<'_> {
    /// Draws the consequences of all facts, up to the first conflict.
    pub(super) fn draw(&mut self) -> Option<Conflict> {
        while self.drawn < self.facts.len() {
            let fact = self.facts[self.drawn];
            self.drawn += 1;
            let conflict = if fact & 1 == 0 { self.draw_chosen(fact / 2) } else { self.draw_ruled_out(fact / 2) };
            let conflict = conflict.or_else(|| self.draw_lessons(fact ^ 1));
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn draw_chosen(&mut self, candidate: u32) -> Option<Conflict> {
        let cover = self.cover;
        for &set in cover.sets(candidate) {
            if self.left[set as usize] == 1 {
                continue;
            }
            let members = cover.members(set);
            self.steps += members.len() as u64;
            for &rival in members.iter().filter(|&&rival| rival != candidate) {
                match self.values[rival as usize] {
                    0 => self.add(ruled_out(rival), Why::Rival(candidate)),
                    1 => return Some(Conflict::Both(candidate, rival)),
                    _ => {}
                }
            }
        }
        None
    }

    fn draw_ruled_out(&mut self, candidate: u32) -> Option<Conflict> {
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
                    0 => self.add(chosen(last), Why::Last(set)),
                    1 => {}
                    _ => conflict = Some(Conflict::Empty(set)),
                }
            }
        }
        conflict
    }

    /// Goes through the lessons that watch a fact which has turned out false.
    fn draw_lessons(&mut self, fact: Fact) -> Option<Conflict> {
        let mut watching = std::mem::take(&mut self.watches[fact as usize]);
        let mut conflict = None;
        self.steps += STEPS_PER_LESSON * watching.len() as u64;
        watching.retain(|&number| {
            if conflict.is_some() {
                return true;
            }
            let facts = &mut self.lessons[number as usize].facts;
            if facts[0] == fact {
                facts.swap(0, 1);
            }
            let values = &self.values;
            let value =
                |fact: Fact| if fact & 1 == 0 { values[(fact / 2) as usize] } else { -values[(fact / 2) as usize] };
            let other = value(facts[0]);
            if other == 1 {
                return true;
            }
            if let Some(next) = (2..facts.len()).find(|&next| value(facts[next]) != -1) {
                facts.swap(1, next);
                let now = facts[1];
                self.watches[now as usize].push(number);
                return false;
            }
            if other == -1 {
                conflict = Some(Conflict::Lesson(number));
            } else {
                let forced = facts[0];
                self.add(forced, Why::Lesson(number));
            }
            true
        });
        self.watches[fact as usize] = watching;
        conflict
    }
}
