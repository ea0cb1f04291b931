//! Runs the built program, alone or under a real `mpirun`, so that a test reads as one sentence:
//!
//! ```ignore
//! census(["count", "-"]).input(EMPTY).ranks(3).run().exits(0).says("solutions: 288");
//! ```
//!
//! A run has a time limit, writes to files rather than pipes (a launcher may keep a pipe open), reads nothing unless it
//! is given something, and must leave no process behind: every process of a run carries its mark in the environment. What
//! it reports must be as the schema says.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use wait_timeout::ChildExt;

use super::build::{Build, program_path};
use super::mpi::{self, Mpi};
use super::outcome::Outcome;
use super::processes::{self, Marked};
use super::report;

/// How long a run may take before it counts as hanging. Generous: the machine may be busy with something else.
const TIME_LIMIT: Duration = Duration::from_secs(120);
/// How long the last processes of a run may take to go when the run has ended.
const GRACE: Duration = Duration::from_secs(30);

/// A run of the program that is being put together.
pub struct Run {
    program: OsString,
    arguments: Vec<OsString>,
    ranks: Option<usize>,
    mpi: Option<Mpi>,
    through: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    input: Option<String>,
    time_limit: Duration,
    watch_memory: bool,
    behind_others: bool,
    meanwhile: Option<Meanwhile>,
    afterwards: Option<Box<dyn FnOnce()>>,
}

type Meanwhile = Box<dyn FnMut(&Marked)>;

/// `census` with these arguments.
pub fn census<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    let arguments = arguments.into_iter().map(|argument| argument.as_ref().into()).collect();
    Run {
        program: program_path().into(),
        arguments,
        ranks: None,
        mpi: Build::current().library(),
        through: Vec::new(),
        environment: Vec::new(),
        input: None,
        time_limit: TIME_LIMIT,
        watch_memory: false,
        behind_others: false,
        meanwhile: None,
        afterwards: None,
    }
}

/// Another program with these arguments.
pub fn program<S: AsRef<OsStr>>(program: &str, arguments: impl IntoIterator<Item = S>) -> Run {
    Run { program: program.into(), ..census(arguments) }
}

/// A line of shell in which `$CENSUS` is the program; under ranks, each of them runs it.
pub fn shell(script: &str) -> Run {
    Run { program: "sh".into(), ..census(["-c", script]) }
}

/// A large puzzle with boxes, of which a part of the cells is given: solvable, and hard where that is about half.
pub fn half_filled(order: usize, given: f64, seed: u64) -> String {
    let side = order.isqrt();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut shuffled = || {
        let mut bands: Vec<Vec<usize>> = (0..side).map(|band| (band * side..(band + 1) * side).collect()).collect();
        bands.iter_mut().for_each(|band| random.shuffle(band));
        random.shuffle(&mut bands);
        bands.concat()
    };
    let (rows, columns, values) = (shuffled(), shuffled(), shuffled());
    let value = |row: usize, column: usize| values[(row % side * side + row / side + column) % order] + 1;
    let mut cell = |row, column| if random.f64() < given { format!(" {}", value(row, column)) } else { " 0".into() };
    rows.iter().map(|&row| columns.iter().map(|&column| cell(row, column)).collect::<String>() + "\n").collect()
}

impl Run {
    /// More arguments.
    pub fn with<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Run {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().into()));
        self
    }

    /// Under `mpirun -n ranks`; 0 is alone.
    pub fn ranks(mut self, ranks: usize) -> Run {
        self.ranks = (ranks > 0).then_some(ranks);
        self
    }

    /// Under the launcher of this library instead of the one the program was built for.
    pub fn under(mut self, mpi: Mpi) -> Run {
        self.mpi = Some(mpi);
        self
    }

    /// As the last arguments of this command.
    pub fn through<S: AsRef<OsStr>>(mut self, command: impl IntoIterator<Item = S>) -> Run {
        self.through = command.into_iter().map(|word| word.as_ref().into()).collect();
        self
    }

    /// With this in the environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Run {
        self.environment.push((name.into(), value.as_ref().into()));
        self
    }

    /// With this text as standard input.
    pub fn input(mut self, text: &str) -> Run {
        self.input = Some(text.into());
        self
    }

    /// With this time limit.
    pub fn within(mut self, seconds: u64) -> Run {
        self.time_limit = Duration::from_secs(seconds);
        self
    }

    /// Looks again and again how much memory each process has taken at the most.
    pub fn watching_memory(mut self) -> Run {
        self.watch_memory = true;
        self
    }

    /// With a lower priority: it counts until its time is out, however far it comes, and other tests need the processors.
    pub fn behind_others(mut self) -> Run {
        self.behind_others = true;
        self
    }

    /// Calls this again and again while the run lasts, which counts with a lower priority until something is done to it.
    pub fn meanwhile(mut self, action: impl FnMut(&Marked) + 'static) -> Run {
        self.meanwhile = Some(Box::new(action));
        self.behind_others()
    }

    /// With the usual priority: it has to come far before it ends.
    pub fn beside_others(mut self) -> Run {
        self.behind_others = false;
        self
    }

    /// Has a rank end in order, by SIGTERM, once this stands in standard error.
    pub fn until_noted(self, text: &'static str) -> Run {
        let mut sent = false;
        self.meanwhile(move |job| {
            if !sent && job.noted(text) {
                sent = true;
                job.signal(Signal::TERM, job.ranks().first().cloned().as_slice());
            }
        })
    }

    /// Calls this when the run has ended, or has been given up, before anybody looks for what it has left.
    pub fn afterwards(mut self, action: impl FnOnce() + 'static) -> Run {
        self.afterwards = Some(Box::new(action));
        self
    }

    /// Runs to the end; a run that hangs or leaves a process behind fails the test.
    pub fn run(mut self) -> Outcome {
        let _slot = self.ranks.map(|_| mpi::slot());
        let files = tempfile::tempdir().expect("a directory for the output");
        let (out, err) = (files.path().join("stdout"), files.path().join("stderr"));
        let marked =
            Marked::new(&format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed)), &out, &err);
        let reports = report::Targets::of(&self.arguments);
        let mut command = self.command();
        if self.behind_others {
            command = with_low_priority(&command);
        }
        mpi::forget_launchers(&mut command);
        command
            .env("CENSUS", program_path())
            .env(processes::MARK, marked.mark())
            .env("TMPDIR", files.path()) // two Open MPI jobs that share one trip over each other
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
                marked.watch_memory();
            }
            if let Some(action) = &mut self.meanwhile {
                action(&marked);
            }
        };
        if let Some(action) = self.afterwards.take() {
            action();
        }
        let left = if status.is_some() { marked.left_after(GRACE) } else { marked.alive() };
        marked.kill(&left);
        if status.is_none() {
            let _ = child.kill();
            let _ = child.wait();
            marked.kill(&marked.left_after(GRACE)); // what a dying launcher has let go
        }
        let read = |path| String::from_utf8_lossy(&fs::read(path).expect("the output is there")).into_owned();
        let outcome = Outcome {
            command: format!("{command:?}"),
            code: status.map(|status| status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))),
            stdout: read(&out),
            stderr: read(&err),
            peaks: marked.peaks(),
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

fn with_low_priority(command: &Command) -> Command {
    let mut nice = Command::new("nice");
    nice.args(["-n", "10"]).arg(command.get_program()).args(command.get_args());
    nice.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    nice
}

static RUNS: AtomicU64 = AtomicU64::new(0);
