//! Every rank's side of the conversation, rank 0's included: when to ask for a block, what to give away, when to say that
//! there is nothing to do.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::count::Control;

use super::crew::{Crew, Standing};
use super::message::{ToLead, ToRank};
use super::schedule::{Deal, MAX_ASKS};

/// How long a rank that was asked to share waits for its workers to split something off.
const PATIENCE_TO_GIVE: Duration = Duration::from_millis(5);

/// One rank's part in a count.
pub(super) struct Member<'a> {
    deal: Deal,
    crew: &'a Crew<'a>,
    control: &'a Control,
    /// When the asks that have not been answered were made, and the units of the last block.
    asks: VecDeque<Instant>,
    last_block: usize,
    /// Whether there is nothing more to ask for.
    dry: bool,
    rounds: Rounds,
    /// Blocks that have come in.
    heard: u64,
    /// The blocks that had come in when this rank last said that it has nothing to do.
    told_idle: Option<u64>,
    /// Since when others wait for this rank to give something.
    asked_to_give: Option<Instant>,
    /// The solutions of the last news, and when they were told.
    told: (u64, Instant),
    pace: Pace,
    ended: bool,
}

/// How often a rank tells what it has done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// When it has found something new.
    pub found: Duration,
    /// In any case.
    pub always: Duration,
}

/// How long blocks took to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Rounds {
    /// Blocks that were asked for and came.
    pub count: u64,
    /// Seconds from asking to having, all together.
    pub seconds: f64,
}

impl Rounds {
    /// Seconds from asking to having, in the mean.
    pub(super) fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.seconds / self.count as f64)
    }

    pub(super) fn plus(self, other: Rounds) -> Rounds {
        Rounds { count: self.count + other.count, seconds: self.seconds + other.seconds }
    }
}

impl<'a> Member<'a> {
    /// A rank that has got its first block.
    pub(super) fn new(deal: Deal, crew: &'a Crew<'a>, control: &'a Control, pace: Pace) -> Member<'a> {
        Member {
            deal,
            crew,
            control,
            asks: VecDeque::new(),
            last_block: crew.standing().waiting.max(1),
            dry: false,
            rounds: Rounds::default(),
            heard: 0,
            told_idle: None,
            asked_to_give: None,
            told: (0, Instant::now()),
            pace,
            ended: false,
        }
    }

    /// What this rank has to say at this moment.
    pub(super) fn say(&mut self) -> Vec<ToLead> {
        let mut said = Vec::new();
        if self.ended {
            return said;
        }
        let now = Instant::now();
        let standing = self.crew.standing();
        if let Some(since) = self.asked_to_give {
            said.extend(self.give(since, &standing));
        }
        if self.may_ask() {
            let (low, enough) = self.deal.ahead(standing.mean_unit(), self.rounds.mean());
            let coming = |asks: usize| standing.waiting + asks * self.last_block;
            if coming(self.asks.len()) < low {
                while coming(self.asks.len()) < enough && self.asks.len() < MAX_ASKS {
                    self.asks.push_back(now);
                    said.push(ToLead::Ask);
                }
            }
            self.crew.set_low(if self.asks.is_empty() { low } else { 0 });
        }
        if standing.idle && self.told_idle != Some(self.heard) {
            self.told_idle = Some(self.heard);
            said.push(ToLead::Idle { heard: self.heard, news: standing.news });
        } else if !standing.idle && now - self.told.1 >= self.until_news(standing.news.found) {
            self.told = (standing.news.found, now);
            said.push(ToLead::News(standing.news));
        }
        said
    }

    /// Hears what rank 0 says.
    pub(super) fn hear(&mut self, message: ToRank) {
        match message {
            ToRank::Block(entries) => {
                self.heard += 1;
                self.last_block = self.crew.add(&entries);
                // What comes when nothing was asked for is a gift.
                if let Some(asked) = self.asks.pop_front() {
                    self.rounds.count += 1;
                    self.rounds.seconds += asked.elapsed().as_secs_f64();
                }
            }
            ToRank::Dry => {
                self.dry = true;
                self.asks.clear();
                self.crew.set_low(0);
            }
            ToRank::Share(parts) => {
                self.asked_to_give = Some(Instant::now());
                self.crew.want(parts);
            }
            ToRank::Stop => self.control.stop(),
            ToRank::End => self.ended = true,
        }
    }

    /// Whether a block should be on its way.
    pub(super) fn expects_a_block(&self) -> bool {
        !self.asks.is_empty()
    }

    /// Whether everyone has finished.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// How long blocks took to come.
    pub(super) fn rounds(&self) -> Rounds {
        self.rounds
    }

    fn until_news(&self, found: u64) -> Duration {
        if found > self.told.0 { self.pace.found } else { self.pace.always }
    }

    fn may_ask(&self) -> bool {
        !self.deal.schedule.is_fixed() && !self.dry && !self.control.stopped()
    }

    /// What there is to give to others: nothing yet, something, or the word that there will be nothing.
    fn give(&mut self, since: Instant, standing: &Standing) -> Option<ToLead> {
        let entries = self.crew.take_wanted();
        if entries.is_empty() && !standing.idle && !self.control.stopped() && since.elapsed() < PATIENCE_TO_GIVE {
            return None;
        }
        self.asked_to_give = None;
        self.crew.want(0);
        Some(ToLead::Gift(entries))
    }
}
