//! The options of `census count`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values::{self, cache, duration};
use super::{CollectionArgs, DistributionArgs, SearchArgs, When};
use crate::cluster::ScheduleChoice;
use crate::count::MethodChoice;

#[derive(Debug, Args)]
pub struct CountArgs {
    /// Files, `-`, or puzzles as strings
    #[arg(required = true, value_name = "PUZZLE")]
    pub puzzles: Vec<String>,

    #[command(flatten)]
    pub read: CollectionArgs,

    /// How solutions are counted
    #[arg(long, value_name = "METHOD", default_value = "search", value_parser = values::count_method(), help_heading = "Method")]
    pub method: MethodChoice,

    #[command(flatten)]
    pub search: SearchArgs,

    /// Memory of each worker for a cache of counted subtrees, such as `64M` [default: 32M]
    ///
    /// A number of bytes, or with a unit: `500K`, `64M`, `1G`; `off` or 0 for none. The cache is used where it saves time: in trees with
    /// many solutions, on boards up to 16×16 other than a plain 9×9. Then the number of nodes depends on which worker counts which
    /// unit.
    #[arg(long, value_name = "SIZE|off", value_parser = cache, help_heading = "Search")]
    pub cache: Option<usize>,

    /// How units are assigned to ranks
    #[arg(long, value_name = "SCHEDULE", default_value = "static", value_parser = values::schedule(), help_heading = "Distribution")]
    pub schedule: ScheduleChoice,

    /// Units in each block of `dynamic` and `cyclic`, and in the smallest block of `guided` and `steal`
    ///
    /// The default is 1; for `dynamic`, a 64th of a worker's share.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Distribution")]
    pub chunk: Option<u32>,

    #[command(flatten)]
    pub distribution: DistributionArgs,

    /// Stop when all ranks together have found N solutions of a puzzle
    ///
    /// 2 is enough to check that a solution is unique. Ranks may have counted more by the time they stop, with bands very many more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    /// Stop after this time, in seconds or such as `90s`, `5m` or `1h30m`
    ///
    /// The solutions counted so far are reported, with exit code 3.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Write a JSON report of the run to FILE
    ///
    /// `-` is standard output, and then the answers go to standard error.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Record the cost of each unit in a file beside the report, for `census plan`
    ///
    /// The file, `run.trace.tsv` for the report `run.json`, also has the time at which each worker began each unit. For one puzzle only.
    #[arg(long, requires = "report")]
    pub trace: bool,

    /// Write the solutions of each unit to the report, for `census verify`
    ///
    /// For one puzzle only, of up to 1,048,576 units.
    #[arg(long, requires = "report", conflicts_with_all = ["limit", "resume"])]
    pub units: bool,

    /// Keep a journal of finished units in DIR, a folder that all hosts share
    ///
    /// If the job dies, --resume continues the count. For one puzzle only.
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,

    /// Resume from the journal: count the remaining units
    ///
    /// The number of ranks and threads and the schedule may be others than before. Without a journal, start one.
    #[arg(long, requires = "journal", conflicts_with = "trace")]
    pub resume: bool,

    /// Skip puzzles and headers of a collection that cannot be read, and count the others
    ///
    /// Puzzles with more solutions than 128 bits can count are skipped, too. Each is reported in a line on standard error, and the
    /// exit code is 2 or 3 if there are any.
    #[arg(long)]
    pub keep_going: bool,

    /// Show the progress on standard error: a bar on a terminal, otherwise a line now and then
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: When,

    /// Print only the answer
    ///
    /// That is `solutions: N`, or the lines of a collection without its summary.
    #[arg(long, short)]
    pub quiet: bool,
}
