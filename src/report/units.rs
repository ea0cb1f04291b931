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
        let run = |run: &[u128]| match run {
            [one] => one.to_string(),
            run => format!("{}*{}", run[0], run.len()),
        };
        let runs: Vec<String> = tallies.solutions.chunk_by(|one, next| one == next).map(run).collect();
        UnitsKept { solutions: runs.join(" "), pool: tallies.pool.clone() }
    }

    /// The solutions of at most so many units, or what is wrong with the text.
    pub fn solutions(&self, most: usize) -> Result<Vec<u128>, String> {
        let mut solutions = Vec::new();
        for word in self.solutions.split_ascii_whitespace() {
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
}
