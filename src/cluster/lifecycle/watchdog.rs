//! Watchdog: ends a rank whose launcher is gone (measured with an MPICH proxy: some would count for ever). The launcher
//! is the nearest ancestor with the name of one, because a shell may stand in between; a process without one is not
//! watched.

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
    let Some(launcher) = find_launcher(std::process::id(), &look_up) else { return };
    let _ = thread::Builder::new().spawn(move || {
        while is_running(&launcher, &look_up) {
            thread::sleep(BETWEEN_CHECKS);
        }
        exit_with_message(&format!("the launcher {} (process {}) is gone", launcher.name, launcher.id), 3);
    });
}

fn is_running(process: &Process, look_up: &dyn Fn(u32) -> Option<Process>) -> bool {
    look_up(process.id).is_some_and(|now| now.started == process.started && !now.dead)
}

fn find_launcher(id: u32, look_up: &dyn Fn(u32) -> Option<Process>) -> Option<Process> {
    let mut process = look_up(id)?;
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

    fn process(id: u32, name: &str, parent: u32) -> Process {
        Process { id, name: name.into(), parent, started: 5, dead: false }
    }

    #[test]
    fn the_launcher_is_the_nearest_ancestor_with_the_name_of_one() {
        let all = [
            process(9, "census", 8),
            process(8, "sh", 7),
            process(7, "hydra_pmi_proxy", 6),
            process(6, "mpiexec.hydra", 2),
            process(2, "bash", 1),
            process(1, "init", 0),
        ];
        let look_up = |id| all.iter().find(|process| process.id == id).cloned();
        assert_eq!(find_launcher(9, &look_up).map(|found| found.id), Some(7));
        assert_eq!(find_launcher(6, &look_up), None, "started by hand");
        assert_eq!(find_launcher(77, &look_up), None);
    }

    #[test]
    fn a_process_is_gone_when_it_is_dead_or_its_number_is_reused() {
        let launcher = process(7, "orted", 1);
        assert!(is_running(&launcher, &|_| Some(launcher.clone())));
        assert!(!is_running(&launcher, &|_| None));
        assert!(!is_running(&launcher, &|_| Some(Process { dead: true, ..launcher.clone() })));
        assert!(!is_running(&launcher, &|_| Some(Process { started: 6, ..launcher.clone() })));
    }

    #[test]
    fn a_line_of_proc_is_parsed_for_any_process_name() {
        let line = "42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 999 1";
        let expected = Process { started: 12345, ..process(42, "a) b (c", 7) };
        assert_eq!(parse(42, line), Some(expected));
        assert_eq!(parse(42, "42 (x"), None);
        assert!(look_up(std::process::id()).is_none_or(|this| !this.dead && this.started > 0));
    }
}
