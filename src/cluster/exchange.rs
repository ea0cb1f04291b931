//! One rank in the conversation of one count: carries what is said between the rank's own side ([`Member`]) and rank 0's
//! ([`Dealer`]), over MPI or, on rank 0, from hand to hand. Never waits.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::crew::Crew;
use super::dealer::Dealer;
use super::link::Link;
use super::member::{Member, Pace, Rounds};
use super::message::{News, ToLead, ToRank};
use super::progress::{Progress, Watch, outlook};
use super::schedule::Deal;
use super::stop::{Signals, Stop, StopReason};
use super::{Fault, give_up};

/// One rank's part in the conversation.
pub(super) struct Exchange<'a> {
    link: &'a Link,
    signals: &'a Signals,
    member: Member<'a, Crew<'a>>,
    lead: Option<Lead<'a>>,
    halted: bool,
}

/// What rank 0 needs beside its part as a member.
pub(super) struct Lead<'a> {
    dealer: Dealer,
    stop: Stop<'a>,
    /// Stop at this many solutions, those above the depth not included.
    limit: Option<u64>,
    /// Solutions that are known: met above the depth, or found by earlier runs.
    above: u128,
    /// Units of each rank's first block.
    first: Vec<usize>,
    /// Told how far the count is, a few times a second.
    watch: &'a mut Watch<'a>,
    start: Instant,
    shown: Instant,
    /// Seconds spent on answering requests.
    serving: f64,
}

/// How long rank 0 keeps to itself how far the count is.
const BETWEEN_SHOWS: Duration = Duration::from_millis(100);

impl<'a> Exchange<'a> {
    pub(super) fn new(
        link: &'a Link,
        signals: &'a Signals,
        crew: &'a Crew<'a>,
        deal: Deal,
        limited: bool,
        lead: Option<Lead<'a>>,
    ) -> Self {
        let pace = pace(link, limited);
        Exchange { link, signals, member: Member::new(deal, crew, pace, Instant::now()), lead, halted: false }
    }

    /// Says what is to be said and hears what has come in. Returns whether anything was.
    pub(super) fn talk(&mut self) -> bool {
        let said = self.member.say(Instant::now());
        let mut stirred = said.iter().any(|message| !matches!(message, ToLead::News(_)));
        match &mut self.lead {
            Some(lead) => {
                let (begin, before) = (Instant::now(), lead.dealer.requests());
                said.into_iter().for_each(|message| lead.dealer.hear(0, message));
                while let Some((rank, tag, bytes)) = self.link.receive() {
                    stirred = true;
                    let message = ToLead::decode(tag, bytes).unwrap_or_else(|| not_understood(rank, tag));
                    lead.dealer.hear(rank, message);
                }
                lead.consider_stopping();
                for (rank, message) in lead.dealer.decide() {
                    stirred = true;
                    match rank {
                        0 => self.member.hear(message, Instant::now()),
                        _ => send(self.link, rank, message.encode()),
                    }
                }
                if lead.dealer.requests() > before {
                    lead.serving += begin.elapsed().as_secs_f64();
                }
                lead.show();
            }
            None => {
                if !self.member.ended()
                    && let Some(signal) = self.signals.to_tell(&mut self.halted)
                {
                    send(self.link, 0, ToLead::Halt(signal).encode());
                }
                said.into_iter().for_each(|message| send(self.link, 0, message.encode()));
                while !self.member.ended()
                    && let Some((_, tag, bytes)) = self.link.receive()
                {
                    stirred = true;
                    let message = ToRank::decode(tag, bytes).unwrap_or_else(|| not_understood(0, tag));
                    self.member.hear(message, Instant::now());
                }
            }
        }
        stirred
    }

    /// Whether there is something that should come soon.
    pub(super) fn expects(&self) -> bool {
        self.member.expects_a_block()
            || self.lead.as_ref().is_some_and(|lead| lead.dealer.expects_a_gift())
            || !self.link.all_sent()
    }

    /// Whether everyone has finished.
    pub(super) fn ended(&self) -> bool {
        self.member.ended()
    }

    /// How long blocks took to come, and on rank 0 how the count was led.
    pub(super) fn end(self) -> (Rounds, Option<Led>) {
        let led = self.lead.map(|lead| Led {
            stopped: lead.dealer.stopped(),
            undealt: lead.dealer.undealt(),
            requests: lead.dealer.requests(),
            serving: lead.serving,
        });
        (self.member.rounds(), led)
    }
}

/// How a count was led.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Led {
    /// Why it was stopped, if it was.
    pub stopped: Option<StopReason>,
    /// Units that nobody got.
    pub undealt: u64,
    /// Requests answered.
    pub requests: u64,
    /// Seconds spent on that.
    pub serving: f64,
}

impl<'a> Lead<'a> {
    /// Leads the count of a pool of which each rank has got its first block.
    pub(super) fn new(
        dealer: Dealer,
        stop: Stop<'a>,
        limit: Option<u64>,
        above: u128,
        first: &[Range<usize>],
        watch: &'a mut Watch<'a>,
    ) -> Lead<'a> {
        let now = Instant::now();
        let first = first.iter().map(ExactSizeIterator::len).collect();
        Lead { dealer, stop, limit, above, first, watch, start: now, shown: now, serving: 0.0 }
    }

    fn consider_stopping(&mut self) {
        if let Some(reason) = self.stop.reason() {
            self.dealer.stop(reason);
        }
        if self.limit.is_some_and(|limit| self.dealer.found() >= limit.into()) {
            self.dealer.stop(StopReason::Limit);
        }
    }

    fn show(&mut self) {
        if self.shown.elapsed() < BETWEEN_SHOWS {
            return;
        }
        self.shown = Instant::now();
        let news = self.dealer.news();
        let sum = |what: fn(&News) -> u64| news.clone().map(what).sum::<u64>();
        let busy: f64 = news.clone().map(|news| news.busy).sum();
        let deal = self.dealer.deal();
        let outlook = outlook(deal, self.dealer.units(), &self.first, news.clone());
        (self.watch)(&Progress {
            seconds: self.start.elapsed().as_secs_f64(),
            share: outlook.map(|(work, _)| if busy + work > 0.0 { busy / (busy + work) } else { 1.0 }),
            left: outlook.map(|(_, left)| left),
            solutions: self.above.saturating_add(self.dealer.found()),
            known: self.above,
            nodes: sum(|news| news.nodes),
            active: sum(|news| news.active),
            workers: deal.ranks * deal.threads,
        });
    }
}

fn not_understood(rank: usize, tag: i32) -> ! {
    give_up(&Fault::Protocol(format!("rank {rank} says something that makes no sense (tag {tag})")), 3)
}

fn send(link: &Link, rank: usize, (tag, bytes): (i32, Vec<u8>)) {
    link.send(rank, tag, bytes);
}

/// How often a rank tells what it has done: the more ranks, the less often, so that rank 0 can hear them all. What rank 0
/// tells itself costs nothing.
fn pace(link: &Link, limited: bool) -> Pace {
    if link.rank() == 0 {
        return Pace { found: Duration::ZERO, always: Duration::ZERO };
    }
    let ranks = link.size() as u32;
    let always = Duration::from_millis(200) + Duration::from_micros(200) * ranks;
    let found = if limited { Duration::from_millis(2) + Duration::from_micros(20) * ranks } else { always };
    Pace { found, always }
}
