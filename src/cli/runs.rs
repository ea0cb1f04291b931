//! The options of commands that read the files of earlier runs.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cluster::ScheduleChoice;

use super::values::{RankList, duration, ranks, schedule, share};
use super::{RankArgs, When};

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The report of a run
    #[arg(value_name = "REPORT")]
    pub of: PathBuf,

    /// Read the solutions of units from the journal of the run in DIR
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,

    /// The share of the units to recount, such as `5%` or 0.05, and at least one unit
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    pub share: f64,

    /// Seed of the random numbers [default: a random seed, so that the units cannot be predicted]
    ///
    /// The same seed draws the same units, on any number of ranks.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// How units are assigned to ranks
    #[arg(long, value_name = "SCHEDULE", default_value = "auto", value_parser = schedule(), help_heading = "Distribution")]
    pub schedule: ScheduleChoice,

    #[command(flatten)]
    pub ranks: RankArgs,

    /// Stop after this time, in seconds or such as `90s`, `5m` or `1h30m`, with exit code 3
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Write a JSON report of the verification to FILE
    ///
    /// `-` is standard output, and then the answer goes to standard error.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Show the progress on standard error: a bar on a terminal, otherwise a line now and then
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: When,

    /// Print only the last sentence
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Traces of the same puzzle; `-` is standard input
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<String>,

    /// The numbers of ranks to simulate, separated by commas or blanks
    #[arg(long, value_name = "N,…", default_value = "1,16,64,256,1024,4096", value_parser = ranks)]
    pub ranks: RankList,

    /// Worker threads of each rank
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: u16,

    /// Latency of a message from one rank to another, such as 50us [default: as measured in the trace, or 1ms]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub latency: Option<Duration>,

    /// Time that rank 0 needs for one request [default: as measured in the trace, or 10us]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub request: Option<Duration>,

    /// Write the plan as JSON to FILE
    ///
    /// `-` is standard output, and then the tables go to standard error.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The directory of a sweep
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The directory of a second sweep, to compare with the first
    #[arg(value_name = "OTHER")]
    pub other: Option<PathBuf>,

    /// Write the files to this folder [default: DIR; for a comparison, no files]
    ///
    /// It is created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Also write every picture as an SVG file, to the folder `pictures`
    #[arg(long, conflicts_with = "other")]
    pub pictures: bool,
}
