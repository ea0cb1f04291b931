//! How the page looks: in the light and in the dark, on a phone, on a laptop, on paper.

use super::tab::View;
use crate::harness::{ONCE, test};

test!(ONCE, dark_and_light_differ_and_all_text_can_be_read_in_both, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let mut grounds = Vec::new();
    for (name, view) in [("light", View::LAPTOP), ("dark", View::LAPTOP.dark())] {
        page.look(&view);
        grounds.push(
            page.texts("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"),
        );
        page.can_be_read();
        // So does what the mouse shows.
        page.eval("document.querySelector('figure svg').focus()");
        page.press("ArrowRight");
        page.can_be_read();
        page.press("Escape");
        page.picture(name);
    }
    assert_ne!(grounds[0], grounds[1]);
    page.is_quiet();
});

test!(ONCE, a_phone_shows_it_without_scrolling_sideways, Browser, |browser| {
    let page = browser.open_everything(&View::PHONE);
    page.picture("phone");
    page.is_tidy();
    page.can_be_read();
    page.look(&View::PHONE.dark());
    page.picture("phone-dark");
    page.is_quiet();
});

test!(ONCE, a_laptop_shows_it_without_scrolling_sideways, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    page.picture("laptop");
    page.is_tidy();
    page.is_quiet();
});

test!(ONCE, it_can_be_printed, Browser, |browser| {
    // Whoever prefers dark pages does not want black paper.
    let page = browser.open_everything(&View::PAPER.dark());
    page.picture("print");
    let pdf = page.print("print");
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 50_000, "{} bytes", pdf.len());
    assert_eq!(page.eval("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    page.can_be_read();
    page.is_tidy();
    // Paper is narrow, but a word is a word.
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
    // Nothing is left in a box that would have to be scrolled.
    let boxes = page.texts(
        "[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && e.scrollHeight > e.clientHeight + 1
           && ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowY)).map(e => e.outerHTML.slice(0, 100))",
    );
    assert!(boxes.is_empty(), "{boxes:#?}");
    page.is_quiet();
});
