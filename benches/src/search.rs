//! The search against the crate `sudoku`, on plain 9×9 puzzles with many solutions, and on one with none.

use crate::Outcome;
use crate::cases;
use crate::options::Options;
use crate::ours;
use crate::page::Page;
use crate::peers::{self, sudoku};
use crate::rounds::{Side, SpeedUp, about_rounds, alternate, timed};
use crate::table::{grouped, number, seconds};

const CASES: [&str; 6] = [
    "inkala19.ss",
    "goldennugget17.txt",
    "platinumblonde17.txt",
    "goldennugget16.txt",
    "goldennugget15.txt",
    "unsolvable-norvig.txt",
];

pub fn run(options: &Options) -> Outcome {
    let rounds = options.number(7);
    let mut page = Page::new("search", options);
    let peer = peers::versioned("sudoku");
    page.say(format!(
        "All solutions of plain 9×9 puzzles, on one core, in millions of solutions a second (without a solution: the time to prove \
         that). Speed-up is census counting over {peer} counting: **above 1, census is faster**. {} Listing passes every solution to a \
         function that does nothing with it; the peer can list only into memory, so listing is compared with its counting, too.\n",
        about_rounds(rounds)
    ));
    let columns = ["census", &peer, "speed-up", "lowest", "highest", "census, listing", "speed-up of listing"];
    page.head(1, &[&["puzzle", "solutions"], &columns[..]].concat());
    for file in CASES {
        let case = cases::named(file)?;
        let puzzle = &case.puzzle;
        let sides = vec![
            Side::new("census", || timed(|| ours::count(puzzle))),
            Side::new("sudoku", || timed(|| sudoku::count(puzzle))),
            Side::new("census, listing", || timed(|| ours::list(puzzle))),
        ];
        let series = alternate(rounds, case.expected, sides);
        let [ours, theirs, listing] = &series[..] else { unreachable!("three sides") };
        let pace = |seconds| pace(case.expected, seconds);
        let up = SpeedUp::of(ours, theirs);
        page.row(&[
            case.name.clone(),
            grouped(case.expected),
            pace(ours.median()),
            pace(theirs.median()),
            number(up.median),
            number(up.lowest),
            number(up.highest),
            pace(listing.median()),
            number(SpeedUp::of(listing, theirs).median),
        ]);
        page.record(&case.name, &series)?;
    }
    Ok(page.save()?)
}

/// Millions of solutions a second; for a puzzle without solutions, the time.
fn pace(solutions: u128, taken: f64) -> String {
    if solutions == 0 { seconds(taken) } else { format!("{} M/s", number(solutions as f64 / taken / 1e6)) }
}
