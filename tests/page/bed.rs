//! What all tests of the page share: one browser, and one sweep that has something of everything.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::browser::Browser;
use crate::sweep::Sweep;
use crate::tab::{Page, View};

/// A browser, and the page that most tests look at.
pub struct Bed {
    browser: Browser,
    everything: OnceLock<(Sweep, PathBuf)>,
}

impl Bed {
    /// Starts a browser, or tells why there is none.
    pub fn start() -> Result<Bed, String> {
        Browser::start().map(|browser| Bed { browser, everything: OnceLock::new() })
    }

    /// A page as somebody sees it.
    #[track_caller]
    pub fn open(&self, path: &Path, view: &View) -> Page {
        self.browser.open(path, view)
    }

    /// The page of the sweep that has something of everything.
    #[track_caller]
    pub fn open_everything(&self, view: &View) -> Page {
        self.open(&self.everything().1, view)
    }

    /// The runs of that sweep.
    pub fn runs(&self) -> &[String] {
        &self.everything().0.runs
    }

    fn everything(&self) -> &(Sweep, PathBuf) {
        self.everything.get_or_init(|| {
            let sweep = Sweep::of_everything();
            let page = sweep.page();
            (sweep, page)
        })
    }
}
