//! One core, one process, alternating: census and its peers on the same puzzles. Prints tables of what both do in a second
//! and of speed-ups with their spread, and leaves them with the raw seconds and a description of the machine in `results/`.

mod bands;
mod cases;
mod clues;
mod collections;
mod journal;
mod ladder;
mod machine;
mod options;
mod ours;
mod page;
mod peers;
mod readme;
mod rounds;
mod search;
mod shapes;
mod table;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use options::{Options, What};

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
    match options.what {
        What::Search => search::run(options),
        What::Shapes => shapes::run(options),
        What::Collections => collections::run(options, &collections::read(options)?),
        What::All => {
            // A file that cannot be read should be known at once, not after half an hour.
            let collections = collections::read(options)?;
            search::run(options)?;
            shapes::run(options)?;
            collections::run(options, &collections)
        }
        What::Journal => journal::run(options),
        What::Bands => bands::run(options),
        What::Hunt => bands::hunt(options),
        What::Ladder => ladder::run(options),
        What::Readme => readme::run(options),
    }
}
