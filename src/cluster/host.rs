//! The machine that a rank runs on.

use std::sync::OnceLock;
use std::{fs, thread};

use serde::{Deserialize, Serialize};

/// The machine that a rank runs on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its processor, as the system names it.
    pub cpu: Option<String>,
    /// The cores that this process may use.
    pub cores: usize,
}

impl Host {
    /// This machine, looked at once.
    pub fn here() -> &'static Host {
        static HERE: OnceLock<Host> = OnceLock::new();
        HERE.get_or_init(|| Host {
            name: gethostname::gethostname().to_string_lossy().into_owned(),
            cpu: cpu_model(),
            cores: cores(),
        })
    }
}

/// The cores that this process may use; 1 where the system does not say.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The processor's name where the system keeps it in a file (Linux).
fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_string())
}
