//! Every rank's side of the conversation, rank 0's included: when to ask for a block, what to give away, when to say that
//! there is nothing to do.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::message::{News, ToLead, ToRank};
use super::schedule::{Deal, MAX_ASKED};

/// How long a rank that was asked to share waits for its workers to split something off, before it says that they do not.
/// Every time that comes to nothing, it waits twice as long, so that few who can give nothing are asked all the time.
const PATIENCE_TO_GIVE: Duration = Duration::from_millis(5);
const MOST_PATIENCE_TO_GIVE: Duration = Duration::from_millis(200);

/// What does the work of a rank: its [`Crew`](super::crew::Crew).
pub(super) trait Hands {
    /// How things stand.
    fn standing(&self) -> Standing;
    /// Takes in entries, and says how many there were.
    fn add(&self, entries: &[u8]) -> usize;
    /// Hears that other ranks want so many parts.
    fn want(&self, parts: usize);
    /// Hears below how many waiting units somebody should look after it.
    fn set_low(&self, units: usize);
    /// Hands over entries that others want.
    fn take_wanted(&self) -> Vec<u8>;
    /// Stops soon.
    fn stop(&self);
    /// Whether it has stopped, or will soon.
    fn stopped(&self) -> bool;
}

/// How things stand on a rank at this moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Units that wait.
    pub waiting: usize,
    /// Whether no worker counts, and none will without new units.
    pub idle: bool,
    /// Seconds that a unit has taken in the mean; 0 before the first is done.
    pub mean_unit: f64,
    /// What has been done.
    pub news: News,
}

/// One rank's part in a count.
pub(super) struct Member<'a, H> {
    deal: Deal,
    hands: &'a H,
    /// When blocks were asked for that have not come, and how many.
    asked: Option<(Instant, usize)>,
    /// The units of the last block.
    last_block: usize,
    /// Whether there is nothing more to ask for.
    dry: bool,
    rounds: Rounds,
    /// Messages with units that have come in.
    heard: u64,
    /// How many had come in when this rank last said that it has nothing to do.
    told_idle: Option<u64>,
    /// Since when others wait for this rank to give something.
    asked_to_give: Option<Instant>,
    patience: Duration,
    /// The solutions of the last news, and when they were told.
    told: (u128, Instant),
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Rounds {
    /// Times that blocks were asked for and came.
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

impl<'a, H: Hands> Member<'a, H> {
    /// A rank that has got its first block.
    pub(super) fn new(deal: Deal, hands: &'a H, pace: Pace, now: Instant) -> Self {
        Member {
            deal,
            hands,
            asked: None,
            last_block: hands.standing().waiting.max(1),
            dry: deal.schedule.is_fixed(),
            rounds: Rounds::default(),
            heard: 0,
            told_idle: None,
            asked_to_give: None,
            patience: PATIENCE_TO_GIVE,
            told: (0, now),
            pace,
            ended: false,
        }
    }

    /// What this rank has to say at this moment.
    pub(super) fn say(&mut self, now: Instant) -> Vec<ToLead> {
        let mut said = Vec::new();
        if self.ended {
            return said;
        }
        let standing = self.hands.standing();
        if let Some(since) = self.asked_to_give {
            said.extend(self.give(now - since, &standing));
        }
        if !self.dry && self.asked.is_none() && !self.hands.stopped() {
            said.extend(self.ask(now, &standing));
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
    pub(super) fn hear(&mut self, message: ToRank, now: Instant) {
        match message {
            ToRank::Block(entries) => {
                self.heard += 1;
                let units = self.hands.add(&entries);
                // What comes when nothing was asked for is a gift.
                if let Some((since, blocks)) = self.asked.take() {
                    self.last_block = units.div_ceil(blocks).max(1);
                    self.rounds = self.rounds.plus(Rounds { count: 1, seconds: (now - since).as_secs_f64() });
                }
            }
            ToRank::Dry => {
                self.dry = true;
                self.asked = None;
            }
            ToRank::Share(parts) => {
                self.asked_to_give = Some(now);
                self.hands.want(parts);
            }
            ToRank::Stop => self.hands.stop(),
            ToRank::End => self.ended = true,
        }
    }

    /// Whether a block should be on its way.
    pub(super) fn expects_a_block(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether everyone has finished.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// How long blocks took to come.
    pub(super) fn rounds(&self) -> Rounds {
        self.rounds
    }

    fn until_news(&self, found: u128) -> Duration {
        if found > self.told.0 { self.pace.found } else { self.pace.always }
    }

    /// Asks for blocks, if it is time to; if not, sees to it that somebody looks again when it is.
    fn ask(&mut self, now: Instant, standing: &Standing) -> Option<ToLead> {
        let (low, enough) = self.deal.ahead(standing.mean_unit, self.rounds.mean());
        if standing.waiting >= low {
            self.hands.set_low(low);
            return None;
        }
        self.hands.set_low(0);
        let blocks = (enough - standing.waiting).div_ceil(self.last_block).min(MAX_ASKED);
        self.asked = Some((now, blocks));
        Some(ToLead::Ask(blocks))
    }

    /// What there is to give to others: nothing yet, something, or the word that there will be nothing.
    fn give(&mut self, waited: Duration, standing: &Standing) -> Option<ToLead> {
        let entries = self.hands.take_wanted();
        if !entries.is_empty() {
            self.patience = PATIENCE_TO_GIVE;
        } else if standing.idle || self.hands.stopped() || waited >= self.patience {
            self.patience = (self.patience * 2).min(MOST_PATIENCE_TO_GIVE);
        } else {
            return None;
        }
        self.asked_to_give = None;
        self.hands.want(0);
        Some(ToLead::Gift(entries))
    }
}
