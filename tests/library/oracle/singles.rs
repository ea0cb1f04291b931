//! Singles are sound.

use census_count::search::{Verdict, singles};
use proptest::prelude::*;

use crate::oracle::puzzles::{Solved, solved};

proptest! {
    #![proptest_config(crate::cases(200))]

    #[test]
    fn singles_never_contradict_brute_force(Solved { puzzle, solutions } in solved()) {
        let singles = singles(&puzzle);
        let has = |cell: usize, value: u8| singles.candidates[cell] >> (value - 1) & 1 == 1;
        match singles.verdict {
            Verdict::Solved => {
                prop_assert_eq!(solutions.len(), 1);
                prop_assert!(singles.candidates.iter().all(|candidates| candidates.count_ones() == 1));
            }
            Verdict::Contradiction => prop_assert_eq!(solutions.len(), 0),
            Verdict::Open => {}
        }
        for solution in &solutions {
            let lost = (0..solution.len()).find(|&cell| !has(cell, solution[cell]));
            prop_assert_eq!(lost, None, "singles removed a candidate of a solution");
        }
        for (cell, &given) in puzzle.givens.values().iter().enumerate().filter(|&(_, &given)| given != 0) {
            prop_assert_eq!(singles.candidates[cell], 1 << (given - 1), "a given stays");
        }
    }
}
