//! Runs the tests in parallel lanes, each test with its builds, and prints the results in the format of libtest.
//!
//! Many tests wait more than they compute, for example for a heartbeat timeout or for Slurm's queue, and leave the processors to
//! the other lanes.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use libtest_mimic::Arguments;
use signal_hook::consts::SIGINT;

use super::build::Build;
use super::table::{Body, Scope, Test};
use crate::{cluster, page};

/// Tests of a lane with one resource run sequentially.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Shared,
    Hosts,
    Slurm,
    Browser,
}

/// The default number of threads of the shared lane: ranks of one test wait for each other while those of another compute.
const THREADS: usize = 6;

/// A test with one build.
struct Trial {
    name: String,
    turn: usize,
    build: Build,
    body: Body,
}

enum Verdict {
    Passed,
    Failed(String),
    /// With the reason.
    Skipped(String),
}

thread_local! {
    static TURN: Cell<usize> = const { Cell::new(0) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
    static SKIP_REASON: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Marks the current test as skipped, because this machine lacks something. The test then has to return.
pub fn skip(reason: &str) {
    SKIP_REASON.set(Some(reason.into()));
}

/// The number of the current test, which selects choices in turn.
pub fn turn() -> usize {
    TURN.get()
}

/// Runs the tests that the arguments of this process select.
pub fn run() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut results = Results::default();
    let lanes = trials(&arguments, &mut results);
    if arguments.list {
        lanes.values().flatten().for_each(|trial| println!("{}: test", trial.name));
        return ExitCode::SUCCESS;
    }
    handle_sigint();
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|info| PANIC.set(info.to_string())));
    let start = Instant::now();
    say(&format!("\nrunning {} tests\n", lanes.values().map(VecDeque::len).sum::<usize>()));
    let lanes: Vec<_> = lanes.into_iter().map(|(lane, trials)| (lane, Mutex::new(trials))).collect();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for (lane, queue) in &lanes {
            let threads = if *lane == Lane::Shared { arguments.test_threads.unwrap_or_else(threads) } else { 1 };
            for sender in vec![sender.clone(); threads] {
                scope.spawn(move || {
                    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    while let Some(trial) = next() {
                        let start = Instant::now();
                        let verdict = trial.run();
                        let _ = sender.send((trial.name, verdict, start.elapsed().as_secs_f64()));
                    }
                });
            }
        }
        drop(sender);
        receiver.iter().for_each(|(name, verdict, seconds)| results.add(&name, verdict, seconds));
    });
    panic::set_hook(hook);
    cluster::down();
    results.conclude(start.elapsed().as_secs_f64())
}

/// Exits on SIGINT. If a shell starts the tests in the background, SIGINT is ignored, which all child processes would inherit; a
/// signal with a handler is reset to its default action in them.
fn handle_sigint() {
    let always = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_shutdown(SIGINT, 128 + SIGINT, always).expect("SIGINT can be handled");
}

/// The selected tests by lane. Tests that cannot be run are added to the results.
fn trials(arguments: &Arguments, results: &mut Results) -> BTreeMap<Lane, VecDeque<Trial>> {
    let existing: Vec<Build> = Build::all().collect();
    let mut lanes: BTreeMap<Lane, VecDeque<Trial>> = BTreeMap::new();
    for (turn, test) in Test::all().into_iter().enumerate() {
        let (path, body) = (test.path(), test.body);
        let trial = |build: Build| Trial { name: format!("{path} ({})", build.name()), turn, build, body };
        match test.when.builds(&existing, Scope::chosen(), turn) {
            None => results.only_with_all += usize::from(is_wanted(&path, arguments)),
            Some(builds) if !builds.is_empty() => {
                let wanted = builds.into_iter().map(trial).filter(|trial| is_wanted(&trial.name, arguments));
                lanes.entry(lane(body)).or_default().extend(wanted);
            }
            Some(_) if is_wanted(&path, arguments) && !arguments.list => {
                results.add(&path, Verdict::Skipped("this census was built without MPI".into()), 0.0);
            }
            Some(_) => {}
        }
    }
    lanes
}

fn is_wanted(name: &str, arguments: &Arguments) -> bool {
    let matches = |filter: &String| if arguments.exact { name == filter } else { name.contains(filter.as_str()) };
    arguments.filter.as_ref().is_none_or(matches) && !arguments.skip.iter().any(matches)
}

fn lane(body: Body) -> Lane {
    match body {
        Body::Shared(_) => Lane::Shared,
        Body::Hosts(_) => Lane::Hosts,
        Body::Slurm(_) => Lane::Slurm,
        Body::Browser(_) => Lane::Browser,
    }
}

/// How many tests of the shared lane run at a time.
fn threads() -> usize {
    std::env::var("RUST_TEST_THREADS").ok().and_then(|number| number.parse().ok()).unwrap_or(THREADS)
}

impl Trial {
    fn run(&self) -> Verdict {
        self.build.set_current();
        TURN.set(self.turn);
        match panic::catch_unwind(AssertUnwindSafe(|| self.body.run())) {
            Ok(Ok(())) => Verdict::Passed,
            Ok(Err(reason)) => Verdict::Skipped(reason),
            Err(_) => Verdict::Failed(PANIC.take()),
        }
    }
}

impl Body {
    /// The error is what this machine lacks.
    fn run(self) -> Result<(), String> {
        match self {
            Body::Shared(body) => body(),
            Body::Hosts(body) => body(cluster::hosts()?),
            Body::Slurm(body) => body(cluster::hosts_with_slurm()?),
            Body::Browser(body) => page::with_browser(body)?,
        }
        SKIP_REASON.take().map_or(Ok(()), Err)
    }
}

#[derive(Default)]
struct Results {
    passed: usize,
    failures: Vec<String>,
    /// Number of tests by reason
    skipped: BTreeMap<String, usize>,
    only_with_all: usize,
}

impl Results {
    fn add(&mut self, name: &str, verdict: Verdict, seconds: f64) {
        match verdict {
            Verdict::Passed => {
                self.passed += 1;
                say(&format!("test {name} ... ok <{seconds:.3}s>\n"));
            }
            Verdict::Failed(message) => {
                say(&format!("test {name} ... FAILED <{seconds:.3}s>\n{message}\n"));
                self.failures.push(name.to_owned());
            }
            Verdict::Skipped(reason) => {
                say(&format!("test {name} ... ignored, {reason}\n"));
                *self.skipped.entry(reason).or_default() += 1;
            }
        }
    }

    fn conclude(self, seconds: f64) -> ExitCode {
        if !self.failures.is_empty() {
            let names: String = self.failures.iter().map(|name| format!("    {name}\n")).collect();
            say(&format!("\nfailures:\n{names}"));
        }
        for (reason, tests) in &self.skipped {
            say(&format!("\nskipped {tests}: {reason}"));
        }
        if self.only_with_all > 0 {
            say(&format!("\nonly with scripts/test --all: {} tests, and most combinations", self.only_with_all));
        }
        let (failed, ignored) = (self.failures.len(), self.skipped.values().sum::<usize>());
        let result = if failed == 0 { "ok" } else { "FAILED" };
        let counts = format!("{} passed; {failed} failed; {ignored} ignored; 0 measured", self.passed);
        say(&format!("\ntest result: {result}. {counts}; finished in {seconds:.2}s\n\n"));
        if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(101) }
    }
}

/// One write for each text, so that other output does not split it.
fn say(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}
