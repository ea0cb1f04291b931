//! Atomic file writes: a file is written under a temporary name and renamed. Reads of regular files only: a pipe or a device may
//! never end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::blocking;

/// Names of temporary files.
const PREFIX: &str = ".census-";
const SUFFIX: &str = ".partial";
/// A younger temporary file may belong to a process that has not locked it yet.
const MIN_AGE: Duration = Duration::from_secs(10);

/// Makes a write beyond the limit on file sizes (`ulimit -f`) return an error instead of ending the process.
pub fn ignore_file_size_signal() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Checks before the work starts that its result can be written at the end.
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
    let target = resolve_links(target);
    let directory = directory_of(&target);
    temporary_file(directory)?;
    remove_abandoned(directory);
    Ok(())
}

/// Whether the target is neither a file nor a directory, but a device or a named pipe.
pub(crate) fn is_special(target: &Path) -> bool {
    fs::metadata(target).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// The target of a symbolic link: an atomic write replaces that, not the link.
pub(crate) fn resolve_links(target: &Path) -> PathBuf {
    fs::canonicalize(target).unwrap_or_else(|_| target.into())
}

pub(crate) fn directory_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The error for a folder that the user has to create.
pub(crate) fn no_folder(directory: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}: create it first", directory.display()))
}

/// A new file that is locked as long as its process lives.
fn temporary_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    // A missing directory is probably a typing error: it is not created.
    fs::metadata(directory).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => no_folder(directory),
        _ => error,
    })?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // By default, a temporary file is readable by its owner only. The final file gets the usual permissions.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.tempfile_in(directory)?;
    let _ = file.as_file().try_lock(); // on a file system without locks, `remove_abandoned` cannot lock and remove it either
    Ok(file)
}

/// Removes the temporary files of killed processes, which are not locked. Errors are ignored.
fn remove_abandoned(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_temporary = name.starts_with(PREFIX) && name.ends_with(SUFFIX);
        let Some(file) = is_temporary.then(|| open_regular(&path).ok()).flatten() else { continue };
        let age = file.metadata().and_then(|data| data.modified()).ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > MIN_AGE) && file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Writes a temporary file in the directory of the target and renames it to the target when it is complete. It gets the
/// permissions of the file that it replaces. A device or a pipe is written directly, because it must not be replaced.
pub fn write_atomically<T, E: From<io::Error>>(
    target: &Path,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    if is_special(target) {
        return blocking::write(|| fill(&mut OpenOptions::new().write(true).open(target)?));
    }
    let target = &resolve_links(target);
    let mut file = temporary_file(directory_of(target))?;
    if let Ok(data) = fs::metadata(target) {
        file.as_file().set_permissions(data.permissions())?;
    }
    let filled = fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|failure| failure.error)?;
    Ok(filled)
}

/// Opens a regular file to read it. Anything else is an error.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Otherwise, opening a named pipe would wait for its writer.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("is not a regular file")),
    }
}

/// Reads a regular file of at most so many bytes.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let mut text = String::new();
    open_regular(path)?.take(max_bytes.saturating_add(1)).read_to_string(&mut text)?;
    match text.len() as u64 > max_bytes {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("is larger than {} MiB", max_bytes >> 20))),
        false => Ok(text),
    }
}
