//! Benchmarks of census and its peers on the same puzzles: one core, one process, alternating. Prints tables of throughput and
//! speed-ups with their spread, and writes them, with the raw seconds and a description of the machine, to `results/`.

mod bands;
mod cases;
mod clues;
mod collections;
mod docs;
mod journal;
mod ladder;
mod machine;
mod options;
mod ours;
mod page;
mod peers;
mod rounds;
mod search;
mod shapes;
mod table;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use options::{Benchmark, Options};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Outcome {
    options.check()?;
    match options.benchmark {
        Benchmark::Search => search::run(options),
        Benchmark::Shapes => shapes::run(options),
        Benchmark::Collections => collections::run(options, &collections::read(options)?),
        Benchmark::All => {
            // First, so that an error in a file ends the run at once.
            let collections = collections::read(options)?;
            search::run(options)?;
            shapes::run(options)?;
            collections::run(options, &collections)
        }
        Benchmark::Journal => journal::run(options),
        Benchmark::Bands => bands::run(options),
        Benchmark::Hunt => bands::hunt(options),
        Benchmark::Ladder => ladder::run(options),
        Benchmark::Docs => docs::run(options),
    }
}
