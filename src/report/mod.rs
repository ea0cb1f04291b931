//! WHAT a run says of itself: the JSON reports, the efficiency formulas, and what goes to the terminal.

pub mod collection;
pub mod efficiency;
pub mod plan;
pub mod progress;
pub mod run;
pub mod terminal;
pub mod trace;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// A report as text.
pub fn to_json(report: &impl Serialize) -> String {
    // A report is made of names, numbers and lists: there is nothing in it that JSON cannot say.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// Writes a report to a file, whole or not at all.
pub fn write(report: &impl Serialize, target: &Path) -> io::Result<()> {
    write_whole(target, |file| file.write_all(to_json(report).as_bytes()))
}

/// Finds out before the work starts whether its report can be written when it ends.
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
    partial_file(directory_of(&target)).map(drop)
}

/// Whether something that is neither a file nor a directory stands there, such as `/dev/null` or a named pipe.
fn is_special(target: &Path) -> bool {
    fs::metadata(target).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// The file that a link leads to: it is what gets replaced, not the link.
fn behind_links(target: &Path) -> PathBuf {
    fs::canonicalize(target).unwrap_or_else(|_| target.into())
}

fn directory_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn partial_file(directory: &Path) -> io::Result<tempfile::NamedTempFile> {
    fs::metadata(directory)?; // a directory that is not there is a slip of the pen: better not make one
    let mut builder = tempfile::Builder::new();
    builder.prefix(".census-").suffix(".partial");
    // A temporary file is for its owner only; what takes its place should be as readable as any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(directory)
}

/// Writes a file under another name in the same directory and renames it into place when it is finished: whoever finds
/// the file finds all of it. What is no file is written to as it stands: a device must not be replaced.
pub fn write_whole<T, E: From<io::Error>>(
    target: &Path,
    fill: impl FnOnce(&mut fs::File) -> Result<T, E>,
) -> Result<T, E> {
    if is_special(target) {
        return fill(&mut fs::OpenOptions::new().write(true).open(target)?);
    }
    let target = &behind_links(target);
    let mut file = partial_file(directory_of(target))?;
    let filled = fill(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|failed| failed.error)?;
    Ok(filled)
}
