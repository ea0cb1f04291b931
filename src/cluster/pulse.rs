//! Who has not been heard of for too long.
//!
//! A rank that dies is noticed by the launcher. One that can no longer be reached (a cut cable, a host that hangs) is not,
//! or much later, and everyone would wait for it. So rank 0 calls all others about once a second while it leads a count
//! or a listing, and they answer; whoever has not heard of the other for too long ends the job on its side.
//!
//! ```text
//!   rank 0 → rank r   HERE   I lead: answer, and expect to hear from me
//!                     AWAY   I am about to do something that may take any time, such as reading: expect nothing
//!   rank r → rank 0   HERE   I am there
//! ```
//!
//! Anything else that a rank says is as good as an answer. Time counts as silence only as far as the listener has listened: one
//! that was itself held up (SIGSTOP, a laptop's lid, swapping) must not take that for the silence of the others.
//!
//! This file knows neither MPI nor clocks: it is told what was heard and what time it is, and says what is to be said.

use std::fmt;
use std::time::{Duration, Instant};

/// How often to listen.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// How long it takes to end a job, more or less.
const GRACE: Duration = Duration::from_millis(800);
/// The most silence that one look can find.
const MOST_AT_ONCE: Duration = Duration::from_secs(1);

/// What ranks say to each other about being there.
pub(super) const HERE: u8 = 1;
pub(super) const AWAY: u8 = 0;

/// One rank's knowledge of whether others are there.
#[derive(Debug)]
pub(super) struct Pulse {
    /// How long somebody may be silent.
    limit: Duration,
    /// How long this rank then leaves it to another to say so.
    grace: Duration,
    /// How often rank 0 calls.
    gap: Duration,
    /// All other ranks on rank 0, in their order; only rank 0 elsewhere.
    peers: Vec<Peer>,
    leads: bool,
    /// Whether rank 0 leads something at the moment, as far as this rank knows.
    here: bool,
    /// Whether something is to be said: rank 0 has called and the others know it, or this rank has not answered.
    told: bool,
    called: Instant,
    looked: Instant,
}

#[derive(Debug)]
struct Peer {
    rank: usize,
    host: String,
    silent: Duration,
}

/// A rank that has not been heard of for too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    rank: usize,
    host: String,
    limit: Duration,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Lost { rank, host, limit } = self;
        write!(f, "rank {rank} on {host} has not been heard of for {} s (--lost-after)", limit.as_secs_f64())
    }
}

impl Pulse {
    /// The side of one rank, with the hosts of all of them.
    pub(super) fn new(limit: Duration, rank: usize, hosts: &[String], now: Instant) -> Pulse {
        let leads = rank == 0;
        let peers = hosts.iter().enumerate().skip(usize::from(leads)).take(if leads { hosts.len() } else { 1 });
        let peers = peers.map(|(rank, host)| Peer { rank, host: host.clone(), silent: Duration::ZERO }).collect();
        let gap = Duration::from_secs(1) + Duration::from_micros(250) * hosts.len() as u32;
        // When rank 0 is lost, all others find that at the same moment, and one line about it is enough.
        let first_of_host = hosts.iter().position(|host| hosts.get(rank) == Some(host)) == Some(rank);
        let grace = match rank {
            0 | 1 => Duration::ZERO,
            _ if first_of_host => GRACE,
            _ => 2 * GRACE,
        };
        let gap = gap.min(limit / 4);
        Pulse { limit, grace, gap, peers, leads, here: false, told: !leads, called: now, looked: now }
    }

    /// Whether this is rank 0, and leads something.
    pub(super) fn is_leading(&self) -> bool {
        self.leads && self.here
    }

    /// Rank 0 begins to lead something, and to look after the others. It calls them at the next look: should it be lost soon, they
    /// have to know that there was something to expect.
    pub(super) fn step_in(&mut self, now: Instant) {
        self.here = true;
        (self.called, self.looked) = (now.checked_sub(self.gap).unwrap_or(now), now);
        self.peers.iter_mut().for_each(|peer| peer.silent = Duration::ZERO);
    }

    /// Rank 0 turns to something else; whether the others have to know.
    pub(super) fn step_out(&mut self) -> bool {
        self.here = false;
        std::mem::replace(&mut self.told, false)
    }

    /// Whether it is time to look what has been heard.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        now - self.looked >= BETWEEN_LOOKS && (self.here || !self.leads)
    }

    /// Hears a word of a rank about being there, or (`None`) anything else that it says.
    pub(super) fn hear(&mut self, rank: usize, word: Option<u8>) {
        let place = if self.leads { rank.wrapping_sub(1) } else { rank };
        let Some(peer) = self.peers.get_mut(place) else { return };
        peer.silent = Duration::ZERO;
        if !self.leads
            && let Some(word) = word
        {
            self.here = word == HERE;
            self.told = !self.here;
        }
    }

    /// Takes down the silence since the last look, after all that has come was heard. Says who is lost, if anybody is, and
    /// whether to say HERE now, to everyone that this rank looks after.
    pub(super) fn look(&mut self, now: Instant) -> Result<bool, Lost> {
        let silence = (now - self.looked).min(MOST_AT_ONCE).min(self.limit / 4);
        self.looked = now;
        if self.here {
            self.peers.iter_mut().for_each(|peer| peer.silent += silence);
        }
        if let Some(peer) = self.peers.iter().find(|peer| peer.silent >= self.limit + self.grace) {
            return Err(Lost { rank: peer.rank, host: peer.host.clone(), limit: self.limit });
        }
        let speak = if self.leads { self.here && now - self.called >= self.gap } else { !self.told };
        if speak {
            (self.called, self.told) = (now, true);
        }
        Ok(speak)
    }

    /// Those that this rank looks after.
    pub(super) fn peers(&self) -> impl Iterator<Item = usize> {
        self.peers.iter().map(|peer| peer.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_secs(10);

    fn hosts() -> [String; 4] {
        ["a", "a", "b", "b"].map(String::from)
    }

    fn lead(start: Instant) -> Pulse {
        let mut pulse = Pulse::new(USUAL, 0, &hosts(), start);
        pulse.step_in(start);
        pulse
    }

    /// Looks every tenth of a second, from one moment to another.
    fn listen(pulse: &mut Pulse, start: Instant, seconds: std::ops::Range<u64>) -> Result<usize, Lost> {
        let mut said = 0;
        for tenth in seconds.start * 10 + 1..=seconds.end * 10 {
            said += usize::from(pulse.look(start + Duration::from_millis(100 * tenth))?);
        }
        Ok(said)
    }

    #[test]
    fn rank_0_calls_once_a_second_and_names_who_does_not_answer() {
        let start = Instant::now();
        let mut pulse = lead(start);
        for second in 0..10 {
            pulse.hear(1, Some(HERE));
            pulse.hear(3, None);
            let heard = listen(&mut pulse, start, second..second + 1);
            if second < 9 {
                assert!(heard.is_ok_and(|said| said <= 1));
            } else {
                let line = heard.expect_err("rank 2 has said nothing").to_string();
                assert_eq!(line, "rank 2 on b has not been heard of for 10 s (--lost-after)");
            }
        }
    }

    #[test]
    fn whatever_a_rank_says_is_a_sign_of_life() {
        let start = Instant::now();
        let mut pulse = lead(start);
        for second in 0..30 {
            (1..4).for_each(|rank| pulse.hear(rank, None));
            pulse.hear(9, Some(AWAY)); // nobody
            assert!(listen(&mut pulse, start, second..second + 1).is_ok());
        }
    }

    #[test]
    fn a_listener_that_was_held_up_does_not_take_that_for_silence() {
        let start = Instant::now();
        let mut pulse = lead(start);
        for hour in 1..9 {
            assert!(pulse.look(start + Duration::from_secs(3600 * hour)).is_ok());
        }
    }

    #[test]
    fn a_rank_answers_every_call_and_expects_nothing_of_a_rank_0_that_is_away() {
        let start = Instant::now();
        let mut pulse = Pulse::new(USUAL, 1, &hosts(), start);
        assert_eq!(listen(&mut pulse, start, 0..100), Ok(0), "nothing was said yet");
        pulse.hear(0, Some(HERE));
        assert_eq!(listen(&mut pulse, start, 100..109), Ok(1), "one answer");
        pulse.hear(0, Some(AWAY));
        assert_eq!(listen(&mut pulse, start, 109..200), Ok(0));
        pulse.hear(0, Some(HERE));
        assert!(listen(&mut pulse, start, 200..209).is_ok());
        let lost = listen(&mut pulse, start, 209..211).expect_err("rank 0 has called once and never again");
        assert!(lost.to_string().starts_with("rank 0 on a has not been heard of"), "{lost}");
    }

    #[test]
    fn when_rank_0_is_lost_ranks_leave_it_to_one_to_say_so() {
        let start = Instant::now();
        let seconds_until_lost = |rank| {
            let mut pulse = Pulse::new(USUAL, rank, &hosts(), start);
            pulse.hear(0, Some(HERE));
            (0..).find(|&second| listen(&mut pulse, start, second..second + 1).is_err())
        };
        assert_eq!([1, 2, 3].map(seconds_until_lost), [Some(9), Some(10), Some(11)]);
    }

    #[test]
    fn rank_0_says_that_it_goes_only_to_those_who_know_that_it_came() {
        let start = Instant::now();
        let mut pulse = lead(start);
        assert!(!pulse.step_out(), "it has said nothing");
        pulse.step_in(start);
        assert_eq!(listen(&mut pulse, start, 0..2), Ok(2), "at once, and a second later");
        assert!(pulse.step_out());
        assert!(!pulse.is_due(start + USUAL), "it does not even listen");
    }
}
