//! The commands in the pages, and what they print.
//!
//! In a block with the info string `console`, lines that begin with `$ ` are commands, and what follows is what they print. All blocks of
//! a page run in order in one copy of the project's files. A line `...` stands for any number of lines. Numbers that depend on the time or
//! the machine are not compared, nor is the order of the lines, because a launcher does not keep it. With `console varies`, only the exit
//! code is compared. Commands of a block `console cluster` are not run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::LazyLock;

use regex_lite::Regex;

use super::{read, root, update};
use crate::harness::{Folder, OPEN_MPI_HERE, Outcome, program, program_path};

struct Command {
    /// The line of the page, from 0.
    line: usize,
    text: String,
    printed: Vec<String>,
    varies: bool,
}

/// Runs the commands of a page.
pub fn check(page: &str) {
    let text = read(page);
    let commands = commands(page, &text);
    let folder = copy_of_the_project();
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    // From the end, so that the numbers of the lines before stay valid.
    let outcomes: Vec<Outcome> = commands.iter().map(|command| run(&folder, page, command)).collect();
    for (command, outcome) in commands.iter().zip(&outcomes).rev() {
        let printed: Vec<&str> = outcome.stdout.trim_end().lines().map(str::trim_end).collect();
        let expected = &command.printed;
        let elided = expected.iter().any(|line| line == "...");
        if update() && !elided && !command.varies {
            let first = command.line + command.text.lines().count();
            lines.splice(first..first + expected.len(), printed.iter().map(|line| (*line).to_owned()));
        } else if !command.varies {
            compare(page, command, &printed, elided);
        }
    }
    if update() {
        fs::write(root().join(page), lines.join("\n") + "\n").expect("written");
    }
}

fn compare(page: &str, command: &Command, printed: &[&str], elided: bool) {
    let normal = |lines: &mut dyn Iterator<Item = &str>| {
        let mut lines: Vec<String> = lines.map(normal).filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        lines
    };
    let expected = normal(&mut command.printed.iter().map(String::as_str).filter(|line| *line != "..."));
    let mut left = normal(&mut printed.iter().copied());
    for line in &expected {
        let at = left.iter().position(|other| other == line);
        let at = at
            .unwrap_or_else(|| panic!("{}: does not print {line:?} but:\n{}", command.place(page), printed.join("\n")));
        left.remove(at);
    }
    assert!(elided || left.is_empty(), "{}: also prints {left:?}", command.place(page));
}

impl Command {
    fn place(&self, page: &str) -> String {
        format!("{page}:{}: `{}`", self.line + 1, self.text)
    }

    /// From a comment at its end
    fn exit_code(&self) -> i32 {
        let code = self.text.rsplit_once("# exit code ").and_then(|(_, code)| code.trim().parse().ok());
        code.unwrap_or(0)
    }
}

fn commands(page: &str, text: &str) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    let mut block: Option<&str> = None;
    while let Some((line, content)) = lines.next() {
        let content_in_list = content.trim_start();
        match block {
            None => block = content_in_list.strip_prefix("```").map(str::trim),
            Some(_) if content_in_list.starts_with("```") => block = None,
            Some("console" | "console varies") => match content.strip_prefix("$ ") {
                Some(first) => {
                    let mut command = first.to_owned();
                    let end = first.split("<<'").nth(1).and_then(|rest| rest.split('\'').next());
                    while end.is_some_and(|end| command.lines().last() != Some(end)) || command.ends_with('\\') {
                        let (_, next) = lines.next().unwrap_or_else(|| panic!("{page}:{}: no end", line + 1));
                        command = command + "\n" + next;
                    }
                    let varies = block == Some("console varies");
                    commands.push(Command { line, text: command, printed: Vec::new(), varies });
                }
                None => {
                    let command = commands.last_mut().unwrap_or_else(|| panic!("{page}:{}: no command", line + 1));
                    command.printed.push(content.trim_end().to_owned());
                }
            },
            Some("sh") => assert!(!content.starts_with("$ "), "{page}:{}: `$ ` in a block that is not run", line + 1),
            Some(_) => {}
        }
    }
    commands
}

fn run(folder: &Folder, page: &str, command: &Command) -> Outcome {
    let path = std::env::var("PATH").unwrap_or_default();
    let script = format!("exec 2>&1\n{}", command.text);
    let run = program("bash", ["-c", &script])
        .in_folder(&folder.path("project"))
        .env("PATH", format!("{}:{path}", folder.path("bin")))
        .env("MPI", "openmpi")
        .env("COLUMNS", "100")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none");
    let outcome = OPEN_MPI_HERE.into_iter().fold(run, |run, (name, value)| run.env(name, value)).run();
    assert_eq!(outcome.code, Some(command.exit_code()), "{}: {outcome}", command.place(page));
    outcome
}

/// What the commands need of the project, and a folder `bin` with `census` and the `mpirun` of Open MPI.
fn copy_of_the_project() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("project/results")).expect("made");
    fs::create_dir(folder.path("bin")).expect("made");
    for name in [
        "puzzles",
        "scripts",
        "hostfiles",
        "docs",
        "Cargo.toml",
        "README.md",
        "results/reference",
        "results/schema.json",
    ] {
        copy(&root().join(name), Path::new(&folder.path("project")).join(name).as_path());
    }
    symlink(program_path(), folder.path("bin/census")).expect("linked");
    let mpirun = folder.file("bin/mpirun", "#!/bin/sh\nexec mpirun.openmpi \"$@\"\n");
    fs::set_permissions(mpirun, fs::Permissions::from_mode(0o755)).expect("set");
    folder
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).expect("copied");
        return;
    }
    fs::create_dir(to).expect("made");
    for entry in fs::read_dir(from).expect("read") {
        let entry = entry.expect("an entry");
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// A line without what depends on the time or the machine
fn normal(line: &str) -> String {
    static CHANGING: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let rules = [
            (r"\d{4}-?\d\d-?\d\dT[0-9:.]+Z", "TIME"),
            (r"\b[0-9][0-9,]*\.[0-9]+(e[0-9]+)?", "#"),
            (r"\b[0-9a-f]{12,}\b", "HASH"),
            (r"(#|\b[0-9][0-9,]*) ?(µs|us|ms|s|min|h|days|years|%|[KMG]iB|[kMG])\b", "#"),
            (r"(#|\b[0-9][0-9,]*) ?%", "#"),
            (r"\s+", " "),
        ];
        rules.map(|(rule, by)| (Regex::new(rule).expect("a regular expression"), by)).into()
    });
    let host = gethostname::gethostname();
    let line = line.replace(&*host.to_string_lossy(), "vm");
    CHANGING.iter().fold(line, |line, (rule, by)| rule.replace_all(&line, *by).into_owned()).trim().to_owned()
}
