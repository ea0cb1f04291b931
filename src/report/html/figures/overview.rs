//! Seconds and speed-up of every puzzle and series on every number of workers.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::*;

pub fn sentence(analysis: &Analysis) -> String {
    let with_group = |group| Group::parallel_cases(group).map(move |(series, case)| (group, series, case));
    let all: Vec<(&Group, &Series, &Case)> = analysis.groups.iter().flat_map(with_group).collect();
    let Some((_, (group, series, case))) = extremes(&all, |(_, series, case)| series.speed_up(case)) else {
        return "There are only sequential runs.".into();
    };
    let labels = analysis.labels();
    let best = labels.iter().filter(|label| **label != "sequential").map(|label| (*label, wins(analysis, label)));
    let best = best.max_by_key(|(_, wins)| *wins);
    let tied = best.is_some_and(|(_, most)| labels.iter().filter(|label| wins(analysis, label) == most).count() > 1);
    let groups = analysis.groups.iter().filter(|group| largest(group).len() > 1).count();
    let (speed_up, on) = (series.speed_up(case), analysis.workers(case.workers));
    let mut text = format!("The highest speed-up is {speed_up:.2}, by {} on {on} ({}).", series.label, group.title);
    if let Some((label, wins)) = best
        && groups > 1
        && wins > 0
        && !tied
    {
        let unit = analysis.unit();
        text += &format!(
            " {label} has the shortest median for {wins} of {groups} puzzles on the most {unit} with a core for each."
        );
    }
    text
}

/// The number of groups in which this series is the fastest on the most workers.
fn wins(analysis: &Analysis, label: &str) -> usize {
    let wins = |group: &&Group| {
        let cases = largest(group);
        let fastest = extremes(&cases, |(_, case)| case.seconds.median);
        cases.len() > 1 && fastest.is_some_and(|((series, _), _)| series.label == label)
    };
    analysis.groups.iter().filter(wins).count()
}

pub fn table(analysis: &Analysis) -> String {
    let numbers: BTreeSet<usize> = analysis.groups.iter().flat_map(|group| group.workers()).collect();
    let mut text = String::from(
        "<section id=\"overview\"><h2>Overview</h2>\n<p>Median seconds, and below the speed-up. The colour is stronger the nearer \
         the speed-up is to the number of workers that have a core; italics mean more workers than cores. Seconds are those of rank 0, \
         without the start of the ranks.</p>\n",
    );
    text += r#"<div class="scroll" tabindex="0" role="region" aria-label="Overview"><table class="overview">"#;
    text += r#"<thead><tr><th scope="col">puzzle</th><th scope="col">schedule</th>"#;
    for number in &numbers {
        let _ = write!(text, r#"<th scope="col" class="number">{}</th>"#, analysis.workers(*number));
    }
    text += "</tr></thead>\n";
    for group in &analysis.groups {
        let (rows, id, title) = (group.series.len(), id(&group.slug), escaped(&group.title));
        let mut heading =
            format!(r##"<tbody><tr><th scope="rowgroup" rowspan="{rows}"><a href="#{id}">{title}</a></th>"##);
        for series in &group.series {
            let (key, label) = (key(&sign(series.style)), escaped(&series.label));
            let cells: String = numbers.iter().map(|number| cell(series, series.case(*number))).collect();
            let _ = writeln!(text, r#"{heading}<th scope="row">{key}{label}</th>{cells}</tr>"#);
            heading = "<tr>".into();
        }
        text += "</tbody>\n";
    }
    text + "</table></div></section>\n"
}

fn cell(series: &Series, case: Option<&Case>) -> String {
    let Some(case) = case else { return "<td></td>".into() };
    let (seconds, speed_up) = (column_seconds(case.seconds.median), series.speed_up(case));
    let reachable = case.workers.min(case.runs[0].cores().max(1)) as f64;
    let shade = (speed_up / reachable).clamp(0.0, 1.0) * 42.0;
    let hollow = if case.is_oversubscribed { " over" } else { "" };
    let speed_up = if series.is_sequential { String::new() } else { format!("<small>{speed_up:.2}</small>") };
    format!(r#"<td class="number{hollow}" style="--shade:{shade:.0}%">{seconds}{speed_up}</td>"#)
}
