//! The page of `census report` in a real browser: figures, sorting, filters, tooltips, keyboard, and layout on a phone, a laptop and
//! paper, in light and dark colours. The page must not send any request.
//!
//! The sweeps are synthetic and need no MPI. Without a browser these tests are skipped, with the reason. All use one browser;
//! screenshots are in `target/page`.

mod appearance;
mod devtools;
mod legibility;
mod opening;
mod plots;
mod points;
mod sweep;
mod tab;
mod table;
mod workload;

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};

use devtools::DevTools;
use sweep::Sweep;
use tab::{Page, View};

/// A browser, and the page of most tests.
pub struct Browser {
    tools: RefCell<DevTools>,
    everything: OnceCell<(Sweep, PathBuf)>,
}

thread_local! {
    /// Ends with the thread of the tests that need a browser.
    static BROWSER: OnceCell<Result<Browser, String>> = const { OnceCell::new() };
}

/// Runs a test with the browser, or returns why there is none.
pub fn with_browser(test: fn(&Browser)) -> Result<(), String> {
    BROWSER.with(|browser| browser.get_or_init(Browser::start).as_ref().map(test).map_err(String::clone))
}

impl Browser {
    fn start() -> Result<Browser, String> {
        Ok(Browser { tools: RefCell::new(DevTools::start()?), everything: OnceCell::new() })
    }

    #[track_caller]
    fn open(&self, path: &Path, view: &View) -> Page<'_> {
        Page::open(&self.tools, path, view)
    }

    /// The page of a sweep with every kind of figure.
    #[track_caller]
    fn open_everything(&self, view: &View) -> Page<'_> {
        self.open(&self.everything().1, view)
    }

    /// The runs of that sweep.
    fn runs(&self) -> &[String] {
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
