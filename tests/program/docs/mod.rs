//! README.md and `docs/`: every command is run, every link has its target, and what follows from the program or the schema is in step
//! with it.
//!
//! With `UPDATE_DOCS=1`, the tests write the outputs of this program and the fields of the schema to the pages instead of comparing them.

mod console;
mod fields;
mod links;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use census::cli::Cli;
use clap::CommandFactory;

use crate::harness::{ONCE, OPEN_MPI, test};

/// Whether to write the pages.
fn update() -> bool {
    env::var_os("UPDATE_DOCS").is_some()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The paths of all pages, relative to the project's root.
fn pages() -> Vec<String> {
    let folder = fs::read_dir(root().join("docs")).expect("docs");
    let names = folder.map(|entry| entry.expect("an entry").file_name().into_string().expect("a printable name"));
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.push("README.md".into());
    pages.sort();
    pages
}

/// A test for the commands of each page.
macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        const TESTED: &[&str] = &[$($page),*];
        $(test!(OPEN_MPI, $name, || console::check($page));)*
    };
}

pages! {
    readme: "README.md",
    batches: "docs/batches.md",
    bands: "docs/bands.md",
    benchmarks: "docs/benchmarks.md",
    checkpoints: "docs/checkpoints.md",
    cluster: "docs/cluster.md",
    contents: "docs/README.md",
    formats: "docs/formats.md",
    glossary: "docs/glossary.md",
    html_report: "docs/html-report.md",
    options: "docs/options.md",
    protocol: "docs/protocol.md",
    reliability: "docs/reliability.md",
    report_fields: "docs/report-fields.md",
    schedules: "docs/schedules.md",
    search: "docs/search.md",
    sweeps: "docs/sweeps.md",
    traces_and_plan: "docs/traces-and-plan.md",
    tutorial: "docs/tutorial.md",
}

test!(ONCE, every_page_is_tested_and_in_the_table_of_contents, || {
    let mut tested = TESTED.to_vec();
    tested.sort_unstable();
    assert_eq!(pages(), tested);
    let contents = read("docs/README.md");
    for page in pages().iter().filter_map(|page| page.strip_prefix("docs/")).filter(|page| *page != "README.md") {
        assert!(contents.contains(&format!("]({page})")), "docs/README.md has no link to {page}");
    }
});

test!(ONCE, the_readme_is_short, || {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 200, "README.md has {} lines", readme.lines().count());
    let long = readme.lines().filter(|line| line.chars().count() > 120 && !line.starts_with('|'));
    assert_eq!(long.collect::<Vec<_>>(), Vec::<&str>::new(), "lines over 120 characters");
});

test!(ONCE, the_page_of_options_has_the_help_of_every_command, || {
    let page = read("docs/options.md");
    let mut census = Cli::command();
    census.build();
    for command in census.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help") {
        assert!(page.contains(&format!("\n$ census help {command}\n")), "docs/options.md lacks {command}");
    }
});

test!(ONCE, the_page_of_report_fields_is_that_of_the_schema, || {
    let page = fields::page();
    let path = root().join("docs/report-fields.md");
    if update() {
        return fs::write(path, page).expect("written");
    }
    assert_eq!(read("docs/report-fields.md"), page, "UPDATE_DOCS=1 scripts/test docs writes it");
});

test!(ONCE, every_link_of_every_page_has_a_target, || {
    let folders = ["", "docs", "puzzles", "results", "hostfiles"];
    let pages = folders.iter().flat_map(|folder| links::markdown_files(&root().join(folder)));
    let broken: Vec<String> = pages.flat_map(|page: PathBuf| links::broken(Path::new(&page))).collect();
    assert_eq!(broken, Vec::<String>::new());
});
