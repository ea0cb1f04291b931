//! Files that are there are whole: written under another name, and renamed into place. Files that are read are files: not a
//! pipe that never ends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::blocking;

/// What files are called until they are whole.
const PREFIX: &str = ".census-";
const SUFFIX: &str = ".partial";
/// A file that is younger may belong to a process that has not locked it yet.
const LEAST_AGE: Duration = Duration::from_secs(10);

/// From now on, a write beyond the limit on the size of files (`ulimit -f`) is an error like any other, not the end of the process.
pub fn large_files_are_errors() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Finds out before the work starts whether its result can be written when it ends.
pub fn check_target(target: &Path) -> io::Result<()> {
    if target == Path::new("-") {
        return Ok(());
    }
    if target.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
    }
    if is_special(target) {
        return Ok(());
    }
    let target = behind_links(target);
    let directory = directory_of(&target);
    partial_file(directory)?;
    remove_abandoned(directory);
    Ok(())
}

/// Whether something that is neither a file nor a directory stands there, such as `/dev/null` or a named pipe.
pub(crate) fn is_special(target: &Path) -> bool {
    fs::metadata(target).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// The file that a link leads to: it is what gets replaced, not the link.
pub(crate) fn behind_links(target: &Path) -> PathBuf {
    fs::canonicalize(target).unwrap_or_else(|_| target.into())
}

pub(crate) fn directory_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file, which is locked as long as its process lives.
fn partial_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    fs::metadata(directory)?; // a directory that is not there is a slip of the pen: better not make one
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // A temporary file is for its owner only; what takes its place should be as readable as any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(directory)?;
    let _ = file.as_file().try_lock(); // a file system may have no locks: then nobody can lock it, nor remove it
    Ok(file)
}

/// Removes what processes left behind that were killed: nobody holds the lock of such a file. What cannot be removed stays.
fn remove_abandoned(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let partial = name.starts_with(PREFIX) && name.ends_with(SUFFIX);
        let Some(file) = partial.then(|| open_regular(&path).ok()).flatten() else { continue };
        let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > LEAST_AGE) && file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Writes a file under another name in the same directory and renames it into place when it is finished: whoever finds
/// the file finds all of it. It has the permissions of the file that it replaces. What is no file is written to as it stands: a
/// device must not be replaced.
pub fn write_atomically<T, E: From<io::Error>>(
    target: &Path,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    if is_special(target) {
        return blocking::write(|| fill(&mut OpenOptions::new().write(true).open(target)?));
    }
    let target = &behind_links(target);
    let mut file = partial_file(directory_of(target))?;
    if let Ok(data) = fs::metadata(target) {
        file.as_file().set_permissions(data.permissions())?;
    }
    let filled = fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|failed| failed.error)?;
    Ok(filled)
}

/// Opens a file to read it. Anything else is refused: a pipe may never be written to, a device may never end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Without this, a named pipe would be opened when somebody writes to it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("is not a regular file")),
    }
}

/// All of a file that holds a text of at most so many bytes.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    open_regular(path)?.take(most.saturating_add(1)).read_to_string(&mut text)?;
    match text.len() as u64 > most {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("is larger than {} MiB", most >> 20))),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::time::SystemTime;

    fn write(target: &Path, text: &str) -> io::Result<()> {
        write_atomically(target, |file| file.write_all(text.as_bytes()))
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_permissions_when_it_is_replaced() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("run.json");
        write(&target, "first").expect("written");
        for mode in [0o600, 0o640] {
            fs::set_permissions(&target, PermissionsExt::from_mode(mode)).expect("set");
            write(&target, "second").expect("written");
            assert_eq!(fs::metadata(&target).expect("there").permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("run.json");
        let long_ago = SystemTime::now() - 2 * LEAST_AGE;
        let make = |name: &str, age: Option<SystemTime>| {
            let file = File::create(folder.path().join(name)).expect("made");
            age.into_iter().for_each(|age| file.set_modified(age).expect("set"));
            file
        };
        drop(make(".census-dead.partial", Some(long_ago)));
        drop(make(".census-new.partial", None));
        drop(make(".census-other", Some(long_ago)));
        let living = make(".census-living.partial", Some(long_ago));
        living.lock().expect("locked");
        check_target(&target).expect("can be written");
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).expect("read").map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        assert_eq!(names, [".census-living.partial", ".census-new.partial", ".census-other"]);
    }

    #[test]
    fn a_text_is_read_if_it_is_a_file_and_not_too_large() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("text");
        fs::write(&path, "1234").expect("written");
        assert_eq!(read_text(&path, 4).expect("read"), "1234");
        let words = |path: &Path, most| read_text(path, most).expect_err("refused").to_string();
        assert_eq!(words(&path, 3), "is larger than 0 MiB");
        assert_eq!(words(Path::new("/dev/zero"), 1 << 20), "is not a regular file");
        assert_eq!(words(folder.path(), 1 << 20), "is not a regular file");
    }
}
