//! The host that a rank runs on.

use std::sync::OnceLock;
use std::{fs, thread};

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub name: String,
    pub cpu: Option<String>,
    /// The processors that this process may use, by number: ranks may be bound to different ones.
    pub processors: Vec<usize>,
}

impl Host {
    pub fn here() -> &'static Host {
        static HERE: OnceLock<Host> = OnceLock::new();
        HERE.get_or_init(|| Host {
            name: gethostname::gethostname().to_string_lossy().into_owned(),
            cpu: cpu_model(),
            processors: processors(),
        })
    }
}

/// The cores that this process may use; 1 if unknown.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The processors that this process is bound to. Without such a list (Linux has one), or under a quota of processor time, as many as
/// there are cores to use.
fn processors() -> Vec<usize> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let mut processors = list.and_then(parse_list).unwrap_or_else(|| (0..cores()).collect());
    processors.truncate(cores());
    processors
}

/// Parses a list such as `0-3,8`.
fn parse_list(list: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?);
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// From a file that only Linux has.
fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_parsed() {
        assert_eq!(parse_list("\t0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_list("5"), Some(vec![5]));
        assert_eq!(parse_list("all"), None);
        assert_eq!(Host::here().processors.len(), cores());
    }
}
