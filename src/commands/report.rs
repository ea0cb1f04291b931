//! `census report`: what the runs of a sweep say together, and what two sweeps say of each other.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::cli::ReportArgs;
use crate::report::page;
use crate::report::sweep::compare::Comparison;
use crate::report::sweep::study::Study;
use crate::report::sweep::{csv, doubts, markdown, read, table};
use crate::whole::write_whole;

use super::{Exit, Failure, Outcome, answer, note, shown};

pub(super) fn run(args: &ReportArgs) -> Outcome {
    match &args.other {
        None => tell(&args.directory, args.output.as_deref().unwrap_or(&args.directory), args.pictures),
        Some(other) => compare(&args.directory, other, args.output.as_deref()),
    }
}

fn tell(directory: &Path, output: &Path, pictures: bool) -> Outcome {
    let sweep = read::open(directory)?;
    doubts::agree(&sweep)?;
    let study = Study::of(&sweep);
    let doubts = doubts::doubts(&study);
    make(output)?;
    answer(&table::text(&study, &doubts))?;
    let page = page::of(&study, &doubts);
    for (name, text) in
        [("summary.csv", csv::text(&study)), ("summary.md", markdown::text(&study, &doubts)), ("report.html", page)]
    {
        leave(output, name, &text)?;
    }
    if pictures {
        let folder = output.join("pictures");
        make(&folder)?;
        for (name, picture) in page::pictures(&study) {
            leave(&folder, &name, &picture)?;
        }
    }
    note(&format!("report: {}\n", shown(&output.join("report.html"))));
    Ok(Exit::Done)
}

fn compare(first: &Path, second: &Path, output: Option<&Path>) -> Outcome {
    let (first, second) = (read::open(first)?, read::open(second)?);
    let comparison = Comparison::of(&first, &second)?;
    answer(&comparison.text())?;
    if let Some(output) = output {
        make(output)?;
        leave(output, "comparison.csv", &comparison.csv())?;
        leave(output, "comparison.md", &comparison.markdown())?;
        leave(output, "comparison.html", &page::comparison::of(&comparison))?;
    }
    Ok(if comparison.rows.is_empty() { Exit::No } else { Exit::Done })
}

/// Makes a folder that is not there yet.
fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))
}

/// Writes one of the files, whole or not at all.
fn leave(directory: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let target = directory.join(name);
    let written: io::Result<()> = write_whole(&target, |file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::io(&target, error))
}
