//! Heartbeat: detects ranks that can no longer be reached. docs/protocol.md describes it. The timeout and its default are
//! `HeartbeatTimeout` in `handshake.rs`, where the ranks agree on it.
//!
//! This module calls neither MPI nor a clock: received messages and the time are passed in, and it returns what to
//! send. `comm/mpi.rs` calls it.

use std::time::{Duration, Instant};

const BETWEEN_POLLS: Duration = Duration::from_millis(20);
/// About the time that it takes to end a job.
const GRACE: Duration = Duration::from_millis(800);
/// The longest silence that one poll can add.
const LONGEST_STEP: Duration = Duration::from_secs(1);

pub(crate) const ACTIVE: u8 = 1;
pub(crate) const PAUSED: u8 = 0;

#[derive(Debug)]
pub(crate) struct Heartbeat {
    timeout: Duration,
    /// How long this rank waits after the timeout for another rank to end the job first.
    grace: Duration,
    /// Time between two heartbeats of rank 0.
    interval: Duration,
    /// On rank 0 all other ranks, in order; elsewhere rank 0.
    peers: Vec<Peer>,
    is_coordinator: bool,
    /// Whether rank 0 coordinates a job, as far as this rank knows.
    pub active: bool,
    /// On rank 0: whether the others know that it is active. Elsewhere: whether the last heartbeat was answered.
    announced: bool,
    sent: Instant,
    polled: Instant,
}

#[derive(Debug)]
struct Peer {
    rank: usize,
    host: String,
    silent: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no heartbeat from rank {rank} on {host} for {} s (--heartbeat-timeout)", timeout.as_secs_f64())]
pub(crate) struct Lost {
    rank: usize,
    host: String,
    timeout: Duration,
}

impl Heartbeat {
    /// `hosts` are the hosts of all ranks.
    pub(crate) fn new(timeout: Duration, rank: usize, hosts: &[String], now: Instant) -> Heartbeat {
        let is_coordinator = rank == 0;
        let peers = if is_coordinator { 1..hosts.len() } else { 0..1 };
        let peers = peers.map(|rank| Peer { rank, host: hosts[rank].clone(), silent: Duration::ZERO }).collect();
        // When rank 0 is lost, all others notice at the same time, and one message is enough: the first rank of each host
        // waits for rank 1, and the others for the first of their host.
        let is_first_of_host = hosts.iter().position(|host| hosts.get(rank) == Some(host)) == Some(rank);
        let grace = match rank {
            0 | 1 => Duration::ZERO,
            _ if is_first_of_host => GRACE,
            _ => 2 * GRACE,
        };
        let interval = Duration::from_secs(1) + Duration::from_micros(250) * hosts.len() as u32;
        Heartbeat {
            timeout,
            grace,
            interval: interval.min(timeout / 4),
            peers,
            is_coordinator,
            active: false,
            announced: !is_coordinator,
            sent: now,
            polled: now,
        }
    }

    /// Rank 0 begins to coordinate a job. The first heartbeat is due at the next poll: should rank 0 be lost soon, the others have
    /// to know that a job runs.
    pub(crate) fn resume(&mut self, now: Instant) {
        self.active = true;
        (self.sent, self.polled) = (now.checked_sub(self.interval).unwrap_or(now), now);
        self.peers.iter_mut().for_each(|peer| peer.silent = Duration::ZERO);
    }

    /// Rank 0 pauses. Returns whether to send PAUSED to all peers.
    pub(crate) fn pause(&mut self) -> bool {
        self.active = false;
        std::mem::replace(&mut self.announced, false)
    }

    pub(crate) fn is_due(&self, now: Instant) -> bool {
        now - self.polled >= BETWEEN_POLLS && (self.active || !self.is_coordinator)
    }

    /// A rank has sent a heartbeat, or (`None`) any other message.
    pub(crate) fn receive(&mut self, rank: usize, heartbeat: Option<u8>) {
        let index = if self.is_coordinator { rank.wrapping_sub(1) } else { rank };
        let Some(peer) = self.peers.get_mut(index) else { return };
        peer.silent = Duration::ZERO;
        if !self.is_coordinator
            && let Some(heartbeat) = heartbeat
        {
            self.active = heartbeat == ACTIVE;
            self.announced = !self.active;
        }
    }

    /// Adds the silence since the last poll, after everything that has arrived was received. Returns whether to send
    /// ACTIVE to all peers now.
    pub(crate) fn check(&mut self, now: Instant) -> Result<bool, Lost> {
        let silence = (now - self.polled).min(LONGEST_STEP).min(self.timeout / 4);
        self.polled = now;
        if self.active {
            self.peers.iter_mut().for_each(|peer| peer.silent += silence);
        }
        if let Some(peer) = self.peers.iter().find(|peer| peer.silent >= self.timeout + self.grace) {
            return Err(Lost { rank: peer.rank, host: peer.host.clone(), timeout: self.timeout });
        }
        let send = if self.is_coordinator { self.active && now - self.sent >= self.interval } else { !self.announced };
        if send {
            (self.sent, self.announced) = (now, true);
        }
        Ok(send)
    }

    pub(crate) fn peers(&self) -> impl Iterator<Item = usize> {
        self.peers.iter().map(|peer| peer.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    fn hosts() -> [String; 4] {
        ["a", "a", "b", "b"].map(String::from)
    }

    fn coordinator(start: Instant) -> Heartbeat {
        let mut heartbeat = Heartbeat::new(TIMEOUT, 0, &hosts(), start);
        heartbeat.resume(start);
        heartbeat
    }

    /// Polls every tenth of a second from one second to another; returns how many heartbeats were due.
    fn poll(heartbeat: &mut Heartbeat, start: Instant, seconds: std::ops::Range<u64>) -> Result<usize, Lost> {
        let mut sent = 0;
        for tenth in seconds.start * 10 + 1..=seconds.end * 10 {
            sent += usize::from(heartbeat.check(start + Duration::from_millis(100 * tenth))?);
        }
        Ok(sent)
    }

    #[test]
    fn rank_0_sends_a_heartbeat_once_a_second_and_names_the_rank_that_does_not_answer() {
        let start = Instant::now();
        let mut heartbeat = coordinator(start);
        for second in 0..10 {
            heartbeat.receive(1, Some(ACTIVE));
            heartbeat.receive(3, None); // any other message
            heartbeat.receive(9, Some(PAUSED)); // no such rank
            let polled = poll(&mut heartbeat, start, second..second + 1);
            if second < 9 {
                assert!(polled.is_ok_and(|sent| sent <= 1));
            } else {
                let line = polled.expect_err("rank 2 was silent").to_string();
                assert_eq!(line, "no heartbeat from rank 2 on b for 10 s (--heartbeat-timeout)");
            }
        }
    }

    #[test]
    fn time_in_which_the_listener_was_stopped_is_not_silence() {
        let start = Instant::now();
        let mut heartbeat = coordinator(start);
        for hour in 1..9 {
            assert!(heartbeat.check(start + Duration::from_secs(3600 * hour)).is_ok());
        }
    }

    #[test]
    fn a_rank_answers_every_heartbeat_and_expects_none_while_rank_0_is_paused() {
        let start = Instant::now();
        let mut heartbeat = Heartbeat::new(TIMEOUT, 1, &hosts(), start);
        assert_eq!(poll(&mut heartbeat, start, 0..100), Ok(0), "no heartbeat yet");
        heartbeat.receive(0, Some(ACTIVE));
        assert_eq!(poll(&mut heartbeat, start, 100..109), Ok(1), "one answer");
        heartbeat.receive(0, Some(PAUSED));
        assert_eq!(poll(&mut heartbeat, start, 109..200), Ok(0));
        heartbeat.receive(0, Some(ACTIVE));
        assert!(poll(&mut heartbeat, start, 200..209).is_ok());
        let lost = poll(&mut heartbeat, start, 209..211).expect_err("rank 0 has sent one heartbeat and no more");
        assert!(lost.to_string().starts_with("no heartbeat from rank 0 on a"), "{lost}");
    }

    #[test]
    fn when_rank_0_is_lost_one_rank_reports_it_before_the_others() {
        let start = Instant::now();
        let seconds_until_lost = |rank| {
            let mut heartbeat = Heartbeat::new(TIMEOUT, rank, &hosts(), start);
            heartbeat.receive(0, Some(ACTIVE));
            (0..).find(|&second| poll(&mut heartbeat, start, second..second + 1).is_err())
        };
        assert_eq!([1, 2, 3].map(seconds_until_lost), [Some(9), Some(10), Some(11)]);
    }

    #[test]
    fn rank_0_announces_a_pause_only_if_it_has_announced_that_it_is_active() {
        let start = Instant::now();
        let mut heartbeat = coordinator(start);
        assert!(!heartbeat.pause(), "no heartbeat was sent");
        heartbeat.resume(start);
        assert_eq!(poll(&mut heartbeat, start, 0..2), Ok(2), "at once, and a second later");
        assert!(heartbeat.pause());
        assert!(!heartbeat.is_due(start + TIMEOUT), "a paused coordinator does not poll");
    }
}
