//! Compiles into the program what a report says about it: the commit, the compiler and the profile it was built with.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    set("CENSUS_RUSTC", output(&rustc, &["--version"]));
    let commit = output("git", &["rev-parse", "--short=12", "HEAD"]).map(|commit| {
        let changed = output("git", &["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
        if changed { commit + "+changes" } else { commit }
    });
    set("CENSUS_COMMIT", commit);
    set("CENSUS_PROFILE", env::var("PROFILE").ok());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.lock");
    if let Some(git) = output("git", &["rev-parse", "--git-path", "logs/HEAD"])
        && std::path::Path::new(&git).exists()
    {
        println!("cargo::rerun-if-changed={git}");
    }
}

fn set(name: &str, value: Option<String>) {
    println!("cargo::rustc-env={name}={}", value.unwrap_or_else(|| "unknown".into()));
}

/// What a command prints, if it runs and succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
