//! Copies the tables of the last results to docs/benchmarks.md, between its marks, so that its figures are exactly those of a run.

use std::fs;

use crate::Outcome;
use crate::options::{Options, project};
use crate::page::{MEASURED, page_of, write_atomically};

pub fn run(options: &Options) -> Outcome {
    let path = project("docs/benchmarks.md");
    let mut docs = fs::read_to_string(&path)?;
    for name in ["search", "shapes", "collections"] {
        let (begin, end) = (format!("<!-- bench {name} -->\n"), format!("<!-- end of bench {name} -->"));
        let marks = docs.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
        let (before, after) = marks.ok_or_else(|| format!("docs/benchmarks.md has no marks for {name}"))?;
        let page = page_of(&options.results, name);
        let text = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        let (_, tables) = text.split_once(MEASURED).ok_or("a page without measurements")?;
        let links = format!("([the machine](../results/bench-{name}.md), [all rounds](../results/bench-{name}.json))");
        docs = format!("{before}{begin}{}\n\n{links}\n{end}{after}", tables.trim());
    }
    Ok(write_atomically(&path, &docs)?)
}
