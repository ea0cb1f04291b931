//! Synthetic sweeps: the report of one small count, changed to other puzzles, ranks and schedules, in a directory like that of
//! `scripts/sweep`. Phases, ranks and efficiencies are consistent.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use census::cluster::{Schedule, UnitRecord};
use census::count::Solutions;
use census::report::efficiency::Efficiency;
use census::report::run::{HostFacts, MinMaxSum, Phases, RankReport, RequestCosts, RunReport};
use census::report::trace::{self, TraceHead};
use census::report::write;
use fastrand::Rng;
use serde::Deserialize;

use super::workload::Workload;
use crate::harness::{Folder, census, read_report};

pub const RANKS: [usize; 5] = [1, 2, 4, 8, 16];
/// Cores of each host.
const CORES: usize = 8;
/// Nodes per second, and nodes for each solution.
const NODES_A_SECOND: f64 = 2e7;
const NODES_A_SOLUTION: u64 = 3;

pub struct Puzzle {
    pub file: &'static str,
    pub name: &'static str,
    pub seconds: f64,
}

impl Puzzle {
    /// The file name without folder and extension.
    pub fn stem(&self) -> &'static str {
        let name = self.file.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

pub const PUZZLES: [Puzzle; 5] = [
    Puzzle { file: "puzzles/goldennugget15.txt", name: "Golden Nugget, 15 of its 21 clues", seconds: 4.0 },
    Puzzle { file: "puzzles/relabel.txt", name: "Relabel", seconds: 60.0 },
    Puzzle { file: "puzzles/simonepri-2f.txt", name: "Two full boxes", seconds: 0.9 },
    Puzzle { file: "puzzles/platinumblonde17.txt", name: "Platinum Blonde, 17 of its 21 clues", seconds: 0.4 },
    Puzzle { file: "puzzles/empty-6x6.txt", name: "Every 6×6", seconds: 12.0 },
];

/// A directory of reports.
pub struct Sweep {
    folder: Folder,
    name: String,
    real: RunReport,
    random: Rng,
    now: SystemTime,
    log: String,
    /// The names of the complete runs.
    pub runs: Vec<String>,
}

/// The properties of a run.
struct Setting<'a> {
    puzzle: &'a Puzzle,
    /// `None` for a run without a launcher.
    schedule: Option<&'a str>,
    ranks: usize,
    repeat: usize,
    scaling: &'a str,
    traced: bool,
}

impl Setting<'_> {
    fn name(&self) -> String {
        let stem = self.puzzle.stem();
        match self.schedule {
            Some(schedule) => format!("{stem}_r{:02}_{schedule}_dauto_t1_{:03}", self.ranks, self.repeat),
            None => format!("{stem}_seq_dauto_{:03}", self.repeat),
        }
    }
}

impl Sweep {
    /// An empty directory of this name.
    pub fn new(name: &str) -> Sweep {
        let folder = Folder::new();
        let report = folder.path("real.json");
        census(["count", "................", "--threads", "1", "--report", &report, "--quiet"]).run().exits(0);
        let real = RunReport::deserialize(read_report(&report)).expect("a report of census");
        fs::create_dir(folder.path(name)).expect("a directory for the sweep");
        let sweep = Sweep {
            name: name.into(),
            real,
            random: Rng::with_seed(7),
            now: SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000),
            log: "run\tscaling\tstatus\texit_code\tseconds\tfinished\tcommand\n".into(),
            runs: Vec::new(),
            folder,
        };
        sweep.set_settings("# a sweep file\nranks = sequential 1 2 4 8 16\nrepeats = 3\ntraces = first\n");
        sweep
    }

    pub fn set_settings(&self, settings: &str) {
        fs::write(self.path("sweep.conf"), settings).expect("the settings can be written");
    }

    /// Two puzzles with traces, weak scaling, and a failed run.
    pub fn of_everything() -> Sweep {
        let mut sweep = Sweep::new("everything");
        for puzzle in &PUZZLES[..2] {
            sweep.add(puzzle, 3, true);
        }
        sweep.add_weak(2);
        sweep.add_failure(&PUZZLES[0], "a message that was too long & <odd>");
        sweep
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new(&self.folder.path(&self.name)).join(name)
    }

    /// A puzzle with all schedules on all numbers of ranks, and sequential.
    pub fn add(&mut self, puzzle: &Puzzle, repeats: usize, traced: bool) {
        let seconds = puzzle.seconds;
        let work = Workload::new(512, seconds, &mut self.random);
        for repeat in 1..=repeats {
            let alone = Setting { puzzle, schedule: None, ranks: 1, repeat, scaling: "strong", traced: false };
            self.add_run(&alone, &work);
            for schedule in Schedule::all().map(Schedule::name) {
                for ranks in RANKS {
                    let traced = traced && repeat == 1 && ranks >= 4;
                    let setting =
                        Setting { puzzle, schedule: Some(schedule), ranks, repeat, scaling: "strong", traced };
                    self.add_run(&setting, &work);
                }
            }
        }
    }

    /// One sequential run.
    pub fn add_one(&mut self, puzzle: &Puzzle) {
        let work = Workload::new(512, puzzle.seconds, &mut self.random);
        let alone = Setting { puzzle, schedule: None, ranks: 1, repeat: 1, scaling: "strong", traced: false };
        self.add_run(&alone, &work);
    }

    /// Weak scaling: a puzzle for each number of ranks.
    pub fn add_weak(&mut self, repeats: usize) {
        const RUNGS: [&str; 5] = [
            "ladder/rung-01.txt",
            "ladder/rung-02.txt",
            "ladder/rung-04.txt",
            "ladder/rung-08.txt",
            "ladder/rung-16.txt",
        ];
        for (ranks, file) in RANKS.into_iter().zip(RUNGS) {
            let puzzle = Puzzle { file, name: "A rung", seconds: 2.0 * ranks as f64 };
            let work = Workload::new(512, puzzle.seconds, &mut self.random);
            for (repeat, schedule) in
                (1..=repeats).flat_map(|repeat| ["static", "steal"].map(|schedule| (repeat, schedule)))
            {
                let puzzle = &puzzle;
                let setting =
                    Setting { puzzle, schedule: Some(schedule), ranks, repeat, scaling: "weak", traced: false };
                self.add_run(&setting, &work);
            }
        }
    }

    /// A failed run with this output.
    pub fn add_failure(&mut self, puzzle: &Puzzle, output: &str) {
        let run = format!("{}_r16_guided_dauto_t1_009", puzzle.stem());
        fs::write(self.path(&format!("{run}.failed")), format!("exit code: 137\n{output}\n"))
            .expect("it can be written");
        let command = format!("mpirun -n 16 census count {}", puzzle.file);
        let _ = writeln!(self.log, "{run}\tstrong\tfailed\t137\t0.5\t2026-11-17T00:00:00Z\t{command}");
    }

    fn add_run(&mut self, setting: &Setting, work: &Workload) {
        let run = setting.name();
        let path = self.path(&format!("{run}.json"));
        let (report, records) = self.report(setting, work);
        write(&report, &path).expect("a report can be written");
        read_report(path.to_str().expect("a printable path"));
        if setting.traced {
            trace::write(&trace::beside(&path), &TraceHead::of(&report), &records).expect("a trace can be written");
        }
        let (seconds, finished) = (report.phases.total, &report.provenance.finished);
        let command = report.provenance.command.join(" ");
        let launch = if setting.schedule.is_some() { format!("mpirun -n {} ", setting.ranks) } else { String::new() };
        let scaling = setting.scaling;
        let _ = writeln!(self.log, "{run}\t{scaling}\tdone\t0\t{seconds:.3}\t{finished}\t{launch}{command}");
        self.runs.push(run);
    }

    /// The report of a run, and its trace.
    fn report(&mut self, setting: &Setting, work: &Workload) -> (RunReport, Vec<UnitRecord>) {
        let Setting { puzzle, ranks, schedule, .. } = *setting;
        let mut report = self.real.clone();
        let has_requests = schedule.is_some_and(|schedule| ["dynamic", "guided", "steal"].contains(&schedule));
        // Noise of some per cent.
        let slowdown = 1.0 + 0.04 * self.random.f64();
        let hosts = ranks.div_ceil(CORES);
        let host_of = |rank: usize| format!("node{}", rank * hosts / ranks + 1);
        let mut records = Vec::new();
        report.ranks.clear();
        for (rank, units) in work.distribute(schedule.unwrap_or("static"), ranks).into_iter().enumerate() {
            let mut line = RankReport { rank, host: host_of(rank), units: units.len() as u64, ..RankReport::default() };
            let mut solutions = 0;
            for unit in units {
                let (cost, nodes) = (work.costs[unit] * slowdown, nodes_of(work.costs[unit]));
                records.push(UnitRecord {
                    unit,
                    rank: rank as u32,
                    worker: 0,
                    start: (line.busy * 1e9) as u64,
                    nanoseconds: (cost * 1e9) as u64,
                    nodes,
                    solutions: u128::from(nodes / NODES_A_SOLUTION),
                    left: 0,
                });
                line.busy += cost;
                line.nodes += nodes;
                line.longest_unit = line.longest_unit.max(cost);
                solutions += nodes / NODES_A_SOLUTION;
            }
            line.solutions = Solutions::new(solutions.into());
            report.ranks.push(line);
        }

        let (busy, steps) = (statistics(report.ranks.iter().map(|rank| rank.busy)), (ranks as f64).log2());
        let messages = if has_requests { 0.004 } else { 0.001 } * steps;
        let (expand, distribute, count, reduce) =
            (0.002 * puzzle.seconds, 0.0004 * ranks as f64, busy.max + messages, 0.0003 * (1.0 + steps));
        let phases = Phases { expand, distribute, count, reduce, total: expand + distribute + count + reduce };
        report.ranks.iter_mut().for_each(|rank| rank.wait = count - rank.busy);
        report.phases = phases;
        report.rank_statistics.busy = busy;
        report.rank_statistics.wait = statistics(report.ranks.iter().map(|rank| rank.wait));
        report.rank_statistics.longest_unit = statistics(report.ranks.iter().map(|rank| rank.longest_unit));
        report.rank_statistics.distribute = statistics((0..ranks).map(|_| distribute));
        report.requests = has_requests.then_some(RequestCosts {
            count: 64 * ranks as u64,
            round_trip: Some(0.002),
            service: 0.000_01,
        });

        let nodes: u64 = work.costs.iter().map(|&cost| nodes_of(cost)).sum();
        let solutions: u64 = work.costs.iter().map(|&cost| nodes_of(cost) / NODES_A_SOLUTION).sum();
        report.result.nodes = nodes;
        report.result.solutions = Solutions::new(solutions.into());
        report.pool.units = work.costs.len();
        report.pool.bytes = 96 * work.costs.len();
        report.pool.solutions_above = Solutions::ZERO;
        report.cache = None;
        report.efficiency = Efficiency::of(busy, &report.ranks, &phases, solutions as f64, nodes as f64);

        report.puzzle.file = puzzle.file.into();
        report.puzzle.name = Some(puzzle.name.into());
        (report.puzzle.order, report.puzzle.regions, report.puzzle.givens) = (9, "boxes 3x3".into(), 15);
        report.puzzle.sha256 = format!("{solutions:064x}");
        report.config.schedule = schedule.unwrap_or("static").into();
        report.config.chunk = schedule.filter(|&schedule| schedule != "static").map(|_| 1);
        self.set_provenance(&mut report, setting, hosts, host_of);
        (report, records)
    }

    /// Sets host, time and command.
    fn set_provenance(
        &mut self,
        report: &mut RunReport,
        setting: &Setting,
        hosts: usize,
        host_of: impl Fn(usize) -> String,
    ) {
        let provenance = &mut report.provenance;
        let environment = &mut provenance.environment;
        environment.ranks = setting.ranks;
        if setting.schedule.is_some() {
            environment.launcher = Some("Open MPI mpirun".into());
            environment.mpi_library = Some("Open MPI v4.1.4".into());
            environment.thread_level = Some("funneled".into());
        }
        let per_host = setting.ranks.div_ceil(hosts);
        let host = |host: usize| HostFacts {
            name: host_of(host * per_host),
            ranks: per_host,
            cpu: Some("A processor of 8 cores".into()),
            cores: CORES,
        };
        environment.hosts = (0..hosts).map(host).collect();
        let report_file = format!("results/{}/{}.json", self.name, setting.name());
        let schedule = setting.schedule.unwrap_or("static");
        let words = ["census", "count", setting.puzzle.file, "--schedule", schedule, "--report", &report_file];
        provenance.command = words.map(String::from).into();
        let text = |time| humantime::format_rfc3339_millis(time).to_string();
        provenance.started = text(self.now);
        self.now += Duration::from_secs_f64(report.phases.total + 0.5);
        provenance.finished = text(self.now);
    }

    /// The directory, with its log.
    pub fn directory(&self) -> String {
        fs::write(self.path("runs.tsv"), &self.log).expect("the log can be written");
        self.folder.path(&self.name)
    }

    /// Runs `census report` on the directory. Returns the path of the page.
    pub fn page(&self) -> PathBuf {
        census(["report", &self.directory()]).run().exits(0);
        self.path("report.html")
    }
}

fn nodes_of(seconds: f64) -> u64 {
    (seconds * NODES_A_SECOND) as u64
}

fn statistics(numbers: impl Iterator<Item = f64>) -> MinMaxSum {
    let merge = |all: MinMaxSum, x: f64| MinMaxSum { min: all.min.min(x), max: all.max.max(x), sum: all.sum + x };
    numbers.fold(MinMaxSum { min: f64::INFINITY, max: 0.0, sum: 0.0 }, merge)
}
