//! The layers of the source tree: no layer imports from a later one.

use std::fs;
use std::path::{Path, PathBuf};

/// `puzzle` and `count` are crates.
const LAYERS: [&[&str]; 6] =
    [&["puzzle"], &["count"], &["atomic_file", "blocking"], &["cluster"], &["report"], &["cli", "commands"]];

/// The Rust files below a path, which may be a file.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        return entries.flat_map(|entry| sources(&entry)).collect();
    }
    Some(path.to_owned()).filter(|path| path.extension().is_some_and(|end| end == "rs")).into_iter().collect()
}

/// The files of a module of the crate, and of its folder.
fn module(name: &str) -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = sources(&src.join(name));
    files.extend(Some(src.join(format!("{name}.rs"))).filter(|file| file.exists()));
    files
}

/// Lines of code in which a path begins with `start`.
fn uses(files: &[PathBuf], start: &str) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("a source file");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        found.extend(code.filter(|line| line.contains(start)).map(|line| format!("{}: {line}", file.display())));
    }
    found
}

#[test]
fn no_layer_imports_from_a_later_one() {
    for (at, layer) in LAYERS.iter().enumerate() {
        for name in *layer {
            let files = module(name);
            assert!(!files.is_empty(), "no module {name}");
            for later in LAYERS[at + 1..].iter().copied().flatten() {
                for start in [format!("crate::{later}"), format!("census_{later}")] {
                    // `puzzle` and `count` have modules with the names of layers.
                    let is_own = at < 2 && start.starts_with("crate::");
                    let found = uses(&files, &start);
                    assert!(is_own || found.is_empty(), "{name} imports from {later}: {found:#?}");
                }
            }
        }
    }
}

#[test]
fn only_the_communication_over_mpi_calls_mpi() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let comm = src.join("cluster/comm");
    let others: Vec<PathBuf> = sources(&src).into_iter().filter(|file| !file.starts_with(&comm)).collect();
    let mpi = uses(&others, "use mpi::");
    assert!(mpi.is_empty() && uses(&sources(&comm), "use mpi::").len() > 5, "{mpi:#?}");
}
