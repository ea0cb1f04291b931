//! `census verify`: recounts a random sample of the units of a count by another method.

use std::path::Path;
use std::slice;
use std::time::SystemTime;

use super::count::progress::meter;
use super::streams::{AnswerLines, is_stdout, print_answers, print_stderr, printable_path, write_report};
use super::{CommandError, Exit, Outcome, check_target, deadline, threads};
use crate::cli::VerifyArgs;
use crate::cluster::{self, Claim, Cluster, JobError, Tallies, VerifyOptions, print_error};
use crate::puzzle::{Puzzle, Text, formats};
use crate::report::render::terminal::rank_table;
use crate::report::run::{Provenance, RunReport};
use crate::report::sweep::read::read_report;
use crate::report::verification::{VerificationReport, VerifiedCount};

/// The most differences that are printed. The report has all of them.
const MAX_PRINTED: usize = 20;

pub(super) fn run(cluster: &Cluster, args: &VerifyArgs) -> Outcome {
    let started = SystemTime::now();
    let file = printable_path(&args.of);
    let usage_error = |reason: String| CommandError::Usage(format!("{file}: {reason}"));
    let report = read_report(&args.of)?.ok_or_else(|| {
        usage_error("this is not the report of one run (`census count --units --report FILE`)".into())
    })?;
    if let Some(target) = &args.report {
        check_target(target, slice::from_ref(&file))?;
    }
    let puzzle = puzzle_of(&report).map_err(usage_error)?;
    let claim = claim_of(&report, args.journal.as_deref()).map_err(usage_error)?;
    let item = match claim.tallies {
        Tallies::None => "puzzle",
        Tallies::Units(..) => "unit",
        Tallies::Journal(_) => "line",
    };
    let options = VerifyOptions {
        share: args.share,
        seed: args.seed.unwrap_or_else(|| fastrand::u64(..1 << 32)),
        schedule: args.schedule,
        threads: threads(args.ranks.threads, cluster),
        deadline: deadline(args.time_limit),
    };
    let mut meter = meter(args.progress, args.quiet, cluster.launcher().is_some());
    let verified = cluster::verify(cluster, &puzzle, &claim, &options, &mut |progress| meter.show(progress));
    meter.clear();
    let verified = verified.map_err(|error| match error {
        JobError::Claim(reason) => usage_error(reason),
        JobError::Stopped(reason) => CommandError::Stopped(format!("{file}: {reason}, before a unit was verified")),
        other => other.into(),
    })?;
    let verifies = VerifiedCount {
        file: file.clone(),
        journal: args.journal.as_ref().map(|folder| printable_path(folder)),
        finished: report.provenance.finished.clone(),
        solutions: claim.solutions.to_string(),
    };
    let provenance = Provenance::of(cluster, started, options.threads, verified.hosts.iter());
    let verification = VerificationReport::new(provenance, verifies, item, (options.share, options.seed), verified);
    if !args.quiet {
        print_stderr(&rank_table(&verification.ranks));
    }
    let lines = if args.quiet { String::new() } else { lines(&report, &verification, cluster, options.threads) };
    let answer = format!("{lines}{}\n", verification.sentence);
    // The answer comes first: a full disk must not cost it.
    print_answers(answer.as_bytes(), is_stdout(args.report.as_deref()))?;
    write_report(&verification, args.report.as_deref())?;
    if let Some(reason) = &verification.stopped {
        let (verified, sampled) = (verification.verified, verification.sampled);
        print_error(&format!("{file}: {reason}, with {verified} of {sampled} {item}s verified"));
    }
    Ok(match (verification.equal, verification.complete) {
        (false, _) => Exit::No,
        (true, false) => Exit::Failure,
        (true, true) => Exit::Done,
    })
}

fn puzzle_of(report: &RunReport) -> Result<Puzzle, String> {
    let missing =
        "it does not hold its puzzle, because an earlier version of census wrote it: count again with --units";
    let text = report.puzzle.text.clone().ok_or(missing)?;
    let text = Text::decode("puzzle.text", text.into_bytes()).map_err(|error| error.to_string())?;
    let mut puzzles = formats::read(&text).map_err(|error| error.to_string())?;
    match (puzzles.pop(), puzzles.is_empty()) {
        (Some(puzzle), true) => puzzle.checked().map_err(|error| error.to_string()),
        _ => Err("puzzle.text: this is not one puzzle".into()),
    }
}

/// The claim of a report, with the solutions of units from the report or from a journal.
fn claim_of(report: &RunReport, journal: Option<&Path>) -> Result<Claim, String> {
    if !report.result.complete {
        return Err("this count is not complete: there is no total to verify".into());
    }
    let tallies = match (journal, &report.units) {
        _ if report.pool.units == 0 => Tallies::None,
        (Some(folder), _) => Tallies::Journal(folder.into()),
        (None, Some(kept)) => {
            let solutions = kept.solutions(report.pool.units).map_err(|error| format!("units.solutions: {error}"))?;
            Tallies::Units(kept.pool.clone(), solutions)
        }
        (None, None) => {
            return Err(
                "it does not hold the solutions of its units: count again with --units, or give the journal of the \
                        count with --journal"
                    .into(),
            );
        }
    };
    let exact = report.result.solutions.exact().zip(report.pool.solutions_above.exact());
    let (solutions, above) = exact.ok_or("there are more solutions than 128 bits can count")?;
    Ok(Claim { solutions, above, nodes: report.result.nodes, tallies })
}

/// The lines before the last sentence.
fn lines(report: &RunReport, verification: &VerificationReport, cluster: &Cluster, threads: usize) -> String {
    let VerificationReport { verifies, item, items, phases, .. } = verification;
    let mut lines = AnswerLines::default()
        .add("report", &verifies.file)
        .add("puzzle", report.puzzle.name.as_ref().unwrap_or(&report.puzzle.file))
        .add("solutions", &verifies.solutions)
        .add("counted by", &report.config.method)
        .add("recounted by", verification.recount)
        .add(&format!("{item}s"), items)
        .add("drawn", verification.sampled)
        .add("recounted", verification.verified)
        .add("complete", verification.stopped.as_ref().map_or("yes".into(), |reason| format!("no, {reason}")));
    for differs in verification.differences.iter().take(MAX_PRINTED) {
        lines = lines.add("differs", differs.text(item));
    }
    lines
        .add("equal", if verification.equal { "yes" } else { "no" })
        .add_some("wrong at most", verification.most_wrong.map(|most| format!("{most} of {items}")))
        .add("seed", verification.seed)
        .add("schedule", &verification.schedule)
        .add("ranks", cluster.ranks())
        .add("threads", threads)
        .add("seconds", format_args!("{:.3}", phases.total))
        .add("expanding", format_args!("{:.3}", phases.expand))
        .0
}
