//! The solutions of each unit in a report, in few bytes.

use serde::{Deserialize, Serialize};

use crate::cluster::{PoolRecipe, UnitTallies};

/// The solutions of each unit of a pool, and how the pool is made again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnitsKept {
    /// The solutions of each unit, in the order of the pool, with spaces between. `5*3` is three units with 5 solutions each.
    pub solutions: String,
    /// How the pool is made again.
    pub pool: PoolRecipe,
}

impl UnitsKept {
    /// What a report keeps of these.
    pub fn of(tallies: &UnitTallies) -> UnitsKept {
        UnitsKept { solutions: pack(&tallies.solutions), pool: tallies.pool.clone() }
    }

    /// The solutions of each unit, of so many at the most; if that is not what stands there, what is wrong.
    pub fn solutions(&self, most: usize) -> Result<Vec<u128>, String> {
        unpack(&self.solutions, most)
    }
}

fn pack(solutions: &[u128]) -> String {
    let run = |run: &[u128]| match run {
        [one] => one.to_string(),
        run => format!("{}*{}", run[0], run.len()),
    };
    solutions.chunk_by(|one, next| one == next).map(run).collect::<Vec<_>>().join(" ")
}

fn unpack(text: &str, most: usize) -> Result<Vec<u128>, String> {
    let mut solutions = Vec::new();
    for word in text.split_ascii_whitespace() {
        let (count, times) = word.split_once('*').unwrap_or((word, "1"));
        let run = count.parse::<u128>().ok().zip(times.parse::<usize>().ok());
        let (count, times) = run.ok_or_else(|| format!("`{word}` is not a number of solutions"))?;
        if times > most - solutions.len() {
            return Err(format!("there are more than {most} units"));
        }
        solutions.resize(solutions.len() + times, count);
    }
    Ok(solutions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(solutions in proptest::collection::vec(prop_oneof![0u128..3, any::<u128>()], 0..60)) {
            prop_assert_eq!(unpack(&pack(&solutions), solutions.len()), Ok(solutions));
        }

        #[test]
        fn nothing_that_stands_there_breaks_the_reader(text in "[0-9* x]{0,40}") {
            prop_assert!(unpack(&text, 100).is_ok_and(|units| units.len() <= 100) || unpack(&text, 100).is_err());
        }
    }

    #[test]
    fn units_that_are_alike_stand_there_once() {
        assert_eq!(pack(&[0, 0, 0, 12, 5, 5]), "0*3 12 5*2");
        assert_eq!(unpack("1*99999999999", 1000), Err("there are more than 1000 units".into()));
        assert_eq!(unpack("1 -2", 1000), Err("`-2` is not a number of solutions".into()));
    }
}
