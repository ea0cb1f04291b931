//! A browser without a window.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use headless_chrome::LaunchOptions;

use crate::tab::{Page, View};

/// The names that a browser may have.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// It stays away from the network, whatever a page asks for.
const OPTIONS: [&str; 4] = [
    "--disable-quic",
    "--disable-component-update",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND",
];

/// A browser with a new, empty profile. It ends with its last owner.
pub struct Browser(headless_chrome::Browser);

impl Browser {
    /// Starts it, or tells why there is none.
    pub fn start() -> Result<Browser, String> {
        let path = find().ok_or_else(|| format!("there is no {}", NAMES.join(", ")))?;
        let options = LaunchOptions {
            path: Some(path),
            // It refuses to have one as root.
            sandbox: !is_root(),
            args: OPTIONS.iter().map(OsStr::new).collect(),
            idle_browser_timeout: Duration::from_secs(600),
            ..LaunchOptions::default()
        };
        headless_chrome::Browser::new(options).map(Browser).map_err(|error| format!("no browser: {error}"))
    }

    /// Opens a page as somebody sees it.
    #[track_caller]
    pub fn open(&self, path: &Path, view: &View) -> Page {
        Page::open(self.0.new_tab().expect("a tab"), format!("file://{}", encoded(path)), view)
    }
}

fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    NAMES.iter().find_map(|name| env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file()))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0)
}

/// A path as a part of an address.
fn encoded(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.to_string_lossy().bytes().map(encode).collect()
}
