//! Several puzzles: a line for each, in the order in which they were given, then a summary.
//!
//! Of each wave of puzzles, the cluster first counts all that are done in a moment, some thousands together; a puzzle that
//! is not is then counted by the whole cluster, when its turn comes.

use std::ops::Range;
use std::time::{Duration, Instant, SystemTime};

use crate::cli::CountArgs;
use crate::cluster::{self, Cluster, CountOptions, Host, Progress, StopReason};
use crate::count::batch::PuzzleCount;
use crate::count::{MethodChoice, MethodName, Solutions, bands};
use crate::report::render::progress::BatchProgress;

use super::output::{Answers, Ending, Place};
use super::progress::Watcher;
use super::reader::{Wave, Waves};
use super::single::answer_of;
use crate::commands::{CommandError, Outcome, complain};

/// The puzzles that are counted together at first.
const FIRST_TOGETHER: usize = 256;
/// What is counted together should take about as long: so soon can the answers be seen.
const TOGETHER_SHORT: Duration = Duration::from_millis(250);
const TOGETHER_LONG: Duration = Duration::from_secs(1);

/// Counts each puzzle of the waves, of which the first has been waited for.
pub(in crate::commands) fn count_batch(
    cluster: &Cluster,
    args: &CountArgs,
    plan: &CountOptions,
    (mut waves, first): (Waves, Result<Wave, StopReason>),
    (started, start): (SystemTime, Instant),
    watcher: &mut Watcher,
) -> Outcome {
    let mut counting = Counting {
        cluster,
        plan,
        watcher,
        answers: Answers::new(cluster, args, plan)?,
        start,
        together: FIRST_TOGETHER.max(64 * cluster.ranks() * plan.threads),
        done: 0,
        shares: 0.0..0.0,
        stopped: None,
        hosts: Vec::new(),
    };
    let counted = counting.count_waves(&mut waves, first);
    let Counting { mut answers, watcher, stopped, hosts, .. } = counting;
    // A fault costs nobody the answers that there are. A launcher that was told to stop may read no more: then they have to
    // wait for the report.
    let counted = if stopped.is_some() { counted } else { counted.and(answers.write(&mut watcher.meter)) };
    if counted.is_err() {
        answers.left = Some("stopped by a fault");
    }
    watcher.meter.clear();
    let seconds = start.elapsed().as_secs_f64();
    let ended = answers.end(&Ending { started, seconds, stopped, hosts });
    counted.and(ended)
}

/// A collection that is being counted.
struct Counting<'a> {
    cluster: &'a Cluster,
    plan: &'a CountOptions,
    watcher: &'a mut Watcher,
    answers: Answers<'a>,
    start: Instant,
    /// The puzzles that are counted together.
    together: usize,
    /// Puzzles before this wave.
    done: usize,
    /// The share of all bytes before this wave and at its end.
    shares: Range<f64>,
    stopped: Option<StopReason>,
    hosts: Vec<Host>,
}

impl Counting<'_> {
    /// Whether there is no need to count any more.
    fn ended(&self) -> bool {
        self.stopped.is_some() || self.answers.failed || self.answers.deserted
    }

    fn count_waves(&mut self, waves: &mut Waves, first: Result<Wave, StopReason>) -> Result<(), CommandError> {
        let mut next = first;
        while let Some(wave) = self.waited_for(next) {
            self.count_wave(&wave)?;
            if self.ended() {
                break;
            }
            if let Some(failure) = &wave.failed {
                self.watcher.meter.clear();
                self.answers.fail(failure);
                break;
            }
            if wave.last {
                break;
            }
            next = waves.next(1, || self.cluster.stop_reason(self.plan.deadline));
        }
        Ok(())
    }

    /// The wave that was waited for, unless somebody wanted to stop.
    fn waited_for(&mut self, wave: Result<Wave, StopReason>) -> Option<Wave> {
        let reason = match wave {
            Ok(wave) => return Some(wave),
            Err(reason) => reason,
        };
        self.stopped = Some(reason);
        self.watcher.meter.clear();
        complain(&format!("{reason} after {} puzzles, while others were waited for", self.done));
        None
    }

    fn count_wave(&mut self, wave: &Wave) -> Result<(), CommandError> {
        for bad in &wave.bad {
            self.watcher.meter.clear();
            self.answers.pass(bad);
        }
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
            if !self.ended() {
                self.answers.write(&mut self.watcher.meter)?;
            }
            start = end;
        }
        self.done += wave.entries.len();
        Ok(())
    }

    /// Counts what is done in a moment of these puzzles of a wave, group by group.
    fn count_together(
        &mut self,
        wave: &Wave,
        range: Range<usize>,
        next: &[usize],
    ) -> Result<Vec<Vec<Tried>>, CommandError> {
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
                meter.show_puzzles(&BatchProgress {
                    seconds: start.elapsed().as_secs_f64(),
                    puzzles: done as f64 + here,
                    share: known.then_some(shares.start + (shares.end - shares.start) * of_wave),
                    active: progress.active,
                    workers: progress.workers,
                });
            };
            let answers = cluster::count_batch(self.cluster, &group.shape, givens, self.plan, &mut watch)?;
            counted += puzzles;
            stopped = answers.stopped;
            self.hosts = answers.hosts;
            let left_out = stopped.map_or(Tried::Not, Tried::Stopped);
            quick.push(answers.puzzles.into_iter().map(|answer| answer.map_or(left_out, Tried::Found)).collect());
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
    fn take(&mut self, place: &Place, tried: Tried) -> Result<(), CommandError> {
        match tried {
            Tried::Found(quick) if quick.is_enough(self.plan.limit) => {
                let found = answer_of(
                    Solutions::new(quick.solutions.into()),
                    quick.complete,
                    None,
                    place.expected(),
                    self.plan.limit,
                );
                self.answers.add(place, found, quick.nodes, MethodName::Search, &mut self.watcher.meter)
            }
            Tried::Stopped(reason) => self.stop(place, reason, Solutions::ZERO),
            Tried::Found(_) => self.count_alone(place, true),
            Tried::Not => self.count_alone(place, false),
        }
    }

    /// Has the whole cluster count a puzzle.
    fn count_alone(&mut self, place: &Place, searched: bool) -> Result<(), CommandError> {
        self.answers.write(&mut self.watcher.meter)?;
        if self.answers.deserted {
            return Ok(());
        }
        self.watcher.meter.about(place.number() + ": ");
        let puzzle = place.entry.puzzle(&place.group.shape, place.givens);
        let mut plan = self.plan.clone();
        // What `auto` would look at has been looked at.
        if searched && plan.method == MethodChoice::Auto && bands::applies(&puzzle.shape) {
            plan.method = MethodChoice::Fixed(MethodName::Bands);
        }
        let watcher = &mut *self.watcher;
        let count = cluster::count(self.cluster, &puzzle, &plan, &mut |_, _| {}, &mut |progress| {
            watcher.see(&puzzle, progress)
        })?;
        self.watcher.meter.about(String::new());
        self.finish(place, count)
    }

    fn finish(&mut self, place: &Place, count: cluster::Count) -> Result<(), CommandError> {
        self.hosts = count.hosts;
        self.answers.add_cache(count.reduction.cache);
        if count.solutions.exact().is_none() {
            self.watcher.meter.clear();
            self.answers.overflow(place);
            return Ok(());
        }
        let found = answer_of(count.solutions, count.complete, count.stopped, place.expected(), self.plan.limit);
        match found.stopped {
            None | Some(StopReason::Limit) => {
                self.answers.add(place, found, count.nodes, count.method, &mut self.watcher.meter)
            }
            Some(reason) => self.stop(place, reason, found.solutions),
        }
    }

    /// Ends before a puzzle has its answer.
    fn stop(&mut self, place: &Place, reason: StopReason, so_far: Solutions) -> Result<(), CommandError> {
        self.watcher.meter.clear();
        let (number, words) = (place.number(), place.words());
        complain(&format!("{reason} at {number} ({words}), with {so_far} of its solutions so far"));
        self.stopped = Some(reason);
        Ok(())
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
    Found(PuzzleCount),
}
