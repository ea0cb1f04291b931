//! A rank's part in a count, the same on every rank: get a block, count it, ask for more or give away, merge what came of it.

use std::thread;

use serde::{Deserialize, Serialize};

use crate::count::{Control, Method, Solutions};

use super::backoff::Backoff;
use super::count::{Phases, RankLine};
use super::crew::{Crew, Work, start};
use super::dealer::Dealer;
use super::exchange::{Exchange, Lead, Led};
use super::host::Host;
use super::journal::Scribe;
use super::label::Label;
use super::link::Link;
use super::member::Rounds;
use super::order::Job;
use super::progress::Watch;
use super::schedule::Schedule;
use super::stop::Stop;
use super::trace::UnitRecord;
use super::wire::Summary;
use super::{Cluster, Fault};

/// What comes out of a rank's part; whole on rank 0.
pub(super) struct Part {
    pub summary: Summary,
    lines: Vec<Vec<u8>>,
    pub records: Vec<UnitRecord>,
    pub led: Led,
    received: f64,
    counted: f64,
}

impl Part {
    /// What each rank says of itself, in rank order.
    pub(super) fn lines(&self) -> Result<Vec<Line>, Fault> {
        let lines = self.lines.iter().map(|line| serde_json::from_slice(line));
        lines.collect::<Result<_, _>>().map_err(|error| Fault::Protocol(error.to_string()))
    }

    /// Where the time went, on rank 0: from the start to a pool, and to the end.
    pub(super) fn phases(&self, start: f64, expanded: f64, end: f64) -> Phases {
        Phases {
            expand: expanded - start,
            distribute: self.received - expanded,
            count: self.counted - self.received,
            reduce: end - self.counted,
            total: end - start,
        }
    }
}

/// What a rank says of itself at the end.
#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    pub rank: RankLine,
    pub host: Host,
    pub rounds: Rounds,
    pub records: usize,
}

/// The same on every rank: gets its first block of `units` (which only rank 0 has, with labels if the job says so), counts it
/// and whatever it asks for or is given, keeps a journal of that, merges what came of it.
pub(super) fn take_part(
    cluster: &Cluster,
    method: &dyn Method,
    (mut units, labels): (Vec<u8>, Option<Vec<u8>>),
    job: &Job,
    journal: Option<&Scribe>,
    lead: Option<(Stop, u128, &mut Watch)>,
) -> Part {
    let (link, deal) = (&cluster.link, job.deal);
    let start = link.seconds();
    let blocks = deal.first_blocks(job.units);
    // Other ranks than the first have none of either.
    let mut labels = labels.or(job.labelled.then(Vec::new));
    deal.put_in_order(&mut units, method.unit_bytes());
    let block = link.scatter(&mut units, method.unit_bytes(), &blocks);
    let control = Control::new(job.limit);
    let mine = blocks[link.rank()].clone();
    // Where nothing more will come, and nothing is split, there need not be more workers than units.
    let fixed = deal.schedule.is_fixed() && journal.is_none();
    let workers = if fixed { deal.threads.min(mine.len()) } else { deal.threads };
    let mut crew = Crew::new(method, &control, workers, deal.schedule == Schedule::Steal, link.rank(), journal);
    let mine = match &mut labels {
        Some(labels) => {
            deal.put_in_order(labels, Label::BYTES);
            link.scatter(labels, Label::BYTES, &blocks)
        }
        None => deal
            .arrange(job.units)
            .skip(mine.start)
            .take(mine.len())
            .flat_map(|place| Label::whole(place).to_bytes())
            .collect(),
    };
    crew.fill(block, &mine);
    drop(mine);
    if job.trace {
        crew.trace();
    }
    let received = link.seconds();

    let lead = lead.map(|(stop, above, watch)| {
        let dealer = Dealer::new(deal, method.unit_bytes(), job.units, units, labels);
        Lead::new(dealer, stop, job.limit, above, &blocks, watch)
    });
    let exchange = Exchange::new(link, cluster.signals(), &crew, deal, job.limit.is_some(), lead);
    let (mut work, rounds, led) = count_and_talk(link, &crew, workers, method, exchange, journal);
    let counted = link.seconds();

    work.unfinished += led.map_or(0, |led| led.undealt);
    let tally = work.tally;
    let busy = tally.seconds / deal.threads as f64;
    let wait = (counted - received - busy).max(0.0);
    let summary = link.reduce(Summary::new(&tally, work.unfinished, received - start, busy, wait));
    let host = Host::here();
    let rank = RankLine {
        rank: link.rank(),
        host: host.name.clone(),
        units: tally.units,
        parts: work.parts,
        split: work.split,
        solutions: tally.solutions,
        nodes: tally.nodes,
        busy,
        wait,
        longest_unit: tally.longest,
    };
    let records = work.records.unwrap_or_default();
    let line = Line { rank, host: host.clone(), rounds, records: records.len() };
    let lines = link.gather(&serde_json::to_vec(&line).unwrap_or_default());
    Part { summary, lines, records, led: led.unwrap_or_default(), received, counted }
}

/// Runs the workers, and talks meanwhile on the thread that called, until everyone has finished.
fn count_and_talk(
    link: &Link,
    crew: &Crew,
    workers: usize,
    method: &dyn Method,
    mut exchange: Exchange,
    journal: Option<&Scribe>,
) -> (Work, Rounds, Option<Led>) {
    thread::scope(|scope| {
        for worker in 0..workers {
            start(scope, move || crew.work(worker, method));
        }
        if let Some(journal) = journal {
            start(scope, || journal.keep_on_disk());
        }
        let mut backoff = Backoff::new();
        loop {
            if exchange.talk() {
                backoff = Backoff::new();
            } else if exchange.expects() {
                backoff.hurry();
            }
            if exchange.ended() {
                break;
            }
            crew.wait(&mut backoff);
        }
        let (rounds, led) = exchange.end();
        let work = crew.close();
        if let Some(journal) = journal {
            link.stay_in_touch(|| journal.close()); // a disk may take its time
        }
        (work, rounds, led)
    })
}

/// What ranks tell each other must add up: the reduced total and what they say one by one went two ways, and of a pool
/// that was counted to its end, every unit was counted once, and every part, those that an earlier run has left included.
pub(super) fn check_sums<'a>(
    summary: &Summary,
    ranks: impl Iterator<Item = &'a RankLine> + Clone,
    units: usize,
    parts_left: usize,
) -> Result<(), Fault> {
    let each = ranks.clone().map(|line| line.solutions);
    let sum = each.fold(Solutions::ZERO, Solutions::plus);
    if sum != summary.solutions {
        let found = summary.solutions;
        return Err(Fault::Protocol(format!("the reduce gave {found} solutions, the ranks one by one {sum}")));
    }
    let total = |what: fn(&RankLine) -> u64| ranks.clone().map(what).sum::<u64>();
    let (whole, parts, split) = (total(|rank| rank.units), total(|rank| rank.parts), total(|rank| rank.split));
    let split = split + parts_left as u64;
    if summary.unfinished == 0 && (whole != units as u64 || parts != split) {
        return Err(Fault::Protocol(format!("{whole} of {units} units and {parts} of {split} parts were counted")));
    }
    Ok(())
}
