//! The command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, ValueEnum};

/// Measures census against its peers on this machine: one core, one process, alternating.
#[derive(Parser)]
#[command(name = "scripts/bench")]
pub struct Options {
    /// What to measure
    #[arg(value_enum, default_value_t = Benchmark::Search)]
    pub benchmark: Benchmark,
    /// Collections to measure with `collections` and `all`, and one number: of rounds, of sets (`bands`), of minutes
    /// (`hunt`), or the seed of a `ladder`
    #[arg(value_name = "FILE|NUMBER")]
    rest: Vec<String>,
    /// Time limit of a peer for one puzzle in `shapes`, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// The folder for results
    #[arg(long, value_name = "FOLDER", default_value_os_t = project("results"))]
    pub results: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Benchmark {
    /// All solutions of 9×9 puzzles, counted and listed by search, against the crate `sudoku`
    Search,
    /// All solutions of puzzles of other shapes, against the crates `exact-covers` and `dlx-rs`
    Shapes,
    /// Whether solutions are unique, for collections of 9×9 puzzles, against the crate `sudoku`
    Collections,
    /// All of the above
    All,
    /// Counts with and without a journal
    Journal,
    /// `--method bands` on random clues, and against the crate `sudoku`
    Bands,
    /// Searches for clues that are slow with `--method bands`
    Hunt,
    /// Searches for puzzles whose trees grow with the number of workers: the rungs of `puzzles/ladder`
    Ladder,
    /// Copies the tables of the last results into docs/benchmarks.md
    Docs,
}

impl Options {
    /// Refuses arguments that would otherwise be ignored.
    pub fn check(&self) -> Result<(), String> {
        let takes_files = matches!(self.benchmark, Benchmark::Collections | Benchmark::All);
        let zero = |text: &&str| text.chars().all(|c| c == '0');
        match (self.files().find(zero), self.files().next(), self.rest.len() - self.files().count()) {
            (Some(zero), _, _) => Err(format!("`{zero}`: the number must be at least 1")),
            (_, Some(file), _) if !takes_files => Err(format!("`{file}`: only `collections` and `all` take files")),
            (_, _, 2..) => Err("more than one number".into()),
            _ => Ok(()),
        }
    }

    pub fn number(&self, default: usize) -> usize {
        self.rest.iter().find_map(|text| number(text)).unwrap_or(default)
    }

    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.rest.iter().map(String::as_str).filter(|text| number(text).is_none())
    }

    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.limit)
    }
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|&number| number > 0)
}

/// The path of a file or folder of the project.
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
