//! Candidates by how often they took part in conflicts, the most active first: a binary heap in which each knows its place.

/// Where those are that are not in the queue.
const OUT: u32 = u32::MAX;
/// How much less a conflict counts than the one after it.
const DECAY: f64 = 0.95;
/// Beyond this, all activities are scaled down.
const TOO_MUCH: f64 = 1e100;

/// The queue.
pub(crate) struct Queue {
    activity: Vec<f64>,
    bump: f64,
    heap: Vec<u32>,
    places: Vec<u32>,
}

impl Queue {
    /// All of them, with what they begin with.
    pub(crate) fn new(activity: Vec<f64>) -> Queue {
        let mut queue = Queue { bump: 1.0, heap: Vec::new(), places: vec![OUT; activity.len()], activity };
        (0..queue.activity.len() as u32).for_each(|candidate| queue.put(candidate));
        queue
    }

    /// Puts one into the queue, if it is not there.
    pub(crate) fn put(&mut self, candidate: u32) {
        if self.places[candidate as usize] == OUT {
            self.heap.push(candidate);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Takes out the most active one.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else {
            self.places[last as usize] = OUT;
            return Some(last);
        };
        self.places[first as usize] = OUT;
        self.heap[0] = last;
        self.sink(0);
        Some(first)
    }

    /// One has taken part in a conflict.
    pub(crate) fn bump(&mut self, candidate: u32) {
        let activity = &mut self.activity[candidate as usize];
        *activity += self.bump;
        if *activity > TOO_MUCH {
            self.activity.iter_mut().for_each(|activity| *activity /= TOO_MUCH);
            self.bump /= TOO_MUCH;
        }
        let place = self.places[candidate as usize];
        if place != OUT {
            self.rise(place as usize);
        }
    }

    /// A conflict is over: the next ones count for more.
    pub(crate) fn age(&mut self) {
        self.bump /= DECAY;
    }

    fn before(&self, a: u32, b: u32) -> bool {
        self.activity[a as usize] > self.activity[b as usize]
    }

    fn set(&mut self, place: usize, candidate: u32) {
        self.heap[place] = candidate;
        self.places[candidate as usize] = place as u32;
    }

    fn rise(&mut self, mut place: usize) {
        let candidate = self.heap[place];
        while place > 0 && self.before(candidate, self.heap[(place - 1) / 2]) {
            self.set(place, self.heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        self.set(place, candidate);
    }

    fn sink(&mut self, mut place: usize) {
        let candidate = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.heap.len() && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if child >= self.heap.len() || !self.before(self.heap[child], candidate) {
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
        fn they_come_out_with_the_most_active_first(start in proptest::collection::vec(0.0..1.0f64, 1..40), blamed in proptest::collection::vec(0..40u32, 0..60)) {
            let count = start.len() as u32;
            let mut queue = Queue::new(start);
            for (turn, candidate) in blamed.into_iter().map(|candidate| candidate % count).enumerate() {
                queue.bump(candidate);
                queue.age();
                if turn % 7 == 3 && let Some(taken) = queue.take() {
                    queue.put(taken);
                    queue.put(taken);
                }
            }
            let taken: Vec<u32> = std::iter::from_fn(|| queue.take()).collect();
            prop_assert_eq!(taken.len() as u32, count);
            prop_assert!(taken.windows(2).all(|pair| !queue.before(pair[1], pair[0])));
        }
    }
}
