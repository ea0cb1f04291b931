//! Several puzzles: a line for each, in the order in which they were given, then a summary.
//!
//! Of each wave of puzzles, the cluster first counts all that are done in a moment, some thousands together; a puzzle that
//! is not is then counted by the whole cluster, when its turn comes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};

use crate::cli::CountArgs;
use crate::cluster::{self, Cluster, CountPlan, Host, Progress, StopReason};
use crate::count::each::Answer as Quick;
use crate::count::{MethodChoice, MethodName, Solutions, bands};
use crate::puzzle::grid::push_line;
use crate::report::collection::{CollectionReport, CollectionResult, PuzzleLine, Spool};
use crate::report::progress::Paces;
use crate::report::run::{Answer, Config, Provenance};

use super::count::{answer_of, exit, tell};
use super::watch::Watcher;
use super::waves::{Entry, Group, Source, Wave, Waves};
use super::{Exit, Failure, Outcome, complain, output};

/// The puzzles that are counted together at first.
const FIRST_TOGETHER: usize = 256;
/// What is counted together should take about as long: so soon can the answers be seen.
const TOGETHER_SHORT: Duration = Duration::from_millis(250);
const TOGETHER_LONG: Duration = Duration::from_secs(1);
/// How long to wait for puzzles before looking whether to stop.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// Lines are written when they take as many bytes as this, at the latest.
const LINES_BYTES: usize = 1 << 20;

/// Counts each puzzle of the waves, of which the first has been read.
pub(super) fn count_each(
    cluster: &Cluster,
    args: &CountArgs,
    plan: &CountPlan,
    (waves, mut wave): (Waves, Wave),
    started: SystemTime,
    watcher: &mut Watcher,
) -> Outcome {
    let spool = args.report.as_deref().map(|target| Spool::beside(target).map_err(|error| Failure::io(target, error)));
    let mut counting = Counting {
        cluster,
        args,
        plan,
        watcher,
        spool: spool.transpose()?,
        start: Instant::now(),
        together: FIRST_TOGETHER.max(64 * cluster.ranks() * plan.threads),
        done: 0,
        shares: 0.0..0.0,
        lines: Vec::new(),
        result: CollectionResult::default(),
        total: Solutions::ZERO,
        exit: Exit::Done,
        stopped: None,
        deserted: false,
        hosts: Vec::new(),
    };
    // Whatever has one wave only needs nobody to read on.
    let ahead = if wave.last { None } else { Some(waves.ahead()?) };
    loop {
        counting.count_wave(&wave)?;
        if !counting.ended() {
            wave.take_failure()?;
        }
        let next = ahead.as_ref().filter(|_| !counting.ended() && !wave.last);
        match next.and_then(|ahead| counting.next_wave(ahead)) {
            Some(next) => wave = next,
            None => return counting.end(started),
        }
    }
}

/// A collection that is being counted.
struct Counting<'a> {
    cluster: &'a Cluster,
    args: &'a CountArgs,
    plan: &'a CountPlan,
    watcher: &'a mut Watcher,
    spool: Option<Spool>,
    start: Instant,
    /// The puzzles that are counted together.
    together: usize,
    /// Puzzles before this wave.
    done: usize,
    /// The share of all bytes before this wave and at its end.
    shares: Range<f64>,
    /// Answers that have not been written yet.
    lines: Vec<u8>,
    result: CollectionResult,
    total: Solutions,
    exit: Exit,
    stopped: Option<StopReason>,
    /// Whether nobody reads the answers any more, nor will find them in a report.
    deserted: bool,
    hosts: Vec<Host>,
}

/// A puzzle of a wave and where it stands.
struct Place<'a> {
    entry: &'a Entry,
    group: &'a Group,
    givens: &'a [u8],
    source: &'a Source,
    /// Its place among all puzzles, from 1, and how many there are, where that is known.
    number: usize,
    all: Option<usize>,
}

impl Place<'_> {
    fn words(&self) -> String {
        format!("{}:{}", self.source.name, self.entry.line)
    }

    fn number(&self) -> String {
        let of = self.all.map(|all| format!(" of {all}")).unwrap_or_default();
        format!("puzzle {}{of}", self.number)
    }
}

impl Counting<'_> {
    /// Whether there is no need to count any more.
    fn ended(&self) -> bool {
        self.stopped.is_some() || self.deserted
    }

    /// Waits for the next wave, unless somebody wants to stop.
    fn next_wave(&mut self, ahead: &Receiver<Wave>) -> Option<Wave> {
        loop {
            match ahead.recv_timeout(BETWEEN_LOOKS) {
                Ok(wave) => return Some(wave),
                // The reader leaves when it has handed over the last one.
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    self.stopped = self.cluster.stop_reason(self.plan.deadline);
                    if let Some(reason) = self.stopped {
                        self.watcher.meter.clear();
                        complain(&format!("{reason} after {} puzzles, while others were waited for", self.done));
                        return None;
                    }
                }
            }
        }
    }

    fn count_wave(&mut self, wave: &Wave) -> Result<(), Failure> {
        for bad in &wave.bad {
            self.watcher.meter.clear();
            complain(bad);
        }
        self.result.bad += wave.bad.len();
        self.shares = self.shares.end..wave.share.unwrap_or(0.0);
        let all = wave.last.then(|| self.done + wave.entries.len());
        let mut next_of_group = vec![0; wave.groups.len()];
        let mut start = 0;
        while start < wave.entries.len() && !self.ended() {
            let end = (start + self.together).min(wave.entries.len());
            let begin = Instant::now();
            let quick = self.count_together(wave, start..end, &next_of_group)?;
            if end - start == self.together {
                self.pace(begin.elapsed());
            }
            let mut quick: Vec<_> = quick.into_iter().map(Vec::into_iter).collect();
            for (entry, number) in wave.entries[start..end].iter().zip(self.done + start + 1..) {
                let of_group = entry.group as usize;
                let group = &wave.groups[of_group];
                let givens = group.givens_of(next_of_group[of_group]);
                next_of_group[of_group] += 1;
                let place = Place { entry, group, givens, source: wave.source(entry), number, all };
                self.take(&place, quick[of_group].next().unwrap_or(Tried::Not))?;
                if self.ended() {
                    break;
                }
            }
            self.write_lines()?;
            start = end;
        }
        self.done += wave.entries.len();
        Ok(())
    }

    /// Counts what is done in a moment of these puzzles of a wave, group by group.
    fn count_together(&mut self, wave: &Wave, range: Range<usize>, next: &[usize]) -> Result<Vec<Vec<Tried>>, Failure> {
        let mut of_group = vec![0; wave.groups.len()];
        wave.entries[range.clone()].iter().for_each(|entry| of_group[entry.group as usize] += 1);
        let workers = self.cluster.ranks() * self.plan.threads;
        let mut quick = Vec::new();
        let mut stopped = None;
        let mut counted = 0;
        for (group, (&puzzles, &first)) in wave.groups.iter().zip(of_group.iter().zip(next)) {
            // Where there are fewer puzzles than workers, or where a puzzle needs tables of its own, all work on each.
            if puzzles < workers || self.plan.method == MethodChoice::Fixed(MethodName::Bands) {
                quick.push(vec![Tried::Not; puzzles]);
                continue;
            }
            if let Some(reason) = stopped {
                quick.push(vec![Tried::Stopped(reason); puzzles]);
                continue;
            }
            let cells = group.shape.cells();
            let givens = group.givens[first * cells..][..puzzles * cells].to_vec();
            let (done, in_wave) = (self.done + range.start + counted, range.start + counted);
            let (start, shares, wave_puzzles) = (self.start, self.shares.clone(), wave.entries.len());
            let (meter, known) = (&mut self.watcher.meter, wave.share.is_some());
            let mut watch = |progress: &Progress| {
                let here = progress.share.unwrap_or(0.0) * puzzles as f64;
                let of_wave = (in_wave as f64 + here) / wave_puzzles as f64;
                meter.show_puzzles(&Paces {
                    seconds: start.elapsed().as_secs_f64(),
                    puzzles: done as f64 + here,
                    share: known.then_some(shares.start + (shares.end - shares.start) * of_wave),
                    active: progress.active,
                    workers: progress.workers,
                });
            };
            let answers = cluster::count_each(self.cluster, &group.shape, givens, self.plan, &mut watch)?;
            counted += puzzles;
            stopped = answers.stopped;
            self.hosts = answers.hosts;
            let left_out = stopped.map_or(Tried::Not, Tried::Stopped);
            quick.push(answers.each.into_iter().map(|answer| answer.map_or(left_out, Tried::Found)).collect());
        }
        Ok(quick)
    }

    /// Chooses how many puzzles are counted together next, after so many have taken so long.
    fn pace(&mut self, took: Duration) {
        let least = FIRST_TOGETHER.max(64 * self.cluster.ranks() * self.plan.threads);
        if took < TOGETHER_SHORT {
            self.together = self.together.saturating_mul(4);
        } else if took > TOGETHER_LONG {
            self.together = (self.together / 2).max(least / 8);
        }
    }

    /// Takes down the answer to a puzzle. One that was not done in a moment is counted now.
    fn take(&mut self, place: &Place, tried: Tried) -> Result<(), Failure> {
        let expected = place.entry.note.as_ref().and_then(|note| note.expected);
        match tried {
            Tried::Found(quick) if quick.is_enough(self.plan.limit) => {
                let found = answer_of(quick.solutions.into(), quick.complete, None, expected, self.plan.limit);
                self.record(place, found, quick.nodes, MethodName::Search)
            }
            Tried::Stopped(reason) => self.stop(place, reason, 0),
            Tried::Found(_) => self.count_alone(place, true),
            Tried::Not => self.count_alone(place, false),
        }
    }

    /// Has the whole cluster count a puzzle.
    fn count_alone(&mut self, place: &Place, searched: bool) -> Result<(), Failure> {
        self.write_lines()?;
        if self.deserted {
            return Ok(());
        }
        self.watcher.meter.about(place.number() + ": ");
        let puzzle = place.entry.puzzle(&place.group.shape, place.givens);
        let mut plan = *self.plan;
        // What `auto` would look at has been looked at.
        if searched && plan.method == MethodChoice::Auto && bands::applies(&puzzle.shape) {
            plan.method = MethodChoice::Fixed(MethodName::Bands);
        }
        let watcher = &mut *self.watcher;
        let count = cluster::count(self.cluster, &puzzle, &plan, &mut |progress| watcher.see(&puzzle, progress))?;
        self.watcher.meter.about(String::new());
        self.finish(place, count)
    }

    fn finish(&mut self, place: &Place, count: cluster::Count) -> Result<(), Failure> {
        let counted = count.solutions.exact().ok_or_else(|| Failure::Overflow(place.words()))?;
        let expected = place.entry.note.as_ref().and_then(|note| note.expected);
        let found = answer_of(counted, count.complete, count.stopped, expected, self.plan.limit);
        self.hosts = count.hosts;
        match found.stopped {
            None | Some(StopReason::Limit) => self.record(place, found, count.nodes, count.method),
            Some(reason) => self.stop(place, reason, found.solutions),
        }
    }

    /// Ends before a puzzle has its answer.
    fn stop(&mut self, place: &Place, reason: StopReason, so_far: u128) -> Result<(), Failure> {
        self.write_lines()?;
        let (number, words) = (place.number(), place.words());
        complain(&format!("{reason} at {number} ({words}), with {so_far} of its solutions so far"));
        self.stopped = Some(reason);
        Ok(())
    }

    /// Takes down an answer: its line, its part of the summary, and its line of the report.
    fn record(&mut self, place: &Place, found: Answer, nodes: u64, method: MethodName) -> Result<(), Failure> {
        let name = place.entry.note.as_ref().and_then(|note| note.name.as_deref());
        match name {
            Some(name) => self.lines.extend(name.as_bytes()),
            None if place.source.is_file_of_one() => self.lines.extend(place.source.name.as_bytes()),
            None => push_line(&mut self.lines, place.group.shape.order(), place.givens.iter().copied()),
        }
        let _ = writeln!(self.lines, " {}", found.solutions); // writing to memory does not fail
        if self.lines.len() > LINES_BYTES {
            self.write_lines()?;
        }
        let expected = place.entry.note.as_ref().and_then(|note| note.expected);
        if found.matches_expected == Some(false) {
            self.write_lines()?;
        }
        if exit(found, expected, || place.words()) == Exit::No {
            self.exit = Exit::No;
        }
        self.result.add(found);
        self.total = self.total.plus(Solutions::new(found.solutions));
        if let (Some(spool), Some(target)) = (&mut self.spool, &self.args.report) {
            let line = PuzzleLine {
                file: &place.source.name,
                line: place.entry.line,
                name,
                solutions: found.solutions,
                method,
                nodes,
                complete: found.complete,
                matches_expected: found.matches_expected,
            };
            spool.push(&line).map_err(|error| Failure::io(target, error))?;
        }
        Ok(())
    }

    fn write_lines(&mut self) -> Result<(), Failure> {
        if !self.lines.is_empty() {
            self.watcher.meter.clear();
            self.deserted |= !tell(&self.lines, self.args)? && self.args.report.is_none();
            self.lines.clear();
        }
        Ok(())
    }

    /// The summary, and the report.
    fn end(self, started: SystemTime) -> Outcome {
        self.watcher.meter.clear();
        let total = self.total.exact().ok_or_else(|| Failure::Overflow("all puzzles together".into()))?;
        let seconds = self.start.elapsed().as_secs_f64();
        let result = self.result;
        let rate = if seconds > 0.0 { result.puzzles as f64 / seconds } else { 0.0 };
        if let (Some(spool), Some(target)) = (self.spool, &self.args.report) {
            let provenance = Provenance::of(self.cluster, started, self.plan.threads, self.hosts.iter());
            let config = Config::of(self.plan, None);
            let report = CollectionReport::new(provenance, config, self.stopped.is_none(), result, seconds, rate);
            if target == Path::new("-") {
                output(|stdout| spool.write(&report, stdout))?;
            } else {
                spool.write_to(&report, target).map_err(|error| Failure::io(target, error))?;
            }
        }
        let CollectionResult { puzzles, unique, several, none, unexpected, bad } = result;
        let complete = self.stopped.map_or("yes".into(), |reason| format!("no, {reason}"));
        let mut summary = String::new();
        let _ = write!(
            summary,
            "puzzles: {puzzles}\nunique: {unique}\nseveral: {several}\nnone: {none}\nunexpected: {unexpected}\nbad: {bad}\n\
             complete: {complete}\nsolutions: {total}\nseconds: {seconds:.3}\npuzzles/s: {rate:.0}\n"
        );
        if !self.args.quiet {
            tell(summary.as_bytes(), self.args)?;
        }
        Ok(match self.stopped {
            Some(_) => Exit::Fault,
            None if bad > 0 => Exit::Usage,
            None => self.exit,
        })
    }
}

/// What has become of a puzzle in the moment that it had.
#[derive(Clone, Copy)]
enum Tried {
    /// It had none.
    Not,
    /// The count was stopped before its turn came.
    Stopped(StopReason),
    /// This was found, which may not be enough.
    Found(Quick),
}
