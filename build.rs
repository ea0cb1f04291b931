//! Compiles into the program what a report says about it: the commit, the compiler and the profile it was built with; and a
//! fingerprint of its sources, by which ranks know that they are the same program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    set("CENSUS_RUSTC", output(&rustc, &["--version"]));
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"]).map(|commit| {
        let changed = output("git", &["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
        if changed { commit + "+changes" } else { commit }
    });
    set("CENSUS_COMMIT", commit);
    set("CENSUS_PROFILE", env::var("PROFILE").ok());
    set("CENSUS_SOURCES", fingerprint().map(|fingerprint| format!("{fingerprint:016x}")).ok());
    SOURCES.iter().for_each(|source| println!("cargo::rerun-if-changed={source}"));
    if let Some(git) = output("git", &["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&git).exists()
    {
        println!("cargo::rerun-if-changed={git}");
    }
}

fn set(name: &str, value: Option<String>) {
    println!("cargo::rustc-env={name}={}", value.unwrap_or_else(|| "unknown".into()));
}

/// Everything that decides what the program does, but for the compiler and the libraries of the system.
const SOURCES: [&str; 4] = ["Cargo.lock", "Cargo.toml", "build.rs", "src"];

/// FNV-1a over the names and contents of all sources, in the order of their names, and over the features. It does not depend
/// on where they lie: two hosts that build the same sources get the same.
fn fingerprint() -> io::Result<u64> {
    let mut files = Vec::new();
    SOURCES.iter().try_for_each(|source| collect(Path::new(source), &mut files))?;
    files.sort();
    let mut bytes = Vec::new();
    for file in files {
        let content = fs::read(&file)?;
        bytes
            .extend(file.to_string_lossy().bytes().chain([0]).chain(content.len().to_string().into_bytes()).chain([0]));
        bytes.extend(content);
    }
    let mut features: Vec<String> =
        env::vars().map(|(name, _)| name).filter(|name| name.starts_with("CARGO_FEATURE_")).collect();
    features.sort();
    bytes.extend(features.join(" ").into_bytes());
    Ok(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)))
}

/// All files from here down, but for hidden ones, which editors leave.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

/// What a command prints, if it runs and succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
