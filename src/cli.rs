//! Every option with its help text.

mod count;
pub mod error;
mod examples;
mod runs;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cluster::HeartbeatTimeout;
use crate::count::search::{CellOrder, SearchOptions, ValueOrder};
use crate::count::{Depth, MethodName};
use crate::puzzle::formats::Format;
use crate::puzzle::{ReadOptions, Zero};

pub use count::CountArgs;
pub use runs::{PlanArgs, ReportArgs, VerifyArgs};
use values::{depth, duration, heartbeat_timeout};

/// Counts, lists and checks all solutions of Sudoku puzzles of any shape
#[derive(Debug, Parser)]
#[command(
    name = "census",
    version,
    long_version = concat!(env!("CARGO_PKG_VERSION"), "\nsources: ", env!("CENSUS_SOURCES"), "\ncommit: ", env!("CENSUS_COMMIT")),
    propagate_version = true,
    arg_required_else_help = true,
    help_template = "{about}\n\n{usage-heading} {usage} [OPTIONS] …\n\n{subcommands}{after-help}",
    after_help = "\
Examples:
  census count puzzles/inkala19.ss               all solutions, on all cores
  mpirun -n 4 census count puzzles/inkala19.ss   the same on four MPI ranks
  census count --limit 2 puzzles/famous.sdm      is each solution unique?

PUZZLE is a file, `-`, or a string of cells. `census help COMMAND` has details.
Exit codes: 0 done, 1 the answer is no, 2 bad usage or input, 3 fault or stopped"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Count all solutions
    ///
    /// Rank 0 expands the search tree breadth-first into a pool of partial grids. The pool is scattered to the ranks in
    /// contiguous blocks, or distributed as --schedule says. Every rank counts depth-first, and one reduce adds up the counts.
    /// The output ends with lines `name: value`, among them `solutions: N`.
    ///
    /// For several puzzles, the output has a line `puzzle count` for each, in input order, and a summary. A collection may have any
    /// length: it is read and counted in batches of some thousands of puzzles. Ranks and threads share a batch in units of up to
    /// 64 puzzles, or of --chunk if that is less. A puzzle that takes more than some milliseconds is then counted by all ranks
    /// together, like a single puzzle.
    ///
    /// With --method bands, a unit is a choice of columns instead of a partial grid, and a node is an evaluated class of such
    /// choices instead of a guess. Do not compare them with those of a search.
    ///
    /// Ctrl-C, SIGTERM and --time-limit end a count early: the solutions counted so far are reported, with exit code 3.
    #[command(after_help = examples::COUNT)]
    Count(CountArgs),
    /// List every solution, one a line
    ///
    /// Solutions are listed in the order of the search, or with `--method bands` in an order of its own. The output is the same
    /// for any number of ranks and threads. Memory does not grow with the number of solutions; bands uses up to 0.7 GiB on
    /// each rank.
    #[command(after_help = examples::LIST)]
    List(ListArgs),
    /// Draw the first solution
    #[command(after_help = examples::SOLVE)]
    Solve(SolveArgs),
    /// Check that a grid, full or partial, has no conflicts
    ///
    /// Each conflict is printed with its house and its cells. The exit code is 1 if there is one.
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Draw the puzzle and the candidates that singles leave
    ///
    /// Fills in all naked and hidden singles, and prints whether these solve the puzzle.
    #[command(after_help = examples::SHOW)]
    Show(ShowArgs),
    /// Estimate solutions, nodes and seconds from random probes
    ///
    /// Uses Knuth's method and prints standard errors. If a puzzle has few solutions, the probes may find none: use `count` then.
    #[command(after_help = examples::ESTIMATE)]
    Estimate(EstimateArgs),
    /// Recount a random sample of the units of a count
    ///
    /// Reads the report of `census count --units --report REPORT`, expands the same pool again, draws some of its units at random,
    /// and recounts them by another method: by another engine on the rotated puzzle, or, for bands, by a search where solutions are few enough to
    /// visit. The output names the method. Its last sentence states how many units were recounted, whether all are equal or
    /// which differ, and an upper bound, with 95 % confidence, for the fraction of units that are wrong.
    ///
    /// With --journal, the solutions of units are read from the journal of the count, which needs no --units. A line of the
    /// journal may hold several short units: then lines are drawn, and their sums are compared.
    ///
    /// The exit code is 1 if a unit differs. Not checked: that the units together are the complete puzzle. The pool is expanded by
    /// the same code as for the count.
    ///
    /// Ctrl-C, SIGTERM and --time-limit end the verification early, with the bound for the units recounted so far and exit code 3.
    /// Units are recounted in the order in which they were drawn, so that these are a random sample, except for long units that
    /// were not finished.
    #[command(after_help = examples::VERIFY)]
    Verify(VerifyArgs),
    /// Simulate a recorded run with other schedules and numbers of ranks
    ///
    /// Simulates the count phase with every schedule, from the cost of each unit in a trace (`census count --trace`). The output
    /// ends with one sentence of advice for each number of ranks: the simplest schedule within 1 % of the best, and its
    /// efficiency in the count phase. Several traces must be of the same puzzle at several depths; the advice then includes
    /// the depth.
    #[command(after_help = examples::PLAN)]
    Plan(PlanArgs),
    /// Analyse the runs of a sweep: tables, and a page with plots
    ///
    /// Reads the reports in DIR (`scripts/sweep`, or `census count --report DIR/NAME.json`). It is an error, with exit code 1, if
    /// runs of one puzzle have different counts. Warns of what makes a comparison unreliable: short runs, outliers, different
    /// machines or programs, more workers than cores. Prints a table, and writes `summary.csv` (one row for each run),
    /// `summary.md` and `report.html` (one file with all plots, which needs no network) to DIR.
    ///
    /// With a second directory, compares the two sweeps case by case: ratios with 95 % intervals, and which differences are noise.
    /// The sweeps may differ in commit, machine or MPI library, or one may use another schedule, method or depth throughout: then
    /// these are compared. The exit code is 1 if the sweeps have no case in common.
    #[command(after_help = examples::REPORT)]
    Report(ReportArgs),
    /// Print the completions of a shell
    ///
    /// The shell finds them in a file: see the examples.
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the manual page
    ///
    /// With --output, writes the pages of all commands to a folder instead.
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
}

#[derive(Clone, Copy, Debug, Args)]
pub struct SearchArgs {
    /// The cell in which the search guesses [default: fewest]
    #[arg(long, value_name = "WHICH", value_parser = values::cells(), help_heading = "Search")]
    pub cells: Option<CellOrder>,

    /// The order in which the values of a cell are tried [default: min]
    #[arg(long, value_name = "WHICH", value_parser = values::values(), help_heading = "Search")]
    pub values: Option<ValueOrder>,
}

impl SearchArgs {
    pub fn options(self) -> SearchOptions {
        SearchOptions { cells: self.cells.unwrap_or_default(), values: self.values.unwrap_or_default(), cache: 0 }
    }

    /// The first option that was given.
    pub fn given(self) -> Option<&'static str> {
        self.cells.map(|_| "--cells").or(self.values.map(|_| "--values"))
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub struct ReadArgs {
    /// What 0 means in a grid where it may be a value or an empty cell
    ///
    /// Without this option, such a grid is an error.
    #[arg(long, value_name = "MEANING", value_parser = values::zero(), help_heading = "Reading")]
    pub zero: Option<Zero>,
}

impl ReadArgs {
    pub fn options(self) -> ReadOptions {
        ReadOptions { zero: self.zero, mixed: false }
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub struct CollectionArgs {
    #[command(flatten)]
    pub read: ReadArgs,

    /// Allow a line of a collection to have another order than the line before
    ///
    /// Without this option, such a line needs a header, such as `# boxes: 2x2` or `# boxes: usual`, because it may be torn.
    #[arg(long, help_heading = "Reading")]
    pub mixed: bool,
}

impl CollectionArgs {
    pub fn options(self) -> ReadOptions {
        ReadOptions { mixed: self.mixed, ..self.read.options() }
    }
}

#[derive(Debug, Args)]
pub struct PuzzleArgs {
    /// A file, `-`, or a puzzle as a string
    #[arg(value_name = "PUZZLE")]
    pub puzzle: String,

    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct DistributionArgs {
    #[command(flatten)]
    pub ranks: RankArgs,

    /// Number of guesses from the root of the search tree to a unit of the pool
    ///
    /// `auto` takes the smallest depth with 64 units for each worker, or 16 with `count --schedule auto`. With --method bands: number
    /// of boxes of the first band whose columns are fixed, 0 to 2; `auto` makes units of about equal cost.
    #[arg(long, value_name = "N|auto", default_value = "auto", value_parser = depth, help_heading = "Distribution")]
    pub depth: Depth,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct RankArgs {
    /// Worker threads of each rank [default: 1 under mpirun, all cores otherwise]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096), help_heading = "Distribution")]
    pub threads: Option<u16>,

    /// Refuse to start unless there are exactly N ranks
    #[arg(long, value_name = "N", help_heading = "Distribution")]
    pub expect_ranks: Option<usize>,

    /// End the job if a rank sends no heartbeat for this time [default: 10s on several hosts, otherwise off]
    ///
    /// A rank sends none if its host hangs or cannot be reached. The exit code is 3. At least 1s; `off` waits for ever.
    #[arg(long, value_name = "TIME|off", value_parser = heartbeat_timeout, help_heading = "Distribution")]
    pub heartbeat_timeout: Option<HeartbeatTimeout>,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    /// How solutions are found, which determines their order
    #[arg(long, value_name = "METHOD", default_value = "search", value_parser = values::list_method(), help_heading = "Method")]
    pub method: MethodName,

    #[command(flatten)]
    pub search: SearchArgs,

    #[command(flatten)]
    pub distribution: DistributionArgs,

    /// List only the first N solutions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    /// Stop after this time, in seconds or such as `90s`, `5m` or `1h30m`, with exit code 3
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Write to FILE, completely or not at all; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Do not print the number of solutions on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct SolveArgs {
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    #[command(flatten)]
    pub search: SearchArgs,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A file, `-`, or a grid as a string
    #[arg(value_name = "FILE")]
    pub file: String,

    #[command(flatten)]
    pub read: CollectionArgs,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    /// Print the puzzle in this format instead of drawing it
    #[arg(long, value_name = "FORMAT", value_parser = values::format())]
    pub format: Option<Format>,
}

#[derive(Debug, Args)]
pub struct EstimateArgs {
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    #[command(flatten)]
    pub search: SearchArgs,

    /// Make exactly N probes [default: as many as two seconds allow, at most 100,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub probes: Option<u64>,

    /// Seed of the random numbers: the same seed makes the same probes
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write census.1, census-count.1 and so on to this folder, which is created if it does not exist
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// When a count takes long
    Auto,
    /// Always, even with --quiet
    On,
    /// Never
    Off,
}
