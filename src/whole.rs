//! Files that are there are whole: written under another name, and renamed into place.

use std::path::{Path, PathBuf};
use std::{fs, io};

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
    partial_file(directory_of(&target)).map(drop)
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
