//! The options of commands that read what runs have left.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cluster::ScheduleChoice;

use super::values::{duration, ranks, schedule, share};
use super::{RankArgs, When};

/// Options of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A report of one run
    #[arg(value_name = "REPORT")]
    pub of: PathBuf,

    /// Take the solutions of units from the journal in this folder, which the run has kept
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,

    /// The share of the units to recount, such as `5%` or 0.05; at least one unit is
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    pub share: f64,

    /// Start of the random numbers: the same seed draws the same units, on any number of ranks [default: another one each time,
    /// so that nobody knows beforehand which units are drawn]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Who gets which units when
    #[arg(long, value_name = "SCHEDULE", default_value = "auto", value_parser = schedule(), help_heading = "Sharing")]
    pub schedule: ScheduleChoice,

    /// The ranks.
    #[command(flatten)]
    pub ranks: RankArgs,

    /// Stop after this time, in seconds or such as `90s`, `5m` or `1h30m`, with exit code 3
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Write a JSON report of the verification to FILE, or to standard output for `-`: then the answer goes to standard error
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Show on standard error how far it is: a bar on a terminal, now and then a line elsewhere
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: When,

    /// Print the last sentence and nothing else
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Traces of the same puzzle; `-` is standard input
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<String>,

    /// The numbers of ranks to plan for, with commas between
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,16,64,256,1024,4096", value_parser = ranks)]
    pub ranks: Vec<u32>,

    /// Worker threads of each rank
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: u16,

    /// How long a message takes from one rank to another, such as 50us [default: as the trace measured it, or 1ms]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub latency: Option<Duration>,

    /// How long rank 0 is busy with one request [default: as the trace measured it, or 10us]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub request: Option<Duration>,

    /// Write the plan as JSON to FILE, or to standard output for `-`
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Options of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The directory of a sweep
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// A second sweep, to be held against the first
    #[arg(value_name = "OTHER")]
    pub other: Option<PathBuf>,

    /// Where the files go, a folder that is made if need be [default: DIR; for a comparison, nowhere]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Leave every picture as an SVG file of its own, too, in the folder `pictures`
    #[arg(long, conflicts_with = "other")]
    pub pictures: bool,
}
