//! The conversation, both sides of it, in a world where chance decides who comes next.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::super::member::{Hands, Member, Pace, Standing};
use super::*;
use proptest::prelude::*;

const UNIT_BYTES: usize = 2;

/// A worker without a thread: takes a unit from its queue, is at it for some steps, and writes it down.
#[derive(Default)]
struct Hand {
    queue: VecDeque<Label>,
    at: Option<(Label, u8)>,
    outward: usize,
    stopped: bool,
    counted: Vec<Label>,
    unfinished: usize,
    split: usize,
}

impl Hand {
    fn work(&mut self, chance: u8) {
        match self.at.take() {
            Some(_) if self.stopped => self.unfinished += 1,
            Some((label, 0)) => self.counted.push(label),
            Some((label, steps)) => {
                if self.outward > self.queue.len() && chance & 1 == 0 {
                    self.split += 1;
                    self.queue.push_back(label.of_part());
                }
                self.at = Some((label, steps - 1));
            }
            None if self.stopped => {}
            None => self.at = self.queue.pop_front().map(|label| (label, chance % 8)),
        }
    }
}

impl Hands for RefCell<Hand> {
    fn standing(&self) -> Standing {
        let hand = self.borrow();
        let idle = hand.at.is_none() && (hand.queue.is_empty() || hand.stopped);
        Standing { waiting: hand.queue.len(), idle, mean_unit: 0.004, news: News::default() }
    }

    fn add(&self, entries: &[u8]) -> usize {
        let labels = entries.chunks_exact(Label::BYTES + UNIT_BYTES);
        let count = labels.len();
        self.borrow_mut().queue.extend(labels.filter_map(|entry| Label::all_from(&entry[..Label::BYTES]).next()));
        count
    }

    fn want(&self, parts: usize) {
        self.borrow_mut().outward = parts;
    }

    fn set_low(&self, _: usize) {}

    fn take_wanted(&self) -> Vec<u8> {
        let mut hand = self.borrow_mut();
        let spare = hand.queue.len().saturating_sub(usize::from(hand.at.is_none()));
        let rest = hand.queue.len() - hand.outward.min(spare.div_ceil(2));
        let taken = hand.queue.split_off(rest);
        taken.into_iter().flat_map(|label| [&label.to_bytes()[..], &[7; UNIT_BYTES]].concat()).collect()
    }

    fn stop(&self) {
        self.borrow_mut().stopped = true;
    }

    fn stopped(&self) -> bool {
        self.borrow().stopped
    }
}

/// Ranks that talk as in earnest, in a world where chance decides who comes next, and a step takes a millisecond.
struct World<'a> {
    dealer: Dealer,
    hands: &'a [RefCell<Hand>],
    members: Vec<Member<'a, RefCell<Hand>>>,
    /// What each rank has said and rank 0 has not heard, and the other way round.
    to_lead: Vec<VecDeque<ToLead>>,
    to_rank: Vec<VecDeque<ToRank>>,
    now: Instant,
}

fn hands(deal: &Deal, units: usize) -> Vec<RefCell<Hand>> {
    let places: Vec<usize> = deal.arrange(units).collect();
    let queue = |block: std::ops::Range<usize>| places[block].iter().map(|&place| Label::whole(place)).collect();
    let hand = |block| RefCell::new(Hand { queue: queue(block), ..Hand::default() });
    deal.first_blocks(units).into_iter().map(hand).collect()
}

impl<'a> World<'a> {
    fn new(deal: Deal, units: usize, hands: &'a [RefCell<Hand>]) -> World<'a> {
        let dealt = deal.first_blocks(units).last().map_or(0, |block| block.end);
        let (now, pace) =
            (Instant::now(), Pace { found: Duration::from_millis(50), always: Duration::from_millis(50) });
        World {
            dealer: Dealer::new(deal, UNIT_BYTES, units, vec![7; (units - dealt) * UNIT_BYTES], None),
            hands,
            members: hands.iter().map(|hand| Member::new(deal, hand, pace, now)).collect(),
            to_lead: vec![VecDeque::new(); hands.len()],
            to_rank: vec![VecDeque::new(); hands.len()],
            now,
        }
    }

    /// A rank does one thing: works, talks, or hears.
    fn step(&mut self, rank: usize, chance: u8) {
        match chance % 4 {
            0 | 1 => self.hands[rank].borrow_mut().work(chance / 4),
            2 => self.to_lead[rank].extend(self.members[rank].say(self.now)),
            _ => {
                if let Some(message) = self.to_rank[rank].pop_front() {
                    self.members[rank].hear(message, self.now);
                }
            }
        }
    }

    /// Rank 0 hears one thing from a rank and says what follows.
    fn lead(&mut self, rank: usize) {
        if let Some(message) = self.to_lead[rank].pop_front() {
            self.dealer.hear(rank, message);
        }
        for (rank, message) in self.dealer.decide() {
            assert!(!self.members[rank].ended(), "nothing is said after END");
            self.to_rank[rank].push_back(message);
        }
    }

    fn run(&mut self, chances: &[u8], stop_at: Option<usize>) {
        let ranks = self.members.len();
        for step in 0.. {
            assert!(step < 1_000_000, "it never ends");
            self.now += Duration::from_millis(1);
            let chance = chances[step % chances.len()] ^ (step / chances.len()) as u8;
            if stop_at == Some(step) {
                self.dealer.stop(StopReason::TimeLimit);
            }
            self.step((step + chance as usize) % ranks, chance);
            self.step(step % ranks, (step / ranks) as u8);
            self.lead((step + chance as usize / 2) % ranks);
            if self.members.iter().all(Member::ended) {
                break;
            }
        }
        let on_their_way = self.to_rank.iter().any(|queue| !queue.is_empty());
        let news = |message: &ToLead| matches!(message, ToLead::News(_));
        let heard = self.to_lead.iter().flatten().all(news);
        assert!(heard && !on_their_way, "nothing is on its way after END");
    }
}

fn any_deal() -> impl Strategy<Value = (Deal, usize)> {
    let schedule = proptest::sample::select(Schedule::ALL.to_vec());
    (schedule, proptest::option::of(1usize..9), 0usize..60, 1usize..9)
        .prop_map(|(schedule, chunk, units, ranks)| (Deal::new(schedule, chunk, units, ranks, 1), units))
}

proptest! {
    #[test]
    fn every_unit_and_every_part_is_counted_once_in_whatever_order_things_happen(
        (deal, units) in any_deal(),
        chances in proptest::collection::vec(any::<u8>(), 1..200),
    ) {
        let hands = hands(&deal, units);
        let mut world = World::new(deal, units, &hands);
        world.run(&chances, None);
        prop_assert_eq!((world.dealer.stopped(), world.dealer.undealt()), (None, 0));
        let counted: Vec<Label> = hands.iter().flat_map(|hand| hand.borrow().counted.clone()).collect();
        let mut whole: Vec<usize> = counted.iter().filter(|label| !label.part).map(|label| label.unit).collect();
        whole.sort_unstable();
        prop_assert!(whole.into_iter().eq(0..units));
        let split: usize = hands.iter().map(|hand| hand.borrow().split).sum();
        prop_assert_eq!(counted.len(), units + split);
    }

    #[test]
    fn a_stop_at_any_moment_ends_it_and_what_is_left_is_known(
        (deal, units) in any_deal(),
        chances in proptest::collection::vec(any::<u8>(), 1..200),
        moment in 0usize..300,
    ) {
        let hands = hands(&deal, units);
        let mut world = World::new(deal, units, &hands);
        world.run(&chances, Some(moment));
        let of = |what: fn(&Hand) -> usize| hands.iter().map(|hand| what(&hand.borrow())).sum::<usize>();
        let left = of(|hand| hand.queue.len() + hand.unfinished) + world.dealer.undealt() as usize;
        prop_assert_eq!(of(|hand| hand.counted.len()) + left, units + of(|hand| hand.split));
    }
}

#[test]
fn solutions_of_all_ranks_add_up_beyond_64_bits_and_never_wrap() {
    let mut dealer = Dealer::new(Deal::new(Schedule::Steal, None, 0, 3, 1), UNIT_BYTES, 0, Vec::new(), None);
    let news = |found| ToLead::News(News { found, ..News::default() });
    dealer.hear(0, news(u64::MAX.into()));
    dealer.hear(2, news(u64::MAX.into()));
    assert_eq!(dealer.found(), u128::from(u64::MAX) * 2);
    dealer.hear(1, news(u128::MAX));
    assert_eq!(dealer.found(), u128::MAX);
}

#[test]
fn one_unit_is_split_for_all_who_have_nothing_to_do() {
    let deal = Deal::new(Schedule::Steal, None, 1, 8, 1);
    let hands = hands(&deal, 1);
    let label = hands[0].borrow_mut().queue.pop_front().expect("the unit");
    hands[0].borrow_mut().at = Some((label, 200));
    World::new(deal, 1, &hands).run(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], None);
    let helpers = hands[1..].iter().filter(|hand| !hand.borrow().counted.is_empty()).count();
    assert!(helpers >= 4, "{helpers} of 7 got a part");
}
