//! VSIDS: an indexed binary heap of candidates by their activity in recent conflicts.

/// The place of a candidate outside the heap.
const OUT: u32 = u32::MAX;
/// The weight of a conflict relative to the next.
const DECAY: f64 = 0.95;
/// Beyond this, all activities are rescaled.
const MAX_ACTIVITY: f64 = 1e100;

pub(crate) struct ActivityHeap {
    activity: Vec<f64>,
    bump: f64,
    heap: Vec<u32>,
    places: Vec<u32>,
}

impl ActivityHeap {
    /// Contains all candidates, with their initial activity.
    pub(crate) fn new(activity: Vec<f64>) -> ActivityHeap {
        let mut heap = ActivityHeap { bump: 1.0, heap: Vec::new(), places: vec![OUT; activity.len()], activity };
        (0..heap.activity.len() as u32).for_each(|candidate| heap.insert(candidate));
        heap
    }

    /// No effect if the candidate is in the heap.
    pub(crate) fn insert(&mut self, candidate: u32) {
        if self.places[candidate as usize] == OUT {
            self.heap.push(candidate);
            self.sift_up(self.heap.len() - 1);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<u32> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else {
            self.places[last as usize] = OUT;
            return Some(last);
        };
        self.places[first as usize] = OUT;
        self.heap[0] = last;
        self.sift_down(0);
        Some(first)
    }

    pub(crate) fn bump(&mut self, candidate: u32) {
        let activity = &mut self.activity[candidate as usize];
        *activity += self.bump;
        if *activity > MAX_ACTIVITY {
            self.activity.iter_mut().for_each(|activity| *activity /= MAX_ACTIVITY);
            self.bump /= MAX_ACTIVITY;
        }
        let place = self.places[candidate as usize];
        if place != OUT {
            self.sift_up(place as usize);
        }
    }

    /// After a conflict: later ones weigh more.
    pub(crate) fn decay(&mut self) {
        self.bump /= DECAY;
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        self.activity[a as usize] > self.activity[b as usize]
    }

    fn set(&mut self, place: usize, candidate: u32) {
        self.heap[place] = candidate;
        self.places[candidate as usize] = place as u32;
    }

    fn sift_up(&mut self, mut place: usize) {
        let candidate = self.heap[place];
        while place > 0 && self.is_before(candidate, self.heap[(place - 1) / 2]) {
            self.set(place, self.heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        self.set(place, candidate);
    }

    fn sift_down(&mut self, mut place: usize) {
        let candidate = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.heap.len() && self.is_before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if child >= self.heap.len() || !self.is_before(self.heap[child], candidate) {
                break;
            }
            self.set(place, self.heap[child]);
            place = child;
        }
        self.set(place, candidate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn candidates_come_out_with_the_most_active_first(start in proptest::collection::vec(0.0..1.0f64, 1..40), bumped in proptest::collection::vec(0..40u32, 0..60)) {
            let count = start.len() as u32;
            let mut heap = ActivityHeap::new(start);
            for (turn, candidate) in bumped.into_iter().map(|candidate| candidate % count).enumerate() {
                heap.bump(candidate);
                heap.decay();
                if turn % 7 == 3 && let Some(taken) = heap.pop() {
                    heap.insert(taken);
                    heap.insert(taken);
                }
            }
            let taken: Vec<u32> = std::iter::from_fn(|| heap.pop()).collect();
            prop_assert_eq!(taken.len() as u32, count);
            prop_assert!(taken.windows(2).all(|pair| !heap.is_before(pair[1], pair[0])));
        }
    }
}
