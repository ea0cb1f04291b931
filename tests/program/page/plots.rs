//! The figures, their content and their labels.

use std::collections::BTreeMap;

use super::sweep::{PUZZLES, Sweep};
use super::tab::{Page, View};
use crate::harness::{ONCE, test};

/// The figures of every puzzle, and those that need traces.
const ALWAYS: [&str; 9] =
    ["time", "speedup", "efficiency", "load-balance", "communication", "parallel", "serial", "phases", "ranks"];
const TRACED: [&str; 3] = ["timeline", "units", "plan"];

fn attributes(page: &Page, selector: &str, name: &str) -> Vec<String> {
    page.texts(&format!("[...document.querySelectorAll({selector:?})].map(element => element.dataset.{name})"))
}

test!(ONCE, every_puzzle_has_every_figure, Browser, |browser| {
    let mut sweep = Sweep::of_everything();
    sweep.add(&PUZZLES[2], 3, false);
    let page = browser.open(&sweep.page(), &View::LAPTOP);
    let traced = |puzzle: &str| ["goldennugget15", "relabel"].contains(&puzzle);
    let mut expected: Vec<(String, String)> = Vec::new();
    for puzzle in ["goldennugget15", "relabel", "simonepri-2f", "weak"] {
        let traces: &[&str] = if traced(puzzle) { &TRACED } else { &[] };
        expected.extend(ALWAYS.iter().chain(traces).map(|plot| (puzzle.to_owned(), plot.to_string())));
    }
    let (puzzles, plots) = (attributes(&page, "figure", "puzzle"), attributes(&page, "figure", "plot"));
    let mut found: Vec<(String, String)> = puzzles.into_iter().zip(plots).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    let pictures = page
        .eval("[...document.querySelectorAll('figure')].every(f => f.querySelectorAll('svg[role=img]').length === 1)");
    assert_eq!(pictures, true, "one picture in each");
});

test!(ONCE, every_repeat_is_a_point_of_time_speed_up_and_efficiency_once, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    for plot in &ALWAYS[..3] {
        let mut points: BTreeMap<String, usize> = BTreeMap::new();
        for puzzle in ["goldennugget15", "relabel", "weak"] {
            let runs = attributes(&page, &format!("figure[data-plot={plot}][data-puzzle={puzzle}] .dot"), "run");
            let beginning = if puzzle == "weak" { "rung" } else { puzzle };
            assert!(runs.iter().all(|run| run.starts_with(beginning)), "{plot} of {puzzle}: {runs:?}");
            runs.into_iter().for_each(|run| *points.entry(run).or_default() += 1);
        }
        let expected: BTreeMap<String, usize> = browser.runs().iter().map(|run| (run.clone(), 1)).collect();
        assert_eq!(points, expected, "{plot}");
    }
});

// The vertical coordinate decreases with the value, and points with the same number of ranks have neighbouring horizontal ones.
test!(ONCE, points_are_at_their_coordinates, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let headings = page.texts("[...document.querySelectorAll('#runs thead th')].map(th => th.textContent)");
    for (plot, column) in [("time", "seconds"), ("speedup", "speed-up"), ("efficiency", "efficiency")] {
        let column = headings.iter().position(|heading| heading == column).expect("such a column");
        let ranks = headings.iter().position(|heading| heading == "ranks").expect("ranks");
        let points = page.eval(&format!(
            "[...document.querySelectorAll('figure[data-plot={plot}][data-puzzle=relabel] .dot')].map(dot => {{
               const cells = [...document.querySelectorAll('#runs tbody tr')].find(row => row.dataset.run === dot.dataset.run).cells;
               const at = dot.getBoundingClientRect();
               return [Number(cells[{column}].dataset.n), at.y + at.height / 2, Number(cells[{ranks}].dataset.n), at.x + at.width / 2];
             }})"
        ));
        let number = |point: &serde_json::Value, index: usize| point[index].as_f64().expect("a number");
        let mut points = points.as_array().expect("points").clone();
        points.sort_by(|a, b| number(a, 0).total_cmp(&number(b, 0)));
        // The centres of different shapes differ by a pixel or two.
        let falls = points.windows(2).all(|pair| number(&pair[0], 1) > number(&pair[1], 1) - 3.0);
        assert!(falls && points.len() > 50, "{plot}: {points:?}");
        let aside =
            |ranks: f64| points.iter().filter(move |point| number(point, 2) == ranks).map(|point| number(point, 3));
        let (left, right) = (aside(2.0).fold(0.0, f64::max), aside(4.0).fold(f64::INFINITY, f64::min));
        assert!(left < right, "{plot}: 2 ranks reach to {left}, 4 ranks begin at {right}");
    }
});

test!(ONCE, every_figure_has_a_caption, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let captions =
        page.texts("[...document.querySelectorAll('figure')].map(f => f.querySelector('figcaption').textContent)");
    let plots = attributes(&page, "figure", "plot");
    for (plot, caption) in plots.iter().zip(&captions) {
        let is_sentence = caption.len() > 20 && caption.ends_with('.');
        let odd = ["NaN", "inf", "null", "undefined", "-0", "  "].iter().any(|odd| caption.contains(odd));
        assert!(is_sentence && !odd, "{plot}: {caption:?}");
    }
});

test!(ONCE, every_picture_has_a_name_and_every_input_a_label, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let nameless = page.texts(
        "[...document.querySelectorAll('svg')].filter(svg => {
           if (svg.closest('[aria-hidden=true]')) return false;
           const names = (svg.getAttribute('aria-labelledby') || '').split(' ').map(id => document.getElementById(id));
           return svg.getAttribute('role') !== 'img' || !names.length || !names.every(name => name && name.textContent.trim());
         }).map(svg => svg.outerHTML.slice(0, 200))",
    );
    assert!(nameless.is_empty(), "pictures without a name: {nameless:#?}");
    let unlabelled = page.texts(
        "[...document.querySelectorAll('input, select, textarea')]
           .filter(input => ![...input.labels].some(label => label.textContent.trim()) && !input.ariaLabel)
           .map(input => input.outerHTML.slice(0, 200))",
    );
    assert!(unlabelled.is_empty(), "inputs without a label: {unlabelled:#?}");
    let silent = page
        .texts("[...document.querySelectorAll('button, a')].filter(b => !b.textContent.trim()).map(b => b.outerHTML)");
    assert!(silent.is_empty(), "buttons and links without text: {silent:#?}");
    let twice = page.texts(
        "Object.entries(Object.groupBy([...document.querySelectorAll('[id]')], e => e.id)).filter(([, all]) => all.length > 1).map(([id]) => id)",
    );
    assert!(twice.is_empty(), "duplicate ids: {twice:?}");
});
