//! Opening the page: it loads without problems, for any names in a sweep.

use std::fs;

use super::sweep::{PUZZLES, Puzzle, Sweep};
use super::tab::View;
use crate::harness::{Folder, ONCE, census, test};

/// A page with every kind of problem, to prove that the other tests detect them.
const BAD_PAGE: &str = "<!DOCTYPE html><title>bad</title><img src='missing.png'><img src='http://example.invalid/x.png'>
    <script>console.error('a complaint'); console.warn('a warning'); setTimeout(() => { throw new Error('a fault') })</script>";

test!(ONCE, problems_of_a_page_are_detected, Browser, |browser| {
    let folder = Folder::new();
    let page = browser.open(folder.file("bad.html", BAD_PAGE).as_ref(), &View::LAPTOP);
    let problems = page.problems().join("\n");
    for expected in ["a complaint", "a warning", "a fault", "missing.png", "example.invalid", "failed request"] {
        assert!(problems.contains(expected), "{expected} is not in {problems}");
    }
});

test!(ONCE, the_page_has_no_problems_and_sends_no_request, Browser, |browser| {
    for view in [View::LAPTOP, View::PHONE, View::LAPTOP.dark(), View::PAPER] {
        let page = browser.open_everything(&view);
        assert_eq!(page.eval("document.title"), "everything – Sudoku Census");
        assert_eq!(page.number("document.querySelectorAll('#runs tbody tr').length"), browser.runs().len() as f64);
        page.has_no_problems();
    }
});

test!(ONCE, five_hundred_runs_are_a_page_of_less_than_five_megabytes, Browser, |browser| {
    let mut sweep = Sweep::new("large");
    for puzzle in &PUZZLES {
        sweep.add(puzzle, 4, true);
    }
    assert!(sweep.runs.len() >= 500, "{} runs", sweep.runs.len());
    let path = sweep.page();
    let bytes = fs::metadata(&path).expect("a page").len();
    assert!(bytes < 5_000_000, "{bytes} bytes");
    let page = browser.open(&path, &View::LAPTOP);
    assert_eq!(page.number("document.querySelectorAll('#runs tbody tr').length"), sweep.runs.len() as f64);
    page.has_no_problems();
});

test!(ONCE, strange_names_and_commands_do_not_become_markup, Browser, |browser| {
    const STRANGE: Puzzle = Puzzle {
        file: "puzzles/a&b \"<i>' ]]> %3Cb%3E.txt",
        name: "</title></script><script>document.title = 'broken'</script><img src=x onerror=alert(1)> & \"'`",
        seconds: 1.0,
    };
    let mut sweep = Sweep::new("<b>sweep & \"more\"");
    sweep.add(&STRANGE, 2, true);
    sweep.add_failure(&STRANGE, "<script>document.title = 'broken'</script> & </li>");
    sweep.set_settings("# <script>document.title = 'broken'</script> & </pre>\n");
    let page = browser.open(&sweep.page(), &View::LAPTOP);
    page.has_no_problems();
    assert_eq!(page.eval("document.title"), "<b>sweep & \"more\" – Sudoku Census");
    assert_eq!(page.number("document.querySelectorAll('script').length"), 1.0);
    assert_eq!(page.number("document.querySelectorAll('main img, main i, h1 b').length"), 0.0);
    assert_eq!(
        page.texts("[...document.querySelectorAll('section.group h2')].map(h => h.textContent)"),
        [STRANGE.name]
    );
    let mut rows = page.texts("[...document.querySelectorAll('#runs tbody tr')].map(row => row.dataset.run)");
    rows.sort();
    let mut runs = sweep.runs.clone();
    runs.sort();
    assert_eq!(rows, runs);
    let commands = page.texts("[...document.querySelectorAll('#runs code')].map(code => code.textContent)");
    assert!(commands.iter().all(|command| command.contains(STRANGE.file)), "{commands:?}");
    let text = page.eval("document.body.textContent").to_string();
    assert!(text.contains("document.title = 'broken'</script> & </li>"), "the output of a failed run is there");
    // A point finds its row.
    page.eval("document.querySelector('figure[data-plot=time] svg').focus()");
    page.press("ArrowRight");
    assert!(sweep.runs.contains(&page.texts("[document.querySelector('#tip b').textContent]")[0]));
});

test!(ONCE, a_single_run_is_a_page_too, Browser, |browser| {
    let mut sweep = Sweep::new("single");
    sweep.add_one(&PUZZLES[0]);
    let page = browser.open(&sweep.page(), &View::LAPTOP);
    assert_eq!(page.number("document.querySelectorAll('#runs tbody tr').length"), 1.0);
    assert_eq!(page.number("document.querySelectorAll('figure[data-plot=time] .dot').length"), 1.0);
    let odd = page.texts(
        "['NaN', 'Infinity', 'inf ', 'undefined', 'null'].filter(word => document.body.innerHTML.includes(word))",
    );
    // The script contains such words.
    let own = page.texts("['NaN', 'Infinity', 'inf ', 'undefined', 'null'].filter(word => document.querySelector('script').textContent.includes(word))");
    assert!(odd.iter().all(|word| own.contains(word)), "{odd:?}");
    page.has_no_problems();
});

test!(ONCE, a_comparison_is_a_page_too, Browser, |browser| {
    let (mut first, mut second) = (Sweep::new("first"), Sweep::new("second"));
    [&mut first, &mut second].into_iter().for_each(|sweep| sweep.add(&PUZZLES[0], 3, false));
    let folder = Folder::new();
    let (first, second, output) = (first.directory(), second.directory(), folder.path("."));
    census(["report", &first, &second, "--output", &output]).run().exits(0);
    for view in [View::LAPTOP, View::PHONE.dark()] {
        let page = browser.open(folder.path("comparison.html").as_ref(), &view);
        page.screenshot(if view.dark { "comparison-phone-dark" } else { "comparison" });
        assert_eq!(page.number("document.querySelectorAll('#runs tbody tr').length"), 26.0, "a case each");
        page.has_clean_layout();
        page.is_legible();
        page.has_no_problems();
    }
});

test!(ONCE, without_scripts_the_page_is_complete, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP.without_scripts());
    let shown = "element => element.checkVisibility() && element.getBoundingClientRect().height > 0";
    let figures = page.number(&format!("[...document.querySelectorAll('figure svg')].filter({shown}).length"));
    let rows = page.number(&format!("[...document.querySelectorAll('#runs tbody tr')].filter({shown}).length"));
    assert!(figures > 20.0, "{figures} figures");
    assert_eq!(rows, browser.runs().len() as f64);
    assert_eq!(page.eval("document.querySelector('#tip').checkVisibility()"), false);
    // Sorting needs scripts.
    page.eval("document.querySelector('#runs th button').click()");
    assert_eq!(
        page.texts("[...new Set([...document.querySelectorAll('#runs th[aria-sort]')].map(th => th.ariaSort))]"),
        ["none"]
    );
    page.has_no_problems();
});
