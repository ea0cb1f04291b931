//! What units and parts of units are called, on their way between ranks and in a journal.

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;

/// What a unit is called on its way: its place in the pool, and whether it is all of that unit or a part given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// The place in the pool.
    pub unit: usize,
    /// The name of the part of that unit that this is; `None` for where counting it begins.
    pub part: Option<PartName>,
}

impl Label {
    /// Bytes of a label in an entry.
    pub(super) const BYTES: usize = 16;

    /// The label of a whole unit.
    pub(super) fn whole(unit: usize) -> Label {
        Label { unit, part: None }
    }

    /// The label of a part of the same unit.
    pub(super) fn of_part(self, name: PartName) -> Label {
        Label { part: Some(name), ..self }
    }

    pub(super) fn to_bytes(self) -> [u8; Label::BYTES] {
        let part = self.part.map_or(0, |name| name.0.get());
        (u128::from(part) << 64 | self.unit as u128).to_le_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; Label::BYTES]) -> Label {
        let both = u128::from_le_bytes(bytes);
        Label { unit: both as u64 as usize, part: NonZero::new((both >> 64) as u64).map(PartName) }
    }

    /// The labels that stand one behind the other.
    #[cfg(test)]
    pub(super) fn all_from(bytes: &[u8]) -> impl Iterator<Item = Label> {
        bytes.as_chunks().0.iter().map(|&label| Label::from_bytes(label))
    }
}

/// The name of a part of a unit, which no other part has: the run of the journal in which it was split off, the rank that
/// did, and its number there, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PartName(NonZero<u64>);

impl PartName {
    const NUMBER_BITS: u32 = 28;
    const RANK_BITS: u32 = 20;
    /// The last run that can name parts.
    pub(super) const LAST_RUN: u64 = u64::MAX >> (PartName::NUMBER_BITS + PartName::RANK_BITS);

    /// The name, if these numbers are not beyond all reason.
    pub(super) fn new(run: u64, rank: u64, number: u64) -> Option<PartName> {
        let fits = run <= PartName::LAST_RUN
            && rank >> PartName::RANK_BITS == 0
            && number >> PartName::NUMBER_BITS == 0
            && number > 0;
        let name = NonZero::new((run << PartName::RANK_BITS | rank) << PartName::NUMBER_BITS | number);
        name.filter(|_| fits).map(PartName)
    }
}

/// `run.rank.number`.
impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, number) = (self.0.get() >> PartName::NUMBER_BITS, self.0.get() % (1 << PartName::NUMBER_BITS));
        write!(f, "{}.{}.{number}", before >> PartName::RANK_BITS, before % (1 << PartName::RANK_BITS))
    }
}

impl FromStr for PartName {
    type Err = ();

    fn from_str(text: &str) -> Result<PartName, ()> {
        let mut numbers = text.split('.').map(|number| number.parse::<u64>().map_err(drop));
        let mut next = || numbers.next().unwrap_or(Err(()));
        let name = PartName::new(next()?, next()?, next()?).ok_or(())?;
        numbers.next().is_none().then_some(name).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn labels_survive_their_journey(unit in 0usize..1 << 40, part: bool, run in 0u64..1 << 16, rank in 0u64..1 << 20, number in 1u64..1 << 28) {
            let name = PartName::new(run, rank, number).expect("a name");
            let label = Label { unit, part: part.then_some(name) };
            prop_assert_eq!(Label::from_bytes(label.to_bytes()), label);
            prop_assert_eq!(name.to_string(), format!("{run}.{rank}.{number}"));
            prop_assert_eq!(name.to_string().parse(), Ok(name));
        }

        #[test]
        fn what_is_no_name_is_not_taken_for_one(text in "[0-9.]{0,12}") {
            if let Ok(name) = text.parse::<PartName>() {
                prop_assert_eq!(name.to_string().parse(), Ok(name));
            }
        }
    }

    #[test]
    fn numbers_beyond_all_reason_make_no_name() {
        for (run, rank, number) in [(1 << 16, 0, 1), (0, 1 << 20, 1), (0, 0, 1 << 28), (1, 1, 0)] {
            assert_eq!(PartName::new(run, rank, number), None);
        }
        for text in ["1.2", "1.2.3.4", "a.1.1", "..", "1.2.-3"] {
            assert_eq!(text.parse::<PartName>(), Err(()));
        }
    }
}
