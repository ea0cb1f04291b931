//! `census report`: what the runs of a sweep say together, and what two sweeps say of each other.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::atomic_file::write_atomically;
use crate::cli::ReportArgs;
use crate::report::html;
use crate::report::sweep::analysis::Analysis;
use crate::report::sweep::compare::Comparison;
use crate::report::sweep::{csv, markdown, read, table, warnings};

use super::{CommandError, Exit, Outcome, answer, note, shown};

pub(super) fn run(args: &ReportArgs) -> Outcome {
    match &args.other {
        None => tell(&args.directory, args.output.as_deref().unwrap_or(&args.directory), args.pictures),
        Some(other) => compare(&args.directory, other, args.output.as_deref()),
    }
}

fn tell(directory: &Path, output: &Path, pictures: bool) -> Outcome {
    let sweep = read::open(directory)?;
    warnings::agree(&sweep)?;
    let analysis = Analysis::of(&sweep);
    let warnings = warnings::warnings(&analysis);
    make(output)?;
    answer(&table::text(&analysis, &warnings))?;
    let page = html::of(&analysis, &warnings);
    for (name, text) in [
        ("summary.csv", csv::text(&analysis)),
        ("summary.md", markdown::text(&analysis, &warnings)),
        ("report.html", page),
    ] {
        leave(output, name, &text)?;
    }
    if pictures {
        let folder = output.join("pictures");
        make(&folder)?;
        for (name, picture) in html::pictures(&analysis) {
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
        leave(output, "comparison.html", &html::comparison::of(&comparison))?;
    }
    Ok(if comparison.rows.is_empty() { Exit::No } else { Exit::Done })
}

/// Makes a folder that is not there yet.
fn make(folder: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(|error| CommandError::io(folder, error))
}

/// Writes one of the files, whole or not at all.
fn leave(directory: &Path, name: &str, text: &str) -> Result<(), CommandError> {
    let target = directory.join(name);
    let written: io::Result<()> = write_atomically(&target, |file| file.write_all(text.as_bytes()));
    written.map_err(|error| CommandError::io(&target, error))
}
