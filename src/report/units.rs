//! The solutions of each unit in a report, run-length encoded.

use serde::{Deserialize, Serialize};

use crate::cluster::{PoolRecipe, UnitTallies};

/// The solutions of each unit of a pool, and the recipe of the pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnitsKept {
    /// The solutions of each unit, in the order of the pool, separated by spaces. `5*3` is three units with 5 solutions each.
    pub solutions: String,
    pub pool: PoolRecipe,
}

impl UnitsKept {
    pub fn of(tallies: &UnitTallies) -> UnitsKept {
        UnitsKept { solutions: encode(&tallies.solutions), pool: tallies.pool.clone() }
    }

    /// The solutions of at most so many units, or what is wrong with the text.
    pub fn solutions(&self, most: usize) -> Result<Vec<u128>, String> {
        decode(&self.solutions, most)
    }
}

fn encode(solutions: &[u128]) -> String {
    let run = |run: &[u128]| match run {
        [one] => one.to_string(),
        run => format!("{}*{}", run[0], run.len()),
    };
    solutions.chunk_by(|one, next| one == next).map(run).collect::<Vec<_>>().join(" ")
}

fn decode(text: &str, most: usize) -> Result<Vec<u128>, String> {
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
        fn decoding_inverts_encoding(solutions in proptest::collection::vec(prop_oneof![0u128..3, any::<u128>()], 0..60)) {
            prop_assert_eq!(decode(&encode(&solutions), solutions.len()), Ok(solutions));
        }

        #[test]
        fn any_text_is_units_or_an_error(text in "[0-9* x]{0,40}") {
            prop_assert!(decode(&text, 100).is_ok_and(|units| units.len() <= 100) || decode(&text, 100).is_err());
        }
    }

    #[test]
    fn equal_neighbours_are_encoded_once() {
        assert_eq!(encode(&[0, 0, 0, 12, 5, 5]), "0*3 12 5*2");
        assert_eq!(decode("1*99999999999", 1000), Err("there are more than 1000 units".into()));
        assert_eq!(decode("1 -2", 1000), Err("`-2` is not a number of solutions".into()));
    }
}
