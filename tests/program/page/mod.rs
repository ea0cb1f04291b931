//! The page that `census report` writes, in a real browser: what is drawn, what can be sorted, filtered, hovered and reached by
//! keys, how it looks on a phone, on a laptop, in the dark and on paper, and that it asks nobody for anything.
//!
//! The sweeps are made up, so that no MPI is needed. Where there is no browser, these tests are skipped, with the reason. One
//! browser serves them all; pictures of the page stay in `target/page`.

mod devtools;
mod eyes;
mod looks;
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

/// A browser, and the page that most tests look at.
pub struct Browser {
    tools: RefCell<DevTools>,
    everything: OnceCell<(Sweep, PathBuf)>,
}

thread_local! {
    /// It ends with the lane of the tests that need one.
    static BROWSER: OnceCell<Result<Browser, String>> = const { OnceCell::new() };
}

/// Calls this with the browser, or returns the reason why there is none.
pub fn with_browser(test: fn(&Browser)) -> Result<(), String> {
    BROWSER.with(|browser| browser.get_or_init(Browser::start).as_ref().map(test).map_err(String::clone))
}

impl Browser {
    fn start() -> Result<Browser, String> {
        Ok(Browser { tools: RefCell::new(DevTools::start()?), everything: OnceCell::new() })
    }

    /// A page as somebody sees it.
    #[track_caller]
    fn open(&self, path: &Path, view: &View) -> Page<'_> {
        Page::open(&self.tools, path, view)
    }

    /// The page of the sweep that has something of everything.
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
