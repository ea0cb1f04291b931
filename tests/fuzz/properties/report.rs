//! `census report`: whatever stands in the folder of a sweep, neither reading it nor any of its outputs panics, and nothing in it
//! becomes markup of the page.
//!
//! The input is a folder (`folder.rs`).

use census::report::html;
use census::report::sweep::analysis::Analysis;
use census::report::sweep::compare::Comparison;
use census::report::sweep::{csv, markdown, read, table, warnings};

use super::folder;

/// Nothing that census writes itself begins like this.
const FOREIGN_MARKUP: &str = "<fuzz";

pub fn check(data: &[u8]) {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    folder::fill(temporary.path(), &folder::files(data));
    let sweep = match read::open(temporary.path()) {
        Ok(sweep) => sweep,
        Err(error) => {
            assert!(!error.to_string().contains(char::is_control), "{error:?}");
            return;
        }
    };
    if let Ok(comparison) = Comparison::of(&sweep, &sweep) {
        let _ = (comparison.text(), comparison.csv(), comparison.markdown());
        is_clean(&html::comparison::of(&comparison));
    }
    if warnings::agree(&sweep).is_err() {
        return;
    }
    let study = Analysis::of(&sweep);
    let warnings = warnings::warnings(&study);
    let _ = (table::text(&study, &warnings), csv::text(&study), markdown::text(&study, &warnings));
    is_clean(&html::of(&study, &warnings));
    html::pictures(&study).iter().for_each(|(_, picture)| is_clean(picture));
}

fn is_clean(page: &str) {
    assert!(!page.contains(FOREIGN_MARKUP), "a name has become markup");
}
