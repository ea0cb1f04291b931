//! Ranks meet: before anything is ordered, rank 0 sees that all of them are the same program, started in the same way.
//!
//! Another build on one host may mean something else by the same bytes, and only rank 0 reads its arguments: those of a rank
//! that was started with others would be passed over in silence. So each rank hands in a card. Its form must never
//! change, as it is what two different builds have to understand of each other:
//!
//! ```text
//!   8 bytes   CENSUS-1
//!   fields    4 bytes of length, the lowest first, then so many bytes: version, fingerprint of the sources, host, arguments,
//!             each argument with a zero byte behind it. What comes after these is not looked at.
//! ```

use std::env;
use std::hint::black_box;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use super::host::Host;
use super::link::Link;
use super::{Fault, give_up};

const MAGIC: &[u8; 8] = b"CENSUS-1";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long a rank on another host may be silent before it counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostAfter {
    /// For ever.
    Never,
    /// So long, on the same host too.
    Silence(Duration),
}

/// Where the user does not say, and there are several hosts.
const USUAL_PATIENCE: Duration = Duration::from_secs(10);

/// The fingerprint of the sources that this program was built from.
pub fn sources() -> &'static str {
    // Seen as a whole, so that it stands in the program in one piece.
    black_box(env!("CENSUS_SOURCES"))
}

/// What a rank says of itself when it meets the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Card {
    version: String,
    sources: String,
    pub host: String,
    arguments: Vec<u8>,
}

impl Card {
    /// This process.
    pub(super) fn mine() -> Card {
        let arguments = env::args_os().skip(1).flat_map(|argument| argument.into_vec().into_iter().chain([0]));
        Card {
            version: VERSION.into(),
            sources: sources().into(),
            host: Host::here().name.clone(),
            arguments: arguments.collect(),
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let fields = [self.version.as_bytes(), self.sources.as_bytes(), self.host.as_bytes(), &self.arguments];
        let field = |field: &[u8]| [&(field.len() as u32).to_le_bytes(), field].concat();
        MAGIC.iter().copied().chain(fields.into_iter().flat_map(field)).collect()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Card> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut field = || {
            let (length, behind) = rest.split_first_chunk()?;
            let (field, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = behind;
            Some(field)
        };
        let mut text = || field().map(|field| String::from_utf8_lossy(field).into_owned());
        let (version, sources, host) = (text()?, text()?, text()?);
        Some(Card { version, sources, host, arguments: field()?.to_vec() })
    }

    /// The arguments as somebody would type them, the first of them if there are many.
    fn command_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.arguments);
        let words: Vec<&str> = text.split_terminator('\0').collect();
        let line = words.join(" ");
        match line.char_indices().nth(120) {
            Some((at, _)) => format!("`{}…`", &line[..at]),
            None => format!("`{line}`"),
        }
    }
}

/// Sees that all ranks are the same program with the same arguments, or ends the job; and has them look after each other
/// from now on, where they are on several hosts or the user wants it.
pub(super) fn meet(link: &Link, lost_after: Option<LostAfter>) {
    if link.size() == 1 {
        return;
    }
    let cards = link.gather(&Card::mine().to_bytes());
    let watch: Option<(Duration, Vec<String>)> = if link.rank() == 0 {
        let cards = compare(&cards).unwrap_or_else(|fault| {
            // Another program may mean anything by what it hears next: it is not told, but ended.
            give_up(&fault, if matches!(fault, Fault::OtherArguments { .. }) { 2 } else { 3 })
        });
        let hosts: Vec<String> = cards.into_iter().map(|card| card.host).collect();
        let patience = match lost_after {
            Some(LostAfter::Never) => None,
            Some(LostAfter::Silence(patience)) => Some(patience),
            None => hosts.iter().any(|host| *host != hosts[0]).then_some(USUAL_PATIENCE),
        };
        let watch = patience.map(|patience| (patience, hosts));
        link.broadcast(serde_json::to_vec(&watch).unwrap_or_default());
        watch
    } else {
        serde_json::from_slice(&link.broadcast_from_lead(&mut || {})).unwrap_or_default()
    };
    if let Some((patience, hosts)) = watch {
        link.watch(patience, &hosts);
    }
}

/// Rank 0: all cards, its own first, or what is wrong with one of them.
pub(super) fn compare(cards: &[Vec<u8>]) -> Result<Vec<Card>, Fault> {
    let cards = cards.iter().zip(0..).map(|(bytes, rank)| Card::from_bytes(bytes).ok_or(Fault::Stranger { rank }));
    let cards: Vec<Card> = cards.collect::<Result<_, _>>()?;
    let Some((first, others)) = cards.split_first() else { return Ok(cards) };
    for (card, rank) in others.iter().zip(1..) {
        let host = card.host.clone();
        if (&card.version, &card.sources) != (&first.version, &first.sources) {
            let build = |card: &Card| format!("{} from sources {}", card.version, card.sources);
            return Err(Fault::OtherProgram { rank, host, theirs: build(card), ours: build(first) });
        }
        if card.arguments != first.arguments {
            return Err(Fault::OtherArguments { rank, host, theirs: card.command_line(), ours: first.command_line() });
        }
    }
    Ok(cards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn card(sources: &str, arguments: &str) -> Card {
        Card {
            version: "1.2".into(),
            sources: sources.into(),
            host: "node7".into(),
            arguments: arguments.as_bytes().to_vec(),
        }
    }

    #[test]
    fn ranks_of_one_program_with_the_same_arguments_get_along() {
        let cards = [card("a", "count\0p\0"), card("a", "count\0p\0")];
        assert_eq!(compare(&cards.each_ref().map(Card::to_bytes)).expect("no difference"), cards);
    }

    #[test]
    fn the_rank_that_differs_is_named_with_its_host_and_what_differs() {
        let refusal = |other: Card| {
            let cards = [card("a", "count\0p\0"), card("a", "count\0p\0"), other];
            compare(&cards.map(|card| card.to_bytes())).expect_err("a difference").to_string()
        };
        let text = refusal(card("b", "count\0q\0"));
        assert!(text.contains("rank 2 on node7") && text.contains("sources b") && text.contains("sources a"), "{text}");
        let text = refusal(card("a", "count\0q\0"));
        assert!(text.contains("rank 2 on node7") && text.contains("`count q`") && text.contains("`count p`"), "{text}");
    }

    #[test]
    fn the_form_of_a_card_never_changes() {
        let bytes = card("ab", "x\0").to_bytes();
        assert_eq!(bytes, b"CENSUS-1\x03\0\0\x001.2\x02\0\0\0ab\x05\0\0\0node7\x02\0\0\0x\0");
        let longer = [&bytes[..], b"whatever"].concat();
        assert_eq!(Card::from_bytes(&longer), Some(card("ab", "x\0")), "a later version may say more");
    }

    proptest! {
        #[test]
        fn what_makes_no_sense_is_a_stranger_and_nothing_breaks(bytes: Vec<u8>) {
            prop_assert_eq!(Card::from_bytes(&bytes), None);
            let _ = Card::from_bytes(&[MAGIC, &bytes[..]].concat());
        }
    }
}
