//! What ranks say to each other while they count, and how it travels.
//!
//! ```text
//!   rank r → rank 0   ASK n          my units run low: n blocks, please
//!                     NEWS news      so much have I done so far
//!                     GIFT entries   parts of my work that nobody has begun; none, if I have none to give
//!                     IDLE n, news   I have nothing to do, after the n-th block you sent me
//!                     HALT signal    somebody wants this job to stop
//!   rank 0 → rank r   BLOCK entries  these are yours
//!                     DRY            the pool is empty: there is nothing more to ask for
//!                     SHARE n        others have nothing to do: give n parts, if you can
//!                     STOP           enough, finish with what you have
//!                     END            everyone has finished
//! ```
//!
//! Messages between two ranks keep their order, so nothing is on its way any more once END has come; but for a HALT that
//! comes too late to change anything, and is heard in the next count, which then ends at once, if there is one. An *entry*
//! is a unit behind its label. Rank 0 talks to itself in the same words, without sending them.

/// What a rank has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct News {
    /// Solutions found; a little late, never too many.
    pub found: u128,
    /// Nodes visited; a little late.
    pub nodes: u64,
    /// Units counted to their end.
    pub units: u64,
    /// Parts of units counted to their end.
    pub parts: u64,
    /// Parts of units given away or put aside.
    pub split: u64,
    /// Seconds that workers have counted, units that are not done included.
    pub busy: f64,
    /// Workers that count at this moment.
    pub active: u64,
}

impl News {
    const WORDS: usize = 8;

    fn to_words(self) -> [u64; News::WORDS] {
        let (high, low) = ((self.found >> 64) as u64, self.found as u64);
        [high, low, self.nodes, self.units, self.parts, self.split, self.busy.to_bits(), self.active]
    }

    fn from_words(words: &[u64]) -> Option<News> {
        let &[high, low, nodes, units, parts, split, busy, active] = words else { return None };
        let found = u128::from(high) << 64 | u128::from(low);
        Some(News { found, nodes, units, parts, split, busy: f64::from_bits(busy), active })
    }
}

/// What a rank says to rank 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ToLead {
    Ask(usize),
    News(News),
    Gift(Vec<u8>),
    Idle { heard: u64, news: News },
    Halt(i32),
}

/// What rank 0 says to a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToRank {
    Block(Vec<u8>),
    Dry,
    Share(usize),
    Stop,
    End,
}

const ASK: i32 = 1;
const NEWS: i32 = 2;
const GIFT: i32 = 3;
const IDLE: i32 = 4;
const HALT: i32 = 5;
const BLOCK: i32 = 6;
const SHARE: i32 = 7;
const STOP: i32 = 8;
const END: i32 = 9;
const DRY: i32 = 10;

impl ToLead {
    /// The tag and the bytes that carry it.
    pub(super) fn encode(self) -> (i32, Vec<u8>) {
        match self {
            ToLead::Ask(blocks) => (ASK, bytes_of(&[blocks as u64])),
            ToLead::News(news) => (NEWS, bytes_of(&news.to_words())),
            ToLead::Gift(entries) => (GIFT, entries),
            ToLead::Idle { heard, news } => (IDLE, [bytes_of(&[heard]), bytes_of(&news.to_words())].concat()),
            ToLead::Halt(signal) => (HALT, bytes_of(&[signal as u64])),
        }
    }

    /// What was said, or `None` if it makes no sense.
    pub(super) fn decode(tag: i32, bytes: Vec<u8>) -> Option<ToLead> {
        Some(match tag {
            ASK => ToLead::Ask(*words_of(&bytes)?.first()? as usize),
            NEWS => ToLead::News(News::from_words(&words_of(&bytes)?)?),
            GIFT => ToLead::Gift(bytes),
            IDLE => {
                let words = words_of(&bytes)?;
                let (&heard, news) = words.split_first()?;
                ToLead::Idle { heard, news: News::from_words(news)? }
            }
            HALT => ToLead::Halt(*words_of(&bytes)?.first()? as i32),
            _ => return None,
        })
    }
}

impl ToRank {
    /// The tag and the bytes that carry it.
    pub(super) fn encode(self) -> (i32, Vec<u8>) {
        match self {
            ToRank::Block(entries) => (BLOCK, entries),
            ToRank::Dry => (DRY, Vec::new()),
            ToRank::Share(parts) => (SHARE, bytes_of(&[parts as u64])),
            ToRank::Stop => (STOP, Vec::new()),
            ToRank::End => (END, Vec::new()),
        }
    }

    /// What was said, or `None` if it makes no sense.
    pub(super) fn decode(tag: i32, bytes: Vec<u8>) -> Option<ToRank> {
        Some(match tag {
            BLOCK => ToRank::Block(bytes),
            SHARE => ToRank::Share(*words_of(&bytes)?.first()? as usize),
            DRY => ToRank::Dry,
            STOP => ToRank::Stop,
            END => ToRank::End,
            _ => return None,
        })
    }
}

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words_of(bytes: &[u8]) -> Option<Vec<u64>> {
    let words = bytes.chunks_exact(8);
    let whole = words.remainder().is_empty();
    whole.then(|| words.map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_survive_their_journey(found: u128, heard: u64, busy in 0.0..1e9f64, entries: Vec<u8>, signal in 0..64i32) {
            let news = News { found, nodes: 1, units: 2, parts: 3, split: 4, busy, active: 5 };
            for said in [
                ToLead::Ask(heard as usize),
                ToLead::News(news),
                ToLead::Gift(entries.clone()),
                ToLead::Idle { heard, news },
                ToLead::Halt(signal),
            ] {
                let (tag, bytes) = said.clone().encode();
                prop_assert_eq!(ToLead::decode(tag, bytes), Some(said));
            }
            for said in [ToRank::Block(entries), ToRank::Dry, ToRank::Share(heard as usize), ToRank::Stop, ToRank::End] {
                let (tag, bytes) = said.clone().encode();
                prop_assert_eq!(ToRank::decode(tag, bytes), Some(said));
            }
        }

        #[test]
        fn what_makes_no_sense_is_not_understood_and_nothing_breaks(tag in -1..12i32, bytes: Vec<u8>) {
            let _ = (ToLead::decode(tag, bytes.clone()), ToRank::decode(tag, bytes));
        }
    }
}
