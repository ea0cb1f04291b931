//! A rank whose launcher is gone ends.
//!
//! Launchers end their ranks when they are told to end, but one that is killed cannot, and some ranks would count on for
//! ever with nobody to hear of it (measured: those of an MPICH proxy that was killed). So a thread looks once a second
//! whether the launcher is still there. That is not the parent, where a shell stands between, but the nearest ancestor
//! with the name of a launcher; a process without one is not watched.

use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use super::end_at_once;

/// The processes that start ranks on their own host, as the system names them (up to 15 characters).
const LAUNCHERS: [&str; 9] =
    ["mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "hydra_pmi_proxy", "slurmstepd", "flux-shell"];
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// A process, and when it was started: a number alone may come again.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Process {
    id: u32,
    name: String,
    parent: u32,
    started: u64,
    gone: bool,
}

/// From now on, ends this process when its launcher is gone. Only where `/proc` tells.
pub(super) fn end_with_launcher() {
    let Some(launcher) = find(std::process::id(), &look_up) else { return };
    let _ = thread::Builder::new().spawn(move || {
        while is_there(&launcher, &look_up) {
            thread::sleep(BETWEEN_LOOKS);
        }
        end_at_once(&format!("{} (process {}), which started this rank, is gone", launcher.name, launcher.id), 3);
    });
}

fn is_there(process: &Process, look_up: &dyn Fn(u32) -> Option<Process>) -> bool {
    look_up(process.id).is_some_and(|now| now.started == process.started && !now.gone)
}

/// The nearest ancestor that is a launcher.
fn find(id: u32, look_up: &dyn Fn(u32) -> Option<Process>) -> Option<Process> {
    let mut process = look_up(id)?;
    for _ in 0..64 {
        process = look_up(process.parent).filter(|parent| parent.id > 1)?;
        if LAUNCHERS.iter().any(|launcher| process.name.starts_with(launcher)) {
            return Some(process);
        }
    }
    None
}

fn look_up(id: u32) -> Option<Process> {
    parse(id, &fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat")).ok()?)
}

/// From the line in `/proc/…/stat`: number, name in brackets, state, parent, and at the 22nd place the start.
fn parse(id: u32, line: &str) -> Option<Process> {
    let (name, rest) = line.split_once('(')?.1.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    Some(Process {
        id,
        name: name.into(),
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
        gone: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(id: u32, name: &str, parent: u32) -> Process {
        Process { id, name: name.into(), parent, started: 5, gone: false }
    }

    #[test]
    fn the_launcher_is_the_nearest_ancestor_that_is_one_whatever_stands_between() {
        let all = [
            process(9, "census", 8),
            process(8, "sh", 7),
            process(7, "hydra_pmi_proxy", 6),
            process(6, "mpiexec.hydra", 2),
            process(2, "bash", 1),
            process(1, "init", 0),
        ];
        let look_up = |id| all.iter().find(|process| process.id == id).cloned();
        assert_eq!(find(9, &look_up).map(|found| found.id), Some(7));
        assert_eq!(find(6, &look_up), None, "started by hand");
        assert_eq!(find(77, &look_up), None);
    }

    #[test]
    fn a_process_is_gone_when_it_is_dead_or_another_has_its_number() {
        let launcher = process(7, "orted", 1);
        assert!(is_there(&launcher, &|_| Some(launcher.clone())));
        assert!(!is_there(&launcher, &|_| None));
        assert!(!is_there(&launcher, &|_| Some(Process { gone: true, ..launcher.clone() })));
        assert!(!is_there(&launcher, &|_| Some(Process { started: 6, ..launcher.clone() })));
    }

    #[test]
    fn a_line_of_proc_is_read_whatever_the_name_of_the_process() {
        let line = "42 (a) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 12345 999 1";
        let expected = Process { started: 12345, ..process(42, "a) b (c", 7) };
        assert_eq!(parse(42, line), Some(expected));
        assert_eq!(parse(42, "42 (x"), None);
        assert!(look_up(std::process::id()).is_none_or(|this| !this.gone && this.started > 0));
    }
}
