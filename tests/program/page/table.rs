//! The table of all runs: sorting and filters.

use super::tab::{Page, View};
use crate::harness::{ONCE, test};

const ROWS: &str = "[...document.querySelectorAll('#runs tbody tr')]";

fn shown(page: &Page) -> Vec<String> {
    page.texts(&format!("{ROWS}.filter(row => row.checkVisibility()).map(row => row.dataset.run)"))
}

fn shown_count(page: &Page) -> String {
    page.texts("[document.getElementById('shown').textContent]").remove(0)
}

/// The numbers of a column, as they are shown, from top to bottom.
fn column(page: &Page, heading: &str) -> Vec<f64> {
    let texts = page.texts(&format!(
        "(() => {{ const at = [...document.querySelectorAll('#runs thead th')].findIndex(th => th.textContent === {heading:?});
           return {ROWS}.map(row => row.cells[at].textContent); }})()"
    ));
    texts.iter().map(|text| text.replace(',', "").parse().unwrap_or_else(|_| panic!("no number: {text:?}"))).collect()
}

test!(ONCE, a_column_of_numbers_is_sorted_up_and_down, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let sorts = "[...document.querySelectorAll('#runs th[aria-sort]')].map(th => th.ariaSort)";
    assert!(page.texts(sorts).iter().all(|sort| sort == "none"));
    for heading in ["seconds", "ranks", "speed-up", "nodes/s"] {
        let before = column(&page, heading);
        assert!(!before.is_sorted() || !before.iter().rev().is_sorted(), "{heading} has more than one number");
        let button = format!(
            "[...document.querySelectorAll('#runs th button')].find(button => button.textContent === {heading:?})"
        );
        for direction in ["ascending", "descending"] {
            page.click(&button);
            assert_eq!(page.texts(&format!("[{button}.closest('th').ariaSort]")), [direction]);
            let sorted = page.texts(sorts).iter().filter(|sort| *sort != "none").count();
            assert_eq!(sorted, 1, "only one column is sorted by");
            let numbers = column(&page, heading);
            let ordered = if direction == "ascending" { numbers.is_sorted() } else { numbers.iter().rev().is_sorted() };
            assert!(ordered, "{heading}, {direction}: {numbers:?}");
            assert_eq!(shown(&page).len(), browser.runs().len(), "no run is lost");
        }
    }
    page.has_no_problems();
});

test!(ONCE, a_query_hides_rows_without_its_words_and_the_rest_is_counted, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let all = browser.runs().len();
    assert_eq!(shown_count(&page), format!("{all} of {all} runs"));
    page.click("document.getElementById('filter')");
    page.write("relabel_r08");
    let expected: Vec<&String> = browser.runs().iter().filter(|run| run.contains("relabel_r08")).collect();
    let mut found = shown(&page);
    found.sort();
    assert_eq!(found.len(), 15);
    assert!(found.iter().all(|run| expected.contains(&run)), "{found:?}");
    assert_eq!(shown_count(&page), format!("15 of {all} runs"));
    // Words in any order, case and column.
    page.eval("document.getElementById('filter').select()");
    page.write("STEAL relabel_r08");
    assert_eq!((shown(&page).len(), shown_count(&page)), (3, format!("3 of {all} runs")));
    page.write(" nobody");
    assert_eq!((shown(&page).len(), shown_count(&page)), (0, format!("0 of {all} runs")));
    page.eval("document.getElementById('filter').select()");
    page.press("Delete");
    assert_eq!((shown(&page).len(), shown_count(&page)), (all, format!("{all} of {all} runs")));
    page.has_no_problems();
});

test!(ONCE, lists_hide_the_other_rows, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let all = browser.runs().len();
    let choose = |column: &str, value: &str| {
        page.eval(&format!(
            "(() => {{ const list = document.querySelector('select[data-column={column}]');
               list.value = {value:?};
               if (list.value !== {value:?}) throw new Error('no such choice');
               list.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
        ));
    };
    choose("puzzle", "goldennugget15");
    assert_eq!(shown(&page).len(), 78, "three alone, and three times five schedules on five numbers of ranks");
    choose("ranks", "4");
    let found = shown(&page);
    assert!(found.len() == 15 && found.iter().all(|run| run.starts_with("goldennugget15_r04_")), "{found:?}");
    assert_eq!(shown_count(&page), format!("15 of {all} runs"));
    choose("series", "guided");
    assert_eq!(shown(&page).len(), 3);
    // Sorting does not show hidden rows.
    page.click("document.querySelector('#runs th button')");
    assert_eq!(shown(&page).len(), 3);
    ["puzzle", "ranks", "series"].iter().for_each(|column| choose(column, ""));
    assert_eq!(shown_count(&page), format!("{all} of {all} runs"));
    page.has_no_problems();
});
