//! The page in light and dark colours, on a phone, a laptop and paper.

use super::tab::View;
use crate::harness::{ONCE, test};

test!(ONCE, dark_and_light_colours_differ_and_both_are_legible, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let mut colours = Vec::new();
    for (name, view) in [("light", View::LAPTOP), ("dark", View::LAPTOP.dark())] {
        page.set_view(&view);
        colours.push(
            page.texts("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"),
        );
        page.is_legible();
        // The tooltip of a point.
        page.eval("document.querySelector('figure svg').focus()");
        page.press("ArrowRight");
        page.is_legible();
        page.press("Escape");
        page.screenshot(name);
    }
    assert_ne!(colours[0], colours[1]);
    page.has_no_problems();
});

test!(ONCE, on_a_phone_it_does_not_scroll_sideways, Browser, |browser| {
    let page = browser.open_everything(&View::PHONE);
    page.screenshot("phone");
    page.has_clean_layout();
    page.is_legible();
    page.set_view(&View::PHONE.dark());
    page.screenshot("phone-dark");
    page.has_no_problems();
});

test!(ONCE, on_a_laptop_it_does_not_scroll_sideways, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    page.screenshot("laptop");
    page.has_clean_layout();
    page.has_no_problems();
});

test!(ONCE, it_can_be_printed, Browser, |browser| {
    // Paper is white, whatever colours the user prefers.
    let page = browser.open_everything(&View::PAPER.dark());
    page.screenshot("print");
    let pdf = page.print("print");
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 50_000, "{} bytes", pdf.len());
    assert_eq!(page.eval("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    page.is_legible();
    page.has_clean_layout();
    // No word is broken.
    let broken = page.texts(
        "[...document.querySelectorAll('thead th')].flatMap(th => [...(th.querySelector('button') ?? th).childNodes])
           .filter(node => node.nodeType === 3 && node.parentElement.checkVisibility()).flatMap(node =>
             [...node.data.matchAll(/[^\\s-]+/g)].filter(word => {
               const range = document.createRange();
               range.setStart(node, word.index);
               range.setEnd(node, word.index + word[0].length);
               return new Set([...range.getClientRects()].map(line => Math.round(line.top))).size > 1;
             }).map(([word]) => word))",
    );
    assert!(broken.is_empty(), "words on two lines: {broken:?}");
    // No content is in a box that scrolls.
    let boxes = page.texts(
        "[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && e.scrollHeight > e.clientHeight + 1
           && ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowY)).map(e => e.outerHTML.slice(0, 100))",
    );
    assert!(boxes.is_empty(), "{boxes:#?}");
    page.has_no_problems();
});
