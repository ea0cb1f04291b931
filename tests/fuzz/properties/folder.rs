//! A folder as one input: each file follows a line `==> NAME <==`, the format of `head` with several files.

use std::fs;
use std::path::Path;

/// More files would only take longer.
const MAX_FILES: usize = 6;

/// The names and contents of the files. Names have no path.
pub fn files(data: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        match name_of(line) {
            Some(name) if files.len() < MAX_FILES => files.push((name, Vec::new())),
            Some(_) => break,
            None => {
                if let Some((_, content)) = files.last_mut() {
                    content.extend(line);
                }
            }
        }
    }
    files
}

fn name_of(line: &[u8]) -> Option<String> {
    let name = str::from_utf8(line).ok()?.strip_prefix("==> ")?.strip_suffix(" <==\n")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let is_name = (1..50).contains(&name.len()) && name.bytes().all(plain) && !name.starts_with('.');
    is_name.then(|| name.into())
}

pub fn fill(folder: &Path, files: &[(String, Vec<u8>)]) {
    for (name, content) in files {
        fs::write(folder.join(name), content).expect("a file of the temporary folder");
    }
}
