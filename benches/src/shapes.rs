//! The search against solvers of exact covers, on all shapes but the plain 9×9.

use crate::Outcome;
use crate::cases;
use crate::options::Options;
use crate::ours;
use crate::page::Page;
use crate::peers::{COVER_SOLVERS, Cover, versioned};
use crate::rounds::{Series, Side, SpeedUp, about_rounds, alternate, mean, timed};
use crate::table::{grouped, number, seconds};

/// Puzzles with more solutions take minutes.
const MAX_SOLUTIONS: u128 = 30_000_000;

/// Puzzles with fewer solutions are counted several times in a round.
const FEW_SOLUTIONS: u128 = 100_000;
const MAX_PASSES: u128 = 30;
pub fn run(options: &Options) -> Outcome {
    let (rounds, limit) = (options.number(5), options.limit());
    let mut page = Page::new("shapes", options);
    let peers = COVER_SOLVERS.map(|solver| versioned(solver.name));
    page.say(format!(
        "All solutions of puzzles of other shapes, on one core. The peers get the puzzle as an exact cover, without the items that the \
         givens cover, and in the better of two orders of its items: cells first, or last. The time of census includes its set-up, with \
         an empty cache; the time of its peers is the search alone, without building the links of the cover. For small puzzles, a round \
         is the mean of up to {MAX_PASSES} runs. Speed-up is census over the faster of the two: **above 1, census is faster**. {} A peer \
         that is not done in {} runs once; then the speed-up is a lower bound, with an estimate in brackets, from the solutions that the \
         peer had found.\n",
        about_rounds(rounds),
        seconds(limit.as_secs_f64())
    ));
    page.head(2, &["puzzle", "shape", "solutions", "census", &peers[0], &peers[1], "speed-up", "lowest", "highest"]);
    for case in cases::other_shapes(MAX_SOLUTIONS)? {
        let shape = &case.puzzle.shape;
        let cover = Cover::new(&case.puzzle);
        let covers = [cover.reversed(), cover];
        let passes = (FEW_SOLUTIONS / case.expected.max(1)).clamp(1, MAX_PASSES) as usize;
        let mut sides = vec![Side::new("census", || mean(passes, || timed(|| ours::count(&case.puzzle))))];
        sides.extend(COVER_SOLVERS.iter().map(|solver| {
            let cover = solver.faster(&covers, limit);
            Side::new(solver.name, move || mean(passes, || (solver.count)(cover, limit)))
        }));
        let series = alternate(rounds, case.expected, sides);
        let (ours, theirs) = (&series[0], &series[1..]);

        let mut cells = vec![
            case.name.clone(),
            format!("{0}×{0}, {shape}", shape.order()),
            grouped(case.expected),
            seconds(ours.median()),
        ];
        cells.extend(theirs.iter().map(|theirs| match theirs.cut_off {
            Some(_) => format!("> {}", seconds(limit.as_secs_f64())),
            None => seconds(theirs.median()),
        }));
        cells.extend(speed_up(case.expected, ours, theirs));
        page.row(&cells);
        page.record(&case.name, &series)?;
    }
    Ok(page.save()?)
}

/// Median, lowest and highest speed-up over the faster peer.
fn speed_up(solutions: u128, ours: &Series, theirs: &[Series]) -> [String; 3] {
    let done = theirs.iter().filter(|theirs| theirs.cut_off.is_none());
    if let Some(fastest) = done.min_by(|a, b| a.median().total_cmp(&b.median())) {
        let up = SpeedUp::of(ours, fastest);
        return [up.median, up.lowest, up.highest].map(number);
    }
    let cut_off = || theirs.iter().filter_map(|theirs| theirs.cut_off);
    let shortest = cut_off().map(|run| run.seconds).fold(f64::INFINITY, f64::min);
    let pace = cut_off().map(|run| run.solutions as f64 / run.seconds).fold(0.0, f64::max);
    let least = number(shortest / ours.median());
    let about =
        if pace > 0.0 { format!(" (≈ {})", number(solutions as f64 / ours.median() / pace)) } else { String::new() };
    [format!("> {least}{about}"), "".into(), "".into()]
}
