//! Files that are written atomically, and writes that may block.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use census::atomic_file::{check_target, read_text, write_atomically};
use census::blocking::{self, PendingWork, blocked_since};

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions_when_it_is_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("run.json");
    let write = |text: &str| -> io::Result<()> { write_atomically(&target, |file| file.write_all(text.as_bytes())) };
    write("first").expect("written");
    for mode in [0o600, 0o640] {
        fs::set_permissions(&target, PermissionsExt::from_mode(mode)).expect("set");
        write("second").expect("written");
        assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, mode);
    }
}

#[test]
fn the_temporary_file_of_a_killed_process_is_removed_and_that_of_a_running_one_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let long_ago = SystemTime::now() - Duration::from_secs(20);
    let make = |name: &str, age: Option<SystemTime>| {
        let file = File::create(folder.path().join(name)).expect("made");
        age.into_iter().for_each(|age| file.set_modified(age).expect("set"));
        file
    };
    drop(make(".census-dead.partial", Some(long_ago)));
    drop(make(".census-new.partial", None));
    drop(make(".census-other", Some(long_ago)));
    let running = make(".census-running.partial", Some(long_ago));
    running.lock().expect("locked");
    check_target(&folder.path().join("run.json")).expect("can be written");
    let entries = fs::read_dir(folder.path()).expect("read");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
    names.sort();
    assert_eq!(names, [".census-new.partial", ".census-other", ".census-running.partial"]);
}

#[test]
fn a_text_is_read_if_it_is_a_regular_file_and_not_too_large() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    fs::write(&path, "1234").expect("written");
    assert_eq!(read_text(&path, 4).expect("read"), "1234");
    let error = |path: &Path, max_bytes| read_text(path, max_bytes).expect_err("refused").to_string();
    assert_eq!(error(&path, 3), "is larger than 0 MiB");
    assert_eq!(error(Path::new("/dev/zero"), 1 << 20), "is not a regular file");
    assert_eq!(error(folder.path(), 1 << 20), "is not a regular file");
}

#[test]
fn a_write_blocks_until_it_returns() {
    let (release, gate) = channel::<()>();
    let (started, has_started) = channel();
    let writer = thread::spawn(move || {
        blocking::write(|| {
            let _ = started.send(());
            let _ = gate.recv();
        })
    });
    has_started.recv().expect("started");
    let pending = PendingWork::new();
    assert_eq!(blocked_since(), None, "work is pending");
    drop(pending);
    let before = Instant::now();
    assert!(blocked_since().is_some_and(|since| since <= before));
    drop(release);
    writer.join().expect("no panic");
    assert!(blocked_since().is_none_or(|since| since > before), "another test may write");
}
