//! The output of a benchmark: a page with the machine and the tables, printed as it grows, and the raw numbers.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use crate::machine::Machine;
use crate::options::Options;
use crate::table;

/// The line between the description of the machine and the tables
pub const MEASURED: &str = "## Measured\n";

pub struct Page {
    name: &'static str,
    folder: PathBuf,
    machine: Machine,
    text: String,
    cases: Vec<Value>,
}

impl Page {
    /// Begins with the description of the machine.
    pub fn new(name: &'static str, options: &Options) -> Page {
        let (folder, machine) = (options.results.clone(), Machine::here());
        let mut page = Page { name, folder, machine, text: String::new(), cases: Vec::new() };
        page.say(format!("# scripts/bench {name}\n\n| | |\n|---|---|"));
        for (name, fact) in page.machine.facts() {
            page.row(&[name.into(), fact]);
        }
        page.say(format!("\n{MEASURED}"));
        page
    }

    /// Prints a line and adds it to the page.
    pub fn say(&mut self, line: impl AsRef<str>) {
        show(line.as_ref());
        self.text += line.as_ref();
        self.text.push('\n');
    }

    /// Begins a table whose first columns are texts and the others numbers.
    pub fn head(&mut self, texts: usize, columns: &[&str]) {
        self.say(table::head(texts, columns));
    }

    pub fn row(&mut self, cells: &[String]) {
        self.say(table::row(cells));
    }

    /// Adds the raw numbers of a case.
    pub fn record(&mut self, name: &str, raw: impl Serialize) -> Result<(), serde_json::Error> {
        self.cases.push(json!({ "case": name, "runs": serde_json::to_value(raw)? }));
        Ok(())
    }

    /// Writes both files.
    pub fn save(self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let raw = json!({
            "schema": "census-bench/1",
            "bench": self.name,
            "machine": self.machine,
            "cases": self.cases,
        });
        write_atomically(&page_of(&self.folder, self.name), &self.text)?;
        write_atomically(&self.folder.join(format!("bench-{}.json", self.name)), &format!("{raw:#}\n"))?;
        show("");
        Ok(())
    }
}

/// Prints a line. Ignores a broken pipe (`| head`), so that the files are written anyway.
pub fn show(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// The path of a benchmark's page.
pub fn page_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("bench-{name}.md"))
}

/// Writes a temporary file and renames it, so that a file that exists is complete.
pub fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    let partial = path.with_added_extension("partial");
    fs::write(&partial, text)?;
    fs::rename(&partial, path)
}
