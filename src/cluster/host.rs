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
    /// The processors that this process may use, by the system's numbers: ranks may be bound to different ones.
    pub processors: Vec<usize>,
}

impl Host {
    /// This machine, looked at once.
    pub fn here() -> &'static Host {
        static HERE: OnceLock<Host> = OnceLock::new();
        HERE.get_or_init(|| Host {
            name: gethostname::gethostname().to_string_lossy().into_owned(),
            cpu: cpu_model(),
            processors: processors(),
        })
    }
}

/// The cores that this process may use; 1 where the system does not say.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The processors that this process is bound to. Where the system does not list them (Linux does), or allows less time than they
/// have, as many as there are cores to use.
fn processors() -> Vec<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let mut processors = list.and_then(numbers).unwrap_or_else(|| (0..cores()).collect());
    processors.truncate(cores());
    processors
}

/// The numbers of a list such as `0-3,8`.
fn numbers(list: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?);
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// The processor's name where the system keeps it in a file (Linux).
fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read_as_the_system_writes_them() {
        assert_eq!(numbers("\t0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(numbers("5"), Some(vec![5]));
        assert_eq!(numbers("all"), None);
        assert_eq!(Host::here().processors.len(), cores());
    }
}
