//! Synthetic runs.

use census::report::run::RunReport;
use census::report::sweep::{Run, Scaling, Sweep};
use serde::Deserialize;
use serde_json::{Value, json};

/// The properties of a synthetic run; the rest of its report is derived from them.
#[derive(Clone)]
pub struct FakeRun {
    pub puzzle: &'static str,
    /// `sequential` for a run without a launcher.
    pub schedule: &'static str,
    pub ranks: usize,
    /// The cores of the only host.
    pub cores: usize,
    /// Seconds of the count phase; the run takes 1 % more.
    pub seconds: f64,
    /// mean(busy) / max(busy).
    pub balance: f64,
    pub repeat: usize,
}

pub const FAKE_RUN: FakeRun =
    FakeRun { puzzle: "one", schedule: "static", ranks: 1, cores: 8, seconds: 1.0, balance: 1.0, repeat: 1 };

impl FakeRun {
    pub fn json(&self) -> Value {
        let FakeRun { puzzle, schedule, ranks, cores, seconds, balance, .. } = *self;
        // The first rank is the busiest, all others are equal.
        let most = seconds * 0.99;
        let others = if ranks > 1 { most * (balance * ranks as f64 - 1.0) / (ranks as f64 - 1.0) } else { most };
        let busy = |rank: usize| if rank == 0 { most } else { others };
        let sum: f64 = (0..ranks).map(busy).sum();
        let statistics = |min: f64, max: f64, sum: f64| json!({ "min": min, "max": max, "sum": sum });

        let mut report: Value = include_str!("../../golden/sweep/run.json").parse().expect("a report");
        report["puzzle"]["file"] = json!(format!("puzzles/{puzzle}.txt"));
        report["puzzle"]["sha256"] = json!(format!("sha of {puzzle}"));
        report["puzzle"]["name"] = json!(format!("Puzzle {puzzle}"));
        report["command"][2] = json!(format!("puzzles/{puzzle}.txt"));
        report["command"][4] = json!(schedule);
        if schedule == "sequential" {
            report["environment"]["mpi_library"] = Value::Null;
            report["environment"]["launcher"] = Value::Null;
        } else {
            report["config"]["schedule"] = json!(schedule);
        }
        report["environment"]["ranks"] = json!(ranks);
        report["environment"]["hosts"][0]["ranks"] = json!(ranks);
        report["environment"]["hosts"][0]["cores"] = json!(cores);
        report["pool"]["units"] = json!(64 * ranks);
        report["pool"]["solutions_above"] = json!((123_456 - 1000 * ranks).to_string());
        for (phase, factor) in
            [("expand", 0.004), ("distribute", 0.004), ("count", 1.0), ("reduce", 0.002), ("total", 1.01)]
        {
            report["phases"][phase] = json!(seconds * factor);
        }
        report["rank_statistics"]["busy"] = statistics(others.min(most), most, sum);
        report["rank_statistics"]["wait"] = statistics(seconds - most, seconds - others, seconds * ranks as f64 - sum);
        let rank = |rank: usize| {
            let mut line = report["ranks"][0].clone();
            line["rank"] = json!(rank);
            line["nodes"] = json!((busy(rank) * 1e6) as u64);
            line["busy"] = json!(busy(rank));
            line["wait"] = json!(seconds - busy(rank));
            line
        };
        report["ranks"] = (0..ranks).map(rank).collect();
        let efficiencies = [
            ("load_balance", balance),
            ("load_balance_nodes", balance),
            ("parallel", balance * 0.99),
            ("solutions_per_second", 123_456.0 / seconds.max(1e-9)),
            ("nodes_per_second", 4e6 / seconds.max(1e-9)),
        ];
        for (name, value) in efficiencies {
            report["efficiency"][name] = json!(value);
        }
        report
    }

    /// The name of its files.
    pub fn name(&self) -> String {
        format!("{}_{}_r{:02}_{:03}", self.puzzle, self.schedule, self.ranks, self.repeat)
    }

    /// The run with a changed report.
    pub fn run_with(&self, change: impl FnOnce(&mut Value)) -> Run {
        let mut report = self.json();
        change(&mut report);
        Run {
            name: self.name(),
            report: RunReport::deserialize(report).expect("a report"),
            scaling: Scaling::Strong,
            command: format!("mpirun -n {} census count puzzles/{}.txt", self.ranks, self.puzzle),
            trace: None,
        }
    }

    pub fn run(&self) -> Run {
        self.run_with(|_| ())
    }
}

pub fn sweep(runs: Vec<Run>) -> Sweep {
    Sweep { name: "made".into(), runs, failures: Vec::new(), settings: None }
}
