//! Combinations of choices: all of them, or few that cover what is likely to go wrong.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::build::Build;
use super::table::{ONCE, Scope, test};

/// Rows of choices, one of each factor, in which every choice occurs. With `--all`, every combination.
pub fn each_choice<const N: usize>(choices: [usize; N]) -> Vec<[usize; N]> {
    match Scope::chosen() {
        Scope::All => product(choices),
        Scope::Covering => {
            let rows = choices.into_iter().max().unwrap_or(0);
            (0..rows).map(|row| choices.map(|choices| row % choices)).collect()
        }
    }
}

/// Rows of choices, one of each factor, in which any two choices of different factors meet. With `--all`, every combination.
pub fn each_pair<const N: usize>(choices: [usize; N]) -> Vec<[usize; N]> {
    match Scope::chosen() {
        Scope::All => product(choices),
        Scope::Covering => pairwise(choices),
    }
}

/// Of rows whose first factor is the library, of which there are [`libraries`], those of the current one.
pub fn of_current_library<const N: usize>(rows: Vec<[usize; N]>) -> impl Iterator<Item = [usize; N]> {
    let current = Build::libraries().into_iter().position(|library| Some(library) == Build::current().library());
    rows.into_iter().filter(move |row| Some(row[0]) == current)
}

/// How many libraries there are builds for.
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

/// The pairs of choices in a row: factor and choice, twice.
fn pairs<const N: usize>(row: [usize; N]) -> impl Iterator<Item = [(usize, usize); 2]> {
    (0..N).flat_map(move |second| (0..second).map(move |first| [(first, row[first]), (second, row[second])]))
}

/// Rows of choices, one of each factor, in which any two choices of different factors meet. Greedy: again and again the first combination with the most pairs that have not met yet.
pub fn pairwise<const N: usize>(choices: [usize; N]) -> Vec<[usize; N]> {
    let all = product(choices);
    let mut left: HashSet<_> = all.iter().flat_map(|&row| pairs(row)).collect();
    let mut rows = Vec::new();
    while let Some(&best) =
        all.iter().min_by_key(|&&row| Reverse(pairs(row).filter(|pair| left.contains(pair)).count()))
        && !left.is_empty()
    {
        left.retain(|pair| !pairs(best).any(|met| met == *pair));
        rows.push(best);
    }
    rows
}

test!(ONCE, any_two_choices_meet_in_few_rows, || {
    let choices = [6, 5, 3, 5, 2];
    let rows = pairwise(choices);
    let met: HashSet<_> = rows.iter().flat_map(|&row| pairs(row)).collect();
    let expected: HashSet<_> = product(choices).into_iter().flat_map(pairs).collect();
    assert_eq!(met, expected);
    assert!((30..=40).contains(&rows.len()), "{} rows, and 30 are the least", rows.len());
    assert_eq!(product(choices).len(), 6 * 5 * 3 * 5 * 2);
});
