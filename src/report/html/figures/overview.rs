//! The classic table: seconds and speed-up of every puzzle and schedule on every number of workers.

use std::fmt::Write;

use crate::report::sweep::analysis::{Analysis, Case, Group, Series};
use crate::report::sweep::table::seconds;

use crate::report::html::figure::{escaped, id};
use crate::report::html::plot::key;
use crate::report::html::text::extremes;

/// The whole sweep in one sentence.
pub fn sentence(study: &Analysis) -> String {
    let all =
        study.subjects.iter().flat_map(|subject| subject.cases().map(move |(series, case)| (subject, series, case)));
    let all: Vec<(&Group, &Series, &Case)> = all.filter(|(_, series, _)| !series.is_sequential).collect();
    let Some((_, (subject, series, case))) = extremes(&all, |(_, series, case)| series.speed_up(case)) else {
        return "There are only sequential runs.".into();
    };
    let labels = study.labels();
    let best = labels.iter().filter(|label| **label != "sequential").map(|label| (*label, wins(study, label)));
    let best = best.max_by_key(|(_, wins)| *wins);
    let tied = best.is_some_and(|(_, most)| labels.iter().filter(|label| wins(study, label) == most).count() > 1);
    let subjects =
        study.subjects.iter().filter(|subject| crate::report::html::text::largest(subject).len() > 1).count();
    let mut text = format!(
        "The highest speed-up is {:.2}, by {} on {} ({}).",
        series.speed_up(case),
        series.label,
        study.workers(case.workers),
        subject.title
    );
    if let Some((label, wins)) = best
        && subjects > 1
        && wins > 0
        && !tied
    {
        text += &format!(
            " {label} has the shortest median for {wins} of {subjects} puzzles on the most {} with a core for each.",
            study.unit()
        );
    }
    text
}

/// For how many subjects this series is the fastest on the most workers.
fn wins(study: &Analysis, label: &str) -> usize {
    let wins = |subject: &&Group| {
        let cases = crate::report::html::text::largest(subject);
        let fastest = extremes(&cases, |(_, case)| case.seconds.median);
        cases.len() > 1 && fastest.is_some_and(|((series, _), _)| series.label == label)
    };
    study.subjects.iter().filter(wins).count()
}

/// The table.
pub fn table(study: &Analysis) -> String {
    let mut numbers: Vec<usize> = study.subjects.iter().flat_map(|subject| subject.workers()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut text =
        String::from("<section id=\"overview\"><h2>Overview</h2>\n<p>Median seconds, and below the speed-up; ");
    text += "the stronger the colour, the nearer to one for each worker that has a core; in italics, where there were more workers than cores. \
             Seconds are those of rank 0 from the beginning of the job to its end, without what the launcher takes.</p>\n";
    text += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Overview\"><table class=\"overview\"><thead><tr><th scope=\"col\">puzzle</th><th scope=\"col\">schedule</th>";
    for number in &numbers {
        let _ = write!(text, "<th scope=\"col\" class=\"number\">{}</th>", study.workers(*number));
    }
    text += "</tr></thead>\n";
    for subject in &study.subjects {
        text += "<tbody>";
        for (index, series) in subject.series.iter().enumerate() {
            text += "<tr>";
            if index == 0 {
                let _ = write!(
                    text,
                    "<th scope=\"rowgroup\" rowspan=\"{}\"><a href=\"#{}\">{}</a></th>",
                    subject.series.len(),
                    id(&subject.slug),
                    escaped(&subject.title)
                );
            }
            let _ = write!(text, "<th scope=\"row\">{}{}</th>", key(series.style), escaped(&series.label));
            for number in &numbers {
                text += &cell(series, series.cases.iter().find(|case| case.workers == *number));
            }
            text += "</tr>\n";
        }
        text += "</tbody>\n";
    }
    text + "</table></div></section>\n"
}

fn cell(series: &Series, case: Option<&Case>) -> String {
    let Some(case) = case else { return "<td></td>".into() };
    let reachable = case.workers.min(case.runs[0].cores().max(1)) as f64;
    let shade = (series.speed_up(case) / reachable).clamp(0.0, 1.0);
    let hollow = if case.is_oversubscribed { " class=\"number over\"" } else { " class=\"number\"" };
    let speed_up =
        if series.is_sequential { String::new() } else { format!("<small>{:.2}</small>", series.speed_up(case)) };
    format!("<td{hollow} style=\"--shade:{:.0}%\">{}{speed_up}</td>", shade * 42.0, seconds(case.seconds.median))
}
