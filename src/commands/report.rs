//! `census report`: analyses the runs of a sweep, or compares two sweeps.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::streams::{print_stderr, print_stdout, printable_path};
use super::{CommandError, Exit, Outcome};
use crate::atomic_file::write_atomically;
use crate::cli::ReportArgs;
use crate::report::html;
use crate::report::sweep::analysis::Analysis;
use crate::report::sweep::compare::Comparison;
use crate::report::sweep::{csv, markdown, read, table, warnings};

pub(super) fn run(args: &ReportArgs) -> Outcome {
    match &args.other {
        None => analyse(&args.directory, args.output.as_deref().unwrap_or(&args.directory), args.pictures),
        Some(other) => compare(&args.directory, other, args.output.as_deref()),
    }
}

fn analyse(directory: &Path, output: &Path, pictures: bool) -> Outcome {
    let sweep = read::open(directory)?;
    warnings::agree(&sweep)?;
    let analysis = Analysis::of(&sweep);
    let warnings = warnings::warnings(&analysis);
    create(output)?;
    print_stdout(&table::text(&analysis, &warnings))?;
    let page = html::of(&analysis, &warnings);
    for (name, text) in [
        ("summary.csv", csv::text(&analysis)),
        ("summary.md", markdown::text(&analysis, &warnings)),
        ("report.html", page),
    ] {
        write(output, name, &text)?;
    }
    if pictures {
        let folder = output.join("pictures");
        create(&folder)?;
        for (name, picture) in html::pictures(&analysis) {
            write(&folder, &name, &picture)?;
        }
    }
    print_stderr(&format!("report: {}\n", printable_path(&output.join("report.html"))));
    Ok(Exit::Done)
}

fn compare(first: &Path, second: &Path, output: Option<&Path>) -> Outcome {
    let (first, second) = (read::open(first)?, read::open(second)?);
    let comparison = Comparison::of(&first, &second)?;
    print_stdout(&comparison.text())?;
    if let Some(output) = output {
        create(output)?;
        write(output, "comparison.csv", &comparison.csv())?;
        write(output, "comparison.md", &comparison.markdown())?;
        write(output, "comparison.html", &html::comparison::of(&comparison))?;
    }
    Ok(if comparison.rows.is_empty() { Exit::No } else { Exit::Done })
}

fn create(folder: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(|error| CommandError::io(folder, error))
}

fn write(directory: &Path, name: &str, text: &str) -> Result<(), CommandError> {
    let target = directory.join(name);
    let written: io::Result<()> = write_atomically(&target, |file| file.write_all(text.as_bytes()));
    written.map_err(|error| CommandError::io(&target, error))
}
