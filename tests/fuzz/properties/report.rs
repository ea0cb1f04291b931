//! `census report`: with any content of a sweep's folder, neither reading it nor any output panics, and no input becomes markup of
//! the page.
//!
//! The input is a folder (`folder.rs`).

use census::report::html;
use census::report::sweep::analysis::Analysis;
use census::report::sweep::compare::Comparison;
use census::report::sweep::{csv, markdown, read, table, warnings};

use super::folder;

/// Census itself never writes this.
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
    let analysis = Analysis::of(&sweep);
    let warnings = warnings::warnings(&analysis);
    let _ = (table::text(&analysis, &warnings), csv::text(&analysis), markdown::text(&analysis, &warnings));
    is_clean(&html::of(&analysis, &warnings));
    html::pictures(&analysis).iter().for_each(|(_, picture)| is_clean(picture));
}

fn is_clean(page: &str) {
    assert!(!page.contains(FOREIGN_MARKUP), "a name has become markup");
}
