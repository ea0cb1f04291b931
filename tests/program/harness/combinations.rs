//! Combinations of choices: all of them, or a covering array.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::build::Build;
use super::table::{ONCE, Scope, test};

/// Rows with one choice of each factor, in which every choice occurs. With `--all`, every combination.
pub fn each_choice<const N: usize>(choices: [usize; N]) -> Vec<[usize; N]> {
    match Scope::chosen() {
        Scope::All => product(choices),
        Scope::Covering => {
            let rows = choices.into_iter().max().unwrap_or(0);
            (0..rows).map(|row| choices.map(|choices| row % choices)).collect()
        }
    }
}

/// A pairwise covering array: any two choices of different factors occur in one row. With `--all`, every combination.
pub fn each_pair<const N: usize>(choices: [usize; N]) -> Vec<[usize; N]> {
    match Scope::chosen() {
        Scope::All => product(choices),
        Scope::Covering => pairwise(choices),
    }
}

/// The rows of the current library, which is the first factor with [`libraries`] choices.
pub fn of_current_library<const N: usize>(rows: Vec<[usize; N]>) -> impl Iterator<Item = [usize; N]> {
    let current = Build::libraries().into_iter().position(|library| Some(library) == Build::current().library());
    rows.into_iter().filter(move |row| Some(row[0]) == current)
}

/// The number of libraries with a build.
pub fn libraries() -> usize {
    Build::libraries().len()
}

fn product<const N: usize>(choices: [usize; N]) -> Vec<[usize; N]> {
    let row = |mut number: usize| {
        choices.map(|choices| {
            let choice = number % choices;
            number /= choices;
            choice
        })
    };
    (0..choices.iter().product()).map(row).collect()
}

/// The pairs of choices in a row: each choice is a factor and its value.
fn pairs<const N: usize>(row: [usize; N]) -> impl Iterator<Item = [(usize, usize); 2]> {
    (0..N).flat_map(move |second| (0..second).map(move |first| [(first, row[first]), (second, row[second])]))
}

/// A pairwise covering array, built greedily: the next row is the first combination with the most uncovered pairs.
pub fn pairwise<const N: usize>(choices: [usize; N]) -> Vec<[usize; N]> {
    let all = product(choices);
    let mut left: HashSet<_> = all.iter().flat_map(|&row| pairs(row)).collect();
    let mut rows = Vec::new();
    while let Some(&best) =
        all.iter().min_by_key(|&&row| Reverse(pairs(row).filter(|pair| left.contains(pair)).count()))
        && !left.is_empty()
    {
        left.retain(|pair| !pairs(best).any(|covered| covered == *pair));
        rows.push(best);
    }
    rows
}

test!(ONCE, few_rows_cover_all_pairs_of_choices, || {
    let choices = [6, 5, 3, 5, 2];
    let rows = pairwise(choices);
    let covered: HashSet<_> = rows.iter().flat_map(|&row| pairs(row)).collect();
    let expected: HashSet<_> = product(choices).into_iter().flat_map(pairs).collect();
    assert_eq!(covered, expected);
    assert!((30..=40).contains(&rows.len()), "{} rows; the minimum is 30", rows.len());
    assert_eq!(product(choices).len(), 6 * 5 * 3 * 5 * 2);
});
