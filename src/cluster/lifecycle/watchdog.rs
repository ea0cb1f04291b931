//! Watchdog: ends a rank whose launcher is gone. Without it, some would count for ever (measured with an MPICH proxy).
//! The launcher is the nearest ancestor with the name of one, because a shell may stand in between.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use crate::cluster::exit_with_message;

/// The processes that start ranks on their own host. The system cuts names to 15 characters.
const LAUNCHERS: [&str; 9] =
    ["mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "hydra_pmi_proxy", "slurmstepd", "flux-shell"];
const BETWEEN_CHECKS: Duration = Duration::from_secs(1);

/// A process, with the time of its start: process numbers are reused.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    id: u32,
    name: String,
    parent: u32,
    started: u64,
    dead: bool,
}

/// Starts the watchdog, where there is a `/proc`.
pub(crate) fn start() {
    let Some(launcher) = find_launcher() else { return };
    let _ = thread::Builder::new().spawn(move || {
        while launcher.is_still(look_up(launcher.id)) {
            thread::sleep(BETWEEN_CHECKS);
        }
        exit_with_message(&format!("the launcher {} (process {}) is gone", launcher.name, launcher.id), 3);
    });
}

impl Process {
    /// Whether it runs, if `now` is what has its number.
    fn is_still(&self, now: Option<Process>) -> bool {
        now.is_some_and(|now| now.started == self.started && !now.dead)
    }
}

fn find_launcher() -> Option<Process> {
    let mut process = look_up(std::process::id())?;
    for _ in 0..64 {
        process = look_up(process.parent).filter(|parent| parent.id > 1)?;
        if LAUNCHERS.iter().any(|launcher| process.name.starts_with(launcher)) {
            return Some(process);
        }
    }
    None
}

/// The process with this number. A read that fails for another reason than its end is tried again.
fn look_up(id: u32) -> Option<Process> {
    const ESRCH: i32 = 3; // it ended during the read
    let path = Path::new("/proc").join(id.to_string()).join("stat");
    for _ in 0..3 {
        match fs::read_to_string(&path) {
            Ok(line) => return parse(id, &line),
            Err(error) if error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(ESRCH) => return None,
            Err(_) => thread::sleep(BETWEEN_CHECKS),
        }
    }
    None
}

/// Reads a line of `/proc/…/stat`: number, (name), state, parent, …, and as field 22 the start time.
fn parse(id: u32, line: &str) -> Option<Process> {
    let (name, rest) = line.split_once('(')?.1.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    Some(Process {
        id,
        name: name.into(),
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        dead: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_any_name_is_parsed_and_is_gone_when_it_is_dead_or_its_number_is_reused() {
        let line = "42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 999 1";
        let process = Process { id: 42, name: "a) b (c".into(), parent: 7, started: 12345, dead: false };
        assert_eq!(parse(42, line).as_ref(), Some(&process));
        assert!(process.is_still(parse(42, line)) && !process.is_still(None));
        assert!(!process.is_still(parse(42, &line.replace(") S", ") Z"))));
        assert!(!process.is_still(parse(42, &line.replace("12345", "12346"))));
        assert_eq!(parse(42, "42 (x"), None);
        assert!(look_up(std::process::id()).is_none_or(|this| !this.dead && this.started > 0));
    }
}
