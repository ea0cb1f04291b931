//! The machine and the build, for repeating a measurement.

use std::fs;
use std::process::Command;
use std::time::SystemTime;

use census::cluster::Host;
use census::report::run::Program;
use serde::Serialize;

use crate::options::project;

#[derive(Serialize)]
pub struct Machine {
    processor: String,
    cores: usize,
    memory: String,
    system: String,
    vector_instructions: String,
    load_before: String,
    compiler: String,
    compiled_for: String,
    commit: String,
    date: String,
}

impl Machine {
    pub fn here() -> Machine {
        let host = Host::here();
        let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".into());
        Machine {
            processor: or_unknown(host.cpu.clone()),
            cores: host.processors.len(),
            memory: or_unknown(memory()),
            system: or_unknown(output("uname", &["-srm"])),
            vector_instructions: vector_instructions().join(", "),
            load_before: or_unknown(load()),
            compiler: Program::this().rustc,
            compiled_for: compiled_for(),
            commit: or_unknown(commit()),
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        }
    }

    pub fn facts(&self) -> [(&'static str, String); 10] {
        [
            ("processor", self.processor.clone()),
            ("cores that may be used", self.cores.to_string()),
            ("memory", self.memory.clone()),
            ("system", self.system.clone()),
            ("vector instructions", self.vector_instructions.clone()),
            ("load before the run", self.load_before.clone()),
            ("compiler", self.compiler.clone()),
            ("compiled for", self.compiled_for.clone()),
            ("commit", self.commit.clone()),
            ("date", self.date.clone()),
        ]
    }
}

fn memory() -> Option<String> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes: f64 =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(format!("{:.1} GiB", kibibytes / f64::from(1 << 20)))
}

/// The load average of the last minute: other processes make a measurement less precise.
fn load() -> Option<String> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next().map(Into::into)
}

/// Those detected at run time; the target's features, which the compiler assumes, are in `compiled_for`.
#[cfg(target_arch = "x86_64")]
fn vector_instructions() -> Vec<&'static str> {
    let detected = [
        ("SSE4.2", is_x86_feature_detected!("sse4.2")),
        ("AVX2", is_x86_feature_detected!("avx2")),
        ("BMI2", is_x86_feature_detected!("bmi2")),
        ("AVX-512F", is_x86_feature_detected!("avx512f")),
    ];
    detected.into_iter().filter_map(|(name, detected)| detected.then_some(name)).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn vector_instructions() -> Vec<&'static str> {
    vec!["not detected on this architecture"]
}

fn compiled_for() -> String {
    let flags = match env!("BENCH_FLAGS") {
        "" => "no RUSTFLAGS",
        flags => flags,
    };
    let settings = "census and its peers in one binary, lto = \"fat\", codegen-units = 1";
    format!("{} with {}; {settings}; {flags}", env!("BENCH_TARGET"), env!("BENCH_FEATURES").replace(',', ", "))
}

/// The commit, with `+changes` if the measured files have changed since.
fn commit() -> Option<String> {
    let root = project("").to_string_lossy().into_owned();
    let git = |arguments: &[&str]| output("git", &[&["-C", &root], arguments].concat());
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", "src", "benches", "puzzles", "Cargo.toml", "Cargo.lock"])?;
    Some(if changed.is_empty() { commit } else { commit + "+changes" })
}

/// The output of a command, if it succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().into())
}
