//! The solutions of each unit in a report.

use census::cluster::{PoolRecipe, UnitTallies};
use census::report::units::UnitsKept;
use proptest::prelude::*;
use serde_json::json;

fn pool() -> PoolRecipe {
    let recipe = json!({
        "puzzle_sha256": "", "method": "search", "setup": "", "cells": "", "values": "", "depth": "auto", "depth_reached": 0,
        "units_wanted": 0, "units": 0, "unit_bytes": 0, "pool_sha256": ""
    });
    serde_json::from_value(recipe).expect("a recipe")
}

fn kept(solutions: &[u128]) -> UnitsKept {
    UnitsKept::of(&UnitTallies { pool: pool(), solutions: solutions.into() })
}

fn decode(text: &str, most: usize) -> Result<Vec<u128>, String> {
    UnitsKept { solutions: text.into(), pool: pool() }.solutions(most)
}

proptest! {
    #[test]
    fn decoding_inverts_encoding(solutions in proptest::collection::vec(prop_oneof![0u128..3, any::<u128>()], 0..60)) {
        prop_assert_eq!(kept(&solutions).solutions(solutions.len()), Ok(solutions));
    }

    #[test]
    fn any_text_is_units_or_an_error(text in "[0-9* x]{0,40}") {
        prop_assert!(decode(&text, 100).is_ok_and(|units| units.len() <= 100) || decode(&text, 100).is_err());
    }
}

#[test]
fn equal_neighbours_are_encoded_once() {
    assert_eq!(kept(&[0, 0, 0, 12, 5, 5]).solutions, "0*3 12 5*2");
    assert_eq!(decode("1*99999999999", 1000), Err("there are more than 1000 units".into()));
    assert_eq!(decode("1 -2", 1000), Err("`-2` is not a number of solutions".into()));
}
