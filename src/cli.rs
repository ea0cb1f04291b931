//! Every option with its help text. What they mean is the business of `commands`.

mod runs;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cluster::{HeartbeatTimeout, ScheduleChoice};
use crate::count::search::{CellOrder, SearchOptions, ValueOrder};
use crate::count::{Depth, MethodChoice, MethodName};
use crate::puzzle::formats::Format;
use crate::puzzle::{ReadOptions, Zero};

pub use runs::{PlanArgs, ReportArgs, VerifyArgs};
use values::{cache, depth, duration, heartbeat_timeout};

/// Counts, lists and checks all the solutions of Sudoku puzzles of any shape, on a laptop or across an MPI cluster.
#[derive(Debug, Parser)]
#[command(
    name = "census",
    version,
    long_version = concat!(env!("CARGO_PKG_VERSION"), "\nsources: ", env!("CENSUS_SOURCES"), "\ncommit: ", env!("CENSUS_COMMIT")),
    propagate_version = true,
    disable_help_subcommand = false,
    arg_required_else_help = true,
    after_help = "\
Examples:
  census count puzzles/goldennugget17.txt           all solutions, on all cores
  mpirun -n 4 census count puzzle.txt               the same on four ranks
  mpirun -n 4 census count --schedule auto P        shared so that nobody waits
  census count --method bands P                     any plain 9×9, however many solutions, in seconds
  census count --limit 2 puzzles.sdm                is each solution unique?
  census list --limit 10 puzzle.txt                 the first ten solutions
  census show puzzle.txt                            the puzzle and its candidates
  census verify run.json --share 5%                 recount some units of `count --units --report run.json`
  census report results/sweep                       a sweep as tables and as a page with plots

PUZZLE is a file in any of the formats of the README, `-` for standard input,
or a puzzle as a string of characters.

Exit codes:
  0 done                   1 the answer is no: no solution, not the expected count, a conflict (check)
  2 bad usage or input     3 a fault (input/output, cluster, overflow), or stopped before the end"
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Count all solutions
    ///
    /// Rank 0 expands the search tree breadth-first into a pool of partial grids, the pool is scattered to the ranks
    /// in contiguous blocks (or shared out as --schedule says), every rank counts depth-first, and one reduce adds up.
    /// Ends with lines `name: value`, `solutions: N` among them.
    ///
    /// A file of several puzzles gets a line `puzzle count` for each, in the file's order, and a summary. It may have any
    /// length: it is read, counted and answered some thousands of puzzles at a time, which ranks and threads share in
    /// runs of up to 64 (of --chunk, if that is less). A puzzle that takes more than a moment is counted by all of them
    /// together, as if it were alone.
    ///
    /// With --method bands, units are choices of columns instead of partial grids, and nodes are classes of such choices that
    /// were evaluated instead of guesses: do not compare them with those of a search.
    ///
    /// Ctrl-C, SIGTERM and --time-limit end a count in order: what was counted so far is reported, with exit code 3.
    Count(CountArgs),
    /// List every solution, one a line
    ///
    /// In the order of the search, or with `--method bands` in an order of its own. The bytes are the same for any number
    /// of ranks and threads. Memory does not grow with the number of solutions; bands keeps up to 0.7 GiB of fillings in
    /// each rank.
    List(ListArgs),
    /// Draw the first solution
    Solve(SolveArgs),
    /// Is a grid, whole or partial, free of conflicts?
    ///
    /// Names each conflict by its cells and its house; exit code 1 if there is one.
    Check(CheckArgs),
    /// Draw the puzzle and the candidates that singles leave
    ///
    /// Fills in all naked and hidden singles, and says whether they alone solve the puzzle.
    Show(ShowArgs),
    /// Estimate solutions, nodes and seconds from random probes
    ///
    /// Knuth's method, with standard errors. Solutions of a puzzle that has few are easily missed: then count.
    Estimate(EstimateArgs),
    /// Recount a random share of the units of a count in another way
    ///
    /// Reads what `census count --units --report REPORT` wrote, makes the same pool of units again, draws some of them at random,
    /// and counts these in another way: by another engine on the rotated puzzle, and for bands by a search where solutions are
    /// few enough to visit. The output says which. Ends with one sentence: how many units, whether all are equal or which
    /// differ, and with 95 % confidence at most how large a share of the units can be wrong.
    ///
    /// With --journal, the tallies are those of the journal that the count has kept, and no --units is needed. Short units
    /// share a line there: then lines are drawn, and their sums are compared.
    ///
    /// Exit code 1 if a unit differs. What is not checked: that the units together are the whole puzzle. The pool is made by the
    /// code that made it for the count.
    ///
    /// Ctrl-C, SIGTERM and --time-limit end it in order, with the bound for what was recounted by then and exit code 3. Units are
    /// recounted in the order of the draw, so that these are a random sample, but for long ones that were not done.
    Verify(VerifyArgs),
    /// What other schedules and numbers of ranks would make of a recorded run
    ///
    /// Simulates the count phase from the cost of each unit in a trace (`census count --trace`), for every schedule,
    /// and ends with one sentence of advice for each number of ranks: the simplest schedule within 1 % of the best, and
    /// its efficiency in the count phase. Several traces are the same puzzle at several depths; the advice then chooses
    /// the depth, too.
    Plan(PlanArgs),
    /// What the runs of a sweep say together: tables, and a page to look at
    ///
    /// Reads the reports in DIR (`scripts/sweep`, or `census count --report DIR/NAME.json`). Refuses if runs of one puzzle do not
    /// agree on the count (exit code 1), and warns of what makes a comparison doubtful: short runs, odd ones, mixed machines or
    /// programs, more workers than cores. Prints a table, and leaves `summary.csv` (one row a run), `summary.md` and `report.html`
    /// (one file with all plots, which needs no network) in DIR.
    ///
    /// With a second directory, compares the two case by case: ratios with 95 % intervals, and which differences are noise. Sweeps
    /// may differ in commit, machine, library, or as a whole in schedule, method, depth: that is then what is compared. Exit code 1 if they
    /// have no case in common.
    Report(ReportArgs),
}

/// How a tree is searched.
#[derive(Clone, Copy, Debug, Args)]
pub struct SearchArgs {
    /// Guess next in the cell with the fewest candidates, or in the first empty cell [default: fewest]
    #[arg(long, value_name = "WHICH", value_parser = values::cells(), help_heading = "Search")]
    pub cells: Option<CellOrder>,

    /// Try the values of a cell in ascending (min) or descending (max) order [default: min]
    #[arg(long, value_name = "WHICH", value_parser = values::values(), help_heading = "Search")]
    pub values: Option<ValueOrder>,
}

impl SearchArgs {
    /// What these options mean to a search.
    pub fn options(self) -> SearchOptions {
        SearchOptions { cells: self.cells.unwrap_or_default(), values: self.values.unwrap_or_default(), cache: 0 }
    }

    /// The first of them that was given.
    pub fn given(self) -> Option<&'static str> {
        self.cells.map(|_| "--cells").or(self.values.map(|_| "--values"))
    }
}

/// How puzzles are read.
#[derive(Clone, Copy, Debug, Args)]
pub struct ReadArgs {
    /// What 0 is in a grid where it may be both; without this such a grid is refused
    #[arg(long, value_name = "MEANING", value_parser = values::zero(), help_heading = "Reading")]
    pub zero: Option<Zero>,
}

impl ReadArgs {
    /// What these options mean to a reader of one puzzle.
    pub fn options(self) -> ReadOptions {
        ReadOptions { zero: self.zero, mixed: false }
    }
}

/// How the puzzles of a collection are read.
#[derive(Clone, Copy, Debug, Args)]
pub struct CollectionArgs {
    /// How each of them is read.
    #[command(flatten)]
    pub read: ReadArgs,

    /// Let lines of a collection have another order than the line before; without this it takes a header, such as `# boxes: 2x2`
    /// or `# boxes: usual`, since the line may be torn
    #[arg(long, help_heading = "Reading")]
    pub mixed: bool,
}

impl CollectionArgs {
    /// What these options mean to a reader.
    pub fn options(self) -> ReadOptions {
        ReadOptions { mixed: self.mixed, ..self.read.options() }
    }
}

/// One puzzle.
#[derive(Debug, Args)]
pub struct PuzzleArgs {
    /// A file, `-`, or a puzzle as a string
    #[arg(value_name = "PUZZLE")]
    pub puzzle: String,

    /// How it is read.
    #[command(flatten)]
    pub read: ReadArgs,
}

/// How the work is shared.
#[derive(Clone, Copy, Debug, Args)]
pub struct ShareArgs {
    /// The ranks.
    #[command(flatten)]
    pub ranks: RankArgs,

    /// Guesses on the way from the root to a unit of the pool; `auto` takes the smallest depth with 64 units a worker, or
    /// 16 with `count --schedule auto`. With --method bands: boxes of the first band whose columns are fixed, 0 to 2, and
    /// `auto` cuts units of equal weight
    #[arg(long, value_name = "N|auto", default_value = "auto", value_parser = depth, help_heading = "Sharing")]
    pub depth: Depth,
}

/// The ranks and their threads.
#[derive(Clone, Copy, Debug, Args)]
pub struct RankArgs {
    /// Worker threads of each rank [default: 1 under mpirun, all cores otherwise]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096), help_heading = "Sharing")]
    pub threads: Option<u16>,

    /// Refuse to start unless there are exactly N ranks
    #[arg(long, value_name = "N", help_heading = "Sharing")]
    pub expect_ranks: Option<usize>,

    /// End the job, with exit code 3, when a rank has not been heard of for this time, a second or more: its host hangs or
    /// cannot be reached. `off` waits for ever [default: 10s where ranks are on several hosts, off on one]
    #[arg(long, value_name = "TIME|off", value_parser = heartbeat_timeout, help_heading = "Sharing")]
    pub heartbeat_timeout: Option<HeartbeatTimeout>,
}

/// Options of `count`.
#[derive(Debug, Args)]
pub struct CountArgs {
    /// Files, `-`, or puzzles as strings
    #[arg(required = true, value_name = "PUZZLE")]
    pub puzzles: Vec<String>,

    /// How they are read.
    #[command(flatten)]
    pub read: CollectionArgs,

    /// How solutions are counted
    #[arg(long, value_name = "METHOD", default_value = "search", value_parser = values::count_method(), help_heading = "Method")]
    pub method: MethodChoice,

    /// How a tree is searched.
    #[command(flatten)]
    pub search: SearchArgs,

    /// Memory of each worker for remembering what it has counted: bytes, or such as `500K`, `64M`, `1G`; `off` or 0 is
    /// none. It is used where it pays: on boards up to 16×16 other than a plain 9×9, in trees with many solutions. Then the number of nodes depends on
    /// who counts what [default: 32M]
    #[arg(long, value_name = "SIZE|off", value_parser = cache, help_heading = "Search")]
    pub cache: Option<usize>,

    /// Who gets which units when
    #[arg(long, value_name = "SCHEDULE", default_value = "static", value_parser = values::schedule(), help_heading = "Sharing")]
    pub schedule: ScheduleChoice,

    /// Units of a block: of `dynamic` and `cyclic` each, of `guided` and `steal` the smallest
    /// [default: 1; for `dynamic` a 64th of a worker's share]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Sharing")]
    pub chunk: Option<u32>,

    /// How the work is shared.
    #[command(flatten)]
    pub share: ShareArgs,

    /// Stop at N solutions of a puzzle, over all ranks; 2 tells whether a solution is unique. Ranks may have counted more
    /// when they hear of it, with bands very many more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    /// Stop after this time, in seconds or such as `90s`, `5m` or `1h30m`: the answer is what was counted by then, with exit code 3
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Write a JSON report of the run to FILE, or to standard output for `-`: then the answers go to standard error
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Record what each unit costs, and when each worker is busy, in a table beside the report: `run.json` gets a
    /// `run.trace.tsv`. `census plan` reads it
    #[arg(long, requires = "report")]
    pub trace: bool,

    /// Keep the solutions of each unit in the report, up to 1,048,576 units: `census verify` recounts some of them. Takes one
    /// puzzle
    #[arg(long, requires = "report", conflicts_with_all = ["limit", "resume"])]
    pub units: bool,

    /// Keep a journal of finished units in this folder, which all hosts share: if the job dies, --resume goes on from there.
    /// Takes one puzzle
    #[arg(long, value_name = "DIR")]
    pub journal: Option<PathBuf>,

    /// Take up what is in the journal and count what is missing, with any number of ranks and threads and any schedule; begin
    /// the journal where there is none
    #[arg(long, requires = "journal", conflicts_with = "trace")]
    pub resume: bool,

    /// Pass over puzzles and headers of a collection that cannot be read, and puzzles with more solutions than 128 bits can
    /// count, each with a line on standard error, and count the others; exit code 2 or 3 at the end if there were any
    #[arg(long)]
    pub keep_going: bool,

    /// Show on standard error how far the count is: a bar on a terminal, now and then a line elsewhere
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub progress: When,

    /// Print the answer and nothing else: `solutions: N`, or the lines of a collection without its summary
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// The puzzle.
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    /// How solutions are found, and in which order
    #[arg(long, value_name = "METHOD", default_value = "search", value_parser = values::list_method(), help_heading = "Method")]
    pub method: MethodName,

    /// How a tree is searched.
    #[command(flatten)]
    pub search: SearchArgs,

    /// How the work is shared.
    #[command(flatten)]
    pub share: ShareArgs,

    /// Only the first N solutions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    /// Stop after this time, in seconds or such as `90s`, `5m` or `1h30m`, with exit code 3
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Write to FILE, whole or not at all; `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Do not say on standard error how many were listed
    #[arg(long, short)]
    pub quiet: bool,
}

/// Options of `solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The puzzle.
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    /// How a tree is searched.
    #[command(flatten)]
    pub search: SearchArgs,
}

/// Options of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A file, `-`, or a grid as a string
    #[arg(value_name = "FILE")]
    pub file: String,

    /// How it is read.
    #[command(flatten)]
    pub read: CollectionArgs,
}

/// Options of `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The puzzle.
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    /// Print the puzzle in this format instead of drawing it
    #[arg(long, value_name = "FORMAT", value_parser = values::format())]
    pub format: Option<Format>,
}

/// Options of `estimate`.
#[derive(Debug, Args)]
pub struct EstimateArgs {
    /// The puzzle.
    #[command(flatten)]
    pub puzzle: PuzzleArgs,

    /// How a tree is searched.
    #[command(flatten)]
    pub search: SearchArgs,

    /// Make exactly N probes [default: as many as two seconds allow, 100,000 at the most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub probes: Option<u64>,

    /// Start of the random numbers: the same seed makes the same probes
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Whether to show something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// When a count takes long
    Auto,
    /// Always, even with --quiet
    On,
    /// Never
    Off,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_options_are_well_formed() {
        Cli::command().debug_assert();
    }
}
