//! Runs the built program, alone or under a real `mpirun`. A test is a chain:
//!
//! ```ignore
//! census(["count", "-"]).input(EMPTY).ranks(3).run().exits(0).says("solutions: 288");
//! ```
//!
//! A run has a time limit, writes to files (a launcher may keep a pipe open), has an empty standard input by default, and must not
//! leave a process behind: every process of a run has its mark in the environment. Its reports must be valid by the schema.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use wait_timeout::ChildExt;

use super::build::{Build, program_path};
use super::mpi::{self, Mpi};
use super::outcome::Outcome;
use super::processes::{self, Job};
use super::report;

/// Generous, because the machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// Time limit for the last processes to end after the run.
const GRACE: Duration = Duration::from_secs(30);

/// A builder
pub struct Run {
    program: OsString,
    arguments: Vec<OsString>,
    ranks: Option<usize>,
    mpi: Option<Mpi>,
    through: Vec<OsString>,
    folder: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    input: Option<String>,
    time_limit: Duration,
    watch_memory: bool,
    low_priority: bool,
    usual_priority: bool,
    meanwhile: Option<Meanwhile>,
    afterwards: Option<Box<dyn FnOnce()>>,
}

type Meanwhile = Box<dyn FnMut(&Job)>;

/// `census` with these arguments.
pub fn census<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    let arguments = arguments.into_iter().map(|argument| argument.as_ref().into()).collect();
    Run {
        program: program_path().into(),
        arguments,
        ranks: None,
        mpi: Build::current().library(),
        through: Vec::new(),
        folder: None,
        environment: Vec::new(),
        input: None,
        time_limit: TIME_LIMIT,
        watch_memory: false,
        low_priority: false,
        usual_priority: false,
        meanwhile: None,
        afterwards: None,
    }
}

/// Another program with these arguments.
pub fn program<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Run {
    Run { program: program.into(), ..census(arguments) }
}

/// `scripts/NAME` with these arguments.
pub fn script<S: AsRef<OsStr>>(name: &str, arguments: impl IntoIterator<Item = S>) -> Run {
    program(&format!("{}/scripts/{name}", env!("CARGO_MANIFEST_DIR")), arguments)
}

/// A shell script in which `$CENSUS` is the program; each rank runs the script.
pub fn shell(script: &str) -> Run {
    Run { program: "sh".into(), ..census(["-c", script]) }
}

impl Run {
    pub fn with<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Run {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().into()));
        self
    }

    /// Under `mpirun -n ranks`; 0: without a launcher.
    pub fn ranks(mut self, ranks: usize) -> Run {
        self.ranks = (ranks > 0).then_some(ranks);
        self
    }

    /// Under the launcher of this library instead of the build's.
    pub fn under(mut self, mpi: Mpi) -> Run {
        self.mpi = Some(mpi);
        self
    }

    /// As the last arguments of this command.
    pub fn through<S: AsRef<OsStr>>(mut self, command: impl IntoIterator<Item = S>) -> Run {
        self.through = command.into_iter().map(|word| word.as_ref().into()).collect();
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Run {
        self.environment.push((name.into(), value.as_ref().into()));
        self
    }

    /// In this current directory
    pub fn in_folder(mut self, folder: &str) -> Run {
        self.folder = Some(folder.into());
        self
    }

    pub fn input(mut self, text: &str) -> Run {
        self.input = Some(text.into());
        self
    }

    pub fn within(mut self, seconds: u64) -> Run {
        self.time_limit = Duration::from_secs(seconds);
        self
    }

    /// Polls the peak memory of each process.
    pub fn watching_memory(mut self) -> Run {
        self.watch_memory = true;
        self
    }

    /// For a run that is stopped anyway, so that its speed does not matter: leaves the processors to other tests.
    pub fn low_priority(mut self) -> Run {
        self.low_priority = true;
        self
    }

    /// Polls: calls this repeatedly during the run, which has a low priority.
    pub fn meanwhile(mut self, action: impl FnMut(&Job) + 'static) -> Run {
        self.meanwhile = Some(Box::new(action));
        self.low_priority()
    }

    /// With [`Run::meanwhile`], for a run that has to make progress.
    pub fn usual_priority(mut self) -> Run {
        self.usual_priority = true;
        self
    }

    /// Stops the run in order, by SIGTERM to a rank, once standard error contains this.
    pub fn until_noted(self, text: &'static str) -> Run {
        let mut sent = false;
        self.meanwhile(move |job| {
            if !sent && job.noted(text) {
                sent = true;
                job.signal(Signal::TERM, job.ranks().first().cloned().as_slice());
            }
        })
    }

    /// Calls this after the end or the timeout of the run, before the check for processes that are left.
    pub fn afterwards(mut self, action: impl FnOnce() + 'static) -> Run {
        self.afterwards = Some(Box::new(action));
        self
    }

    /// Runs to the end. A run that reaches the time limit or leaves a process behind fails the test.
    pub fn run(mut self) -> Outcome {
        let _slot = self.ranks.map(|_| mpi::slot());
        let files = tempfile::tempdir().expect("a directory for the output");
        let (out, err) = (files.path().join("stdout"), files.path().join("stderr"));
        let job = Job::new(&format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed)), &out, &err);
        let reports = report::Targets::of(&self.arguments);
        let mut command = self.command();
        if self.low_priority && !self.usual_priority {
            command = nice(&command);
        }
        mpi::forget_launchers(&mut command);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
            .env("CENSUS", program_path())
            .env(processes::MARK, job.mark())
            .env("TMPDIR", files.path()) // Open MPI jobs with the same one interfere with each other
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(self.stdin(&files.path().join("stdin")))
            .stdout(File::create(&out).expect("a file for standard output"))
            .stderr(File::create(&err).expect("a file for standard error"))
            .process_group(0);

        let start = Instant::now();
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let status = loop {
            let pause = Duration::from_millis(if self.watch_memory { 5 } else { 50 });
            if let Some(status) = child.wait_timeout(pause).expect("the child can be waited for") {
                break Some(status);
            }
            if start.elapsed() > self.time_limit {
                break None;
            }
            if self.watch_memory {
                job.watch_memory();
            }
            if let Some(action) = &mut self.meanwhile {
                action(&job);
            }
        };
        if let Some(action) = self.afterwards.take() {
            action();
        }
        let left = if status.is_some() { job.left_after(GRACE) } else { job.alive() };
        job.kill(&left);
        if status.is_none() {
            let _ = child.kill();
            let _ = child.wait();
            job.kill(&job.left_after(GRACE)); // processes that the launcher has left
        }
        let read = |path| String::from_utf8_lossy(&fs::read(path).expect("the output is there")).into_owned();
        let outcome = Outcome {
            command: format!("{command:?}"),
            code: status.map(|status| status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))),
            stdout: read(&out),
            stderr: read(&err),
            peaks: job.peaks(),
            reports: Vec::new(),
        };
        assert!(status.is_some(), "still running after {:?}: {outcome}", self.time_limit);
        assert!(left.is_empty(), "left running: {left:?} by {outcome}");
        Outcome { reports: reports.read(&outcome.stdout), ..outcome }
    }

    fn command(&self) -> Command {
        let mut command = match (self.ranks, self.through.split_first()) {
            (_, Some((first, rest))) => {
                let mut command = Command::new(first);
                command.args(rest).arg(&self.program);
                command
            }
            (None, None) => Command::new(&self.program),
            (Some(ranks), None) => {
                let mut command = self.mpi.expect("ranks need a library").launch(ranks);
                command.arg(&self.program);
                command
            }
        };
        command.args(&self.arguments);
        command
    }

    fn stdin(&self, path: &Path) -> Stdio {
        match &self.input {
            None => Stdio::null(),
            Some(text) => {
                fs::write(path, text).expect("the input can be written");
                File::open(path).expect("the input can be read").into()
            }
        }
    }
}

fn nice(command: &Command) -> Command {
    let mut nice = Command::new("nice");
    nice.args(["-n", "10"]).arg(command.get_program()).args(command.get_args());
    nice.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    nice
}

static RUNS: AtomicU64 = AtomicU64::new(0);
