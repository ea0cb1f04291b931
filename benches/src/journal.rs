//! The cost of a journal: the same counts with and without one, by one worker.

use std::path::PathBuf;

use census::cluster::{self, Cluster, CountOptions, JournalOptions, Schedule, ScheduleChoice};
use census::count::search::{DEFAULT_CACHE, SearchOptions};
use census::count::{Depth, MethodChoice, MethodName};
use census::puzzle::Puzzle;

use crate::Outcome;
use crate::cases;
use crate::options::Options;
use crate::page::Page;
use crate::rounds::{Run, Side, SpeedUp, about_rounds, alternate, timed};
use crate::table::{grouped, number, seconds};

/// Puzzles and depths: units of a tenth of a second to some microseconds
const CASES: [(&str, Depth); 5] = [
    ("relabel.txt", Depth::Auto),
    ("goldennugget15.txt", Depth::Auto),
    ("goldennugget15.txt", Depth::Fixed(12)),
    ("goldennugget15.txt", Depth::Fixed(16)),
    ("goldennugget15.txt", Depth::Fixed(20)),
];

/// Prints the table.
pub fn run(options: &Options) -> Outcome {
    let rounds = options.number(9);
    let cluster = Cluster::join(None)?;
    let mut page = Page::new("journal", options);
    page.say(format!(
        "Counts with and without `--journal`, by one worker, with the journal in this machine's folder for temporary files. Cost is the \
         additional time in per cent of the time without a journal, from the puzzle to the last line on the disk. {}\n",
        about_rounds(rounds)
    ));
    let columns = ["units", "without", "with", "cost, %", "lowest", "highest", "journal, KiB"];
    page.head(2, &[&["puzzle", "depth"], &columns[..]].concat());
    for (file, depth) in CASES {
        let case = cases::named(file)?;
        let folder = std::env::temp_dir().join(format!("census-bench-{}", std::process::id()));
        let (mut units, mut bytes) = (0, 0);
        let sides = vec![
            Side::new("without", || count(&cluster, &case.puzzle, depth, None).1),
            Side::new("with", || {
                let journal = JournalOptions { folder: folder.clone(), resume: false };
                let (pool, run) = count(&cluster, &case.puzzle, depth, Some(journal));
                units = pool;
                bytes = size(&folder);
                std::fs::remove_dir_all(&folder).expect("the journal exists");
                run
            }),
        ];
        let series = alternate(rounds, case.expected, sides);
        let [without, with] = &series[..] else { unreachable!("two sides") };
        let SpeedUp { median, lowest, highest } = SpeedUp::of(without, with);
        page.row(&[
            case.name.clone(),
            depth.to_string(),
            grouped(units as u128),
            seconds(without.median()),
            seconds(with.median()),
            per_cent(median),
            per_cent(lowest),
            per_cent(highest),
            number(bytes as f64 / 1024.0),
        ]);
        page.record(&format!("{}, depth {depth}", case.name), &series)?;
    }
    Ok(page.save()?)
}

/// Returns the number of units, too.
fn count(cluster: &Cluster, puzzle: &Puzzle, depth: Depth, journal: Option<JournalOptions>) -> (usize, Run) {
    let options = CountOptions {
        method: MethodChoice::Fixed(MethodName::Search),
        schedule: ScheduleChoice::Fixed(Schedule::Static),
        chunk: None,
        search: SearchOptions { cache: DEFAULT_CACHE, ..SearchOptions::default() },
        depth,
        threads: 1,
        limit: None,
        deadline: None,
        trace: false,
        units: false,
        journal,
    };
    let mut units = 0;
    let run = timed(|| {
        let count = cluster::count(cluster, puzzle, &options, &mut |_, _| {}, &mut |_| {}).expect("no fault");
        units = count.units;
        count.solutions.exact().expect("few enough")
    });
    (units, run)
}

fn size(folder: &PathBuf) -> u64 {
    let files = std::fs::read_dir(folder).expect("a journal").flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

fn per_cent(ratio: f64) -> String {
    format!("{:+.1}", (ratio - 1.0) * 100.0)
}
