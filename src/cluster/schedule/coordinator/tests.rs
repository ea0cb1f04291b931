//! Both sides of the protocol, in a world in which chance decides what happens next.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::*;
use crate::cluster::schedule::Schedule;
use crate::cluster::schedule::rank_client::{ProgressInterval, RankClient, WorkSource, WorkerStatus};
use proptest::prelude::*;

const UNIT_BYTES: usize = 2;
/// The most subtasks that a worker splits off. A search tree is finite; the units here have sizes by chance.
const MOST_SPLITS: usize = 500;

/// One worker without a thread: takes a unit from its queue, counts it for some steps, and records it.
#[derive(Default)]
struct Worker {
    queue: VecDeque<UnitId>,
    current: Option<(UnitId, u8)>,
    donation: usize,
    stopped: bool,
    counted: Vec<UnitId>,
    unfinished: usize,
    split: usize,
}

fn entry(id: UnitId) -> Vec<u8> {
    [&id.to_bytes()[..], &[7; UNIT_BYTES]].concat()
}

impl Worker {
    fn work(&mut self, chance: u8) {
        match self.current.take() {
            Some(_) if self.stopped => self.unfinished += 1,
            Some((id, 0)) => self.counted.push(id),
            Some((id, steps)) => {
                if self.donation > self.queue.len() && self.split < MOST_SPLITS && chance & 1 == 0 {
                    self.split += 1;
                    self.queue.push_back(id.subtask());
                }
                self.current = Some((id, steps - 1));
            }
            None if self.stopped => {}
            None => self.current = self.queue.pop_front().map(|id| (id, chance % 8)),
        }
    }
}

impl WorkSource for RefCell<Worker> {
    fn status(&self) -> WorkerStatus {
        let worker = self.borrow();
        let idle = worker.current.is_none() && (worker.queue.is_empty() || worker.stopped);
        WorkerStatus { waiting: worker.queue.len(), idle, mean_unit: 0.004, progress: RankProgress::default() }
    }

    fn add(&self, entries: &[u8]) -> usize {
        let entries = entries.chunks_exact(UnitId::BYTES + UNIT_BYTES);
        let count = entries.len();
        self.borrow_mut()
            .queue
            .extend(entries.filter_map(|entry| entry.first_chunk().copied().map(UnitId::from_bytes)));
        count
    }

    fn request_donation(&self, entries: usize) {
        self.borrow_mut().donation = entries;
    }

    fn set_low_mark(&self, _: usize) {}

    fn take_donation(&self) -> Vec<u8> {
        let mut worker = self.borrow_mut();
        let spare = worker.queue.len().saturating_sub(usize::from(worker.current.is_none()));
        let rest = worker.queue.len() - spare.div_ceil(2);
        let taken = worker.queue.split_off(rest);
        taken.into_iter().flat_map(entry).collect()
    }

    fn stop(&self) {
        self.borrow_mut().stopped = true;
    }

    fn stopped(&self) -> bool {
        self.borrow().stopped
    }
}

/// The real coordinator and clients, with messages in transit. Chance decides who is next; a step takes a millisecond.
struct World<'a> {
    coordinator: Coordinator,
    workers: &'a [RefCell<Worker>],
    clients: Vec<RankClient<'a, RefCell<Worker>>>,
    to_coordinator: Vec<VecDeque<ToCoordinator>>,
    to_rank: Vec<VecDeque<ToRank>>,
    now: Instant,
}

fn workers(distribution: &Distribution, units: usize) -> Vec<RefCell<Worker>> {
    let order: Vec<usize> = distribution.permutation(units).collect();
    let queue = |block: std::ops::Range<usize>| order[block].iter().map(|&unit| UnitId::of_unit(unit)).collect();
    let worker = |block| RefCell::new(Worker { queue: queue(block), ..Worker::default() });
    distribution.first_blocks(units).into_iter().map(worker).collect()
}

impl<'a> World<'a> {
    fn new(distribution: Distribution, units: usize, workers: &'a [RefCell<Worker>]) -> World<'a> {
        let sent = distribution.first_blocks(units).last().map_or(0, |block| block.end);
        let rest: Vec<Vec<u8>> =
            distribution.permutation(units).skip(sent).map(|unit| entry(UnitId::of_unit(unit))).collect();
        let now = Instant::now();
        let often = Duration::from_millis(50);
        let interval = ProgressInterval { with_solutions: often, without: often };
        World {
            coordinator: Coordinator::new(distribution, UNIT_BYTES, rest.concat()),
            workers,
            clients: workers.iter().map(|worker| RankClient::new(distribution, worker, interval, now)).collect(),
            to_coordinator: vec![VecDeque::new(); workers.len()],
            to_rank: vec![VecDeque::new(); workers.len()],
            now,
        }
    }

    /// A rank does one thing: counts, sends, or receives.
    fn step(&mut self, rank: usize, chance: u8) {
        match chance % 4 {
            0 | 1 => self.workers[rank].borrow_mut().work(chance / 4),
            2 => self.to_coordinator[rank].extend(self.clients[rank].messages(self.now)),
            _ => {
                if let Some(message) = self.to_rank[rank].pop_front() {
                    self.clients[rank].receive(message, self.now);
                }
            }
        }
    }

    /// The coordinator receives one message of a rank and sends what follows.
    fn coordinate(&mut self, rank: usize) {
        if let Some(message) = self.to_coordinator[rank].pop_front() {
            self.coordinator.receive(rank, message);
        }
        for (rank, message) in self.coordinator.messages() {
            assert!(!self.clients[rank].ended(), "no message follows END");
            self.to_rank[rank].push_back(message);
        }
    }

    fn run(&mut self, chances: &[u8], stop_at: Option<usize>) {
        let ranks = self.clients.len();
        for step in 0.. {
            assert!(step < 1_000_000, "it does not terminate");
            self.now += Duration::from_millis(1);
            let chance = chances[step % chances.len()] ^ (step / chances.len()) as u8;
            if stop_at == Some(step) {
                self.coordinator.stop(StopReason::TimeLimit);
            }
            self.step((step + chance as usize) % ranks, chance);
            self.step(step % ranks, (step / ranks) as u8);
            self.coordinate((step + chance as usize / 2) % ranks);
            if self.clients.iter().all(RankClient::ended) {
                break;
            }
        }
        let in_transit = self.to_rank.iter().any(|queue| !queue.is_empty());
        let is_progress = |message: &ToCoordinator| matches!(message, ToCoordinator::Progress(_));
        let received = self.to_coordinator.iter().flatten().all(is_progress);
        assert!(received && !in_transit, "only progress is in transit after END");
    }
}

fn any_distribution() -> impl Strategy<Value = (Distribution, usize)> {
    let schedule = proptest::sample::select(Schedule::all().collect::<Vec<_>>());
    (schedule, proptest::option::of(1usize..9), 0usize..60, 1usize..9)
        .prop_map(|(schedule, chunk, units, ranks)| (Distribution::new(schedule, chunk, units, ranks, 1), units))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn in_any_order_of_events_every_unit_and_subtask_is_counted_once_or_left_by_a_stop(
        (distribution, units) in any_distribution(),
        chances in proptest::collection::vec(any::<u8>(), 1..200),
        stop_at in proptest::option::of(0usize..300),
    ) {
        let workers = workers(&distribution, units);
        let mut world = World::new(distribution, units, &workers);
        world.run(&chances, stop_at);
        let sum = |value: fn(&Worker) -> usize| workers.iter().map(|worker| value(&worker.borrow())).sum::<usize>();
        let left = sum(|worker| worker.queue.len() + worker.unfinished) + world.coordinator.unassigned() as usize;
        prop_assert_eq!(sum(|worker| worker.counted.len()) + left, units + sum(|worker| worker.split));
        let counted = workers.iter().flat_map(|worker| worker.borrow().counted.clone());
        let mut whole: Vec<usize> = counted.filter(|id| !id.is_subtask).map(|id| id.unit).collect();
        whole.sort_unstable();
        prop_assert!(whole.is_sorted_by(|one, next| one < next), "a unit was counted twice");
        if stop_at.is_none() {
            prop_assert_eq!((world.coordinator.stopped, left), (None, 0));
            prop_assert!(whole.into_iter().eq(0..units));
        }
    }
}

#[test]
fn a_count_whose_subtasks_are_split_again_and_again_terminates() {
    let distribution = Distribution::new(Schedule::Steal, Some(4), 7, 8, 1);
    let workers = workers(&distribution, 7);
    World::new(distribution, 7, &workers).run(&[149], None);
    let split: usize = workers.iter().map(|worker| worker.borrow().split).sum();
    assert!(split > MOST_SPLITS, "{split}");
}

#[test]
fn solutions_of_all_ranks_add_up_beyond_64_bits_and_never_wrap() {
    let distribution = Distribution::new(Schedule::Steal, None, 0, 3, 1);
    let mut coordinator = Coordinator::new(distribution, UNIT_BYTES, Vec::new());
    let progress = |found| ToCoordinator::Progress(RankProgress { found, ..RankProgress::default() });
    coordinator.receive(0, progress(u64::MAX.into()));
    coordinator.receive(2, progress(u64::MAX.into()));
    assert_eq!(coordinator.found(), u128::from(u64::MAX) * 2);
    coordinator.receive(1, progress(u128::MAX));
    assert_eq!(coordinator.found(), u128::MAX);
}

#[test]
fn one_unit_is_split_for_all_idle_ranks() {
    let distribution = Distribution::new(Schedule::Steal, None, 1, 8, 1);
    let workers = workers(&distribution, 1);
    let id = workers[0].borrow_mut().queue.pop_front().expect("the unit");
    workers[0].borrow_mut().current = Some((id, 200));
    World::new(distribution, 1, &workers).run(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], None);
    let helpers = workers[1..].iter().filter(|worker| !worker.borrow().counted.is_empty()).count();
    assert!(helpers >= 4, "{helpers} of 7 ranks got a subtask");
}
