//! How the page looks: in the light and in the dark, on a phone, on a laptop, on paper.

use crate::browser::Browser;
use crate::sweep::Sweep;
use crate::tab::{Page, View};

/// All texts whose colour is too near to what is behind them, with the contrast by the rules of WCAG. A canvas tells what a
/// colour is, however it is written.
const TOO_FAINT: &str = "(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    canvas.canvas.width = canvas.canvas.height = 1;
    const known = new Map();
    const rgba = colour => {
        if (!known.has(colour)) {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
            known.set(colour, [r, g, b, a / 255]);
        }
        return known.get(colour);
    };
    const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
    const behind = element => {
        const layers = [];
        for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
        return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
    };
    const light = rgb => rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const faint = [];
    for (const element of document.querySelectorAll('body *')) {
        const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data).join('').trim();
        if (!text || ['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName) || !element.checkVisibility()) continue;
        const style = getComputedStyle(element), ground = behind(element);
        let [r, g, b, a] = rgba(element instanceof SVGElement ? style.fill : style.color);
        for (let at = element; at; at = at.parentElement) a *= getComputedStyle(at).opacity;
        const [low, high] = [light(over([r, g, b, a], ground)), light(ground)].sort((x, y) => x - y);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < 4.5) faint.push(`${element.tagName}.${element.getAttribute('class')} ${contrast.toFixed(2)}: ${text.slice(0, 40)}`);
    }
    return faint;
})()";

/// What reaches beyond the right edge of the window, and is not in a box of its own that scrolls.
const TOO_WIDE: &str = "[...document.querySelectorAll('body *')].filter(element => {
    const { right, width, height } = element.getBoundingClientRect();
    if (!width || !height || right <= innerWidth + 0.5) return false;
    for (let at = element.parentElement; at; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible' && at.getBoundingClientRect().right <= innerWidth + 0.5) return false;
    return true;
}).map(element => element.outerHTML.slice(0, 120))";

/// Texts of a picture that lie upon each other, or that its edge cuts.
const TANGLED: &str = "[...document.querySelectorAll('figure svg[role=img]')].flatMap(svg => {
    const figure = svg.closest('figure').dataset, whole = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter(t => t.checkVisibility() && t.textContent.trim())
        .map(t => [t.textContent, t.getBoundingClientRect()]);
    const tells = words => `${figure.puzzle} ${figure.plot}: ${words}`;
    const cut = texts.filter(([, r]) => r.left < whole.left - 1 || r.right > whole.right + 1 || r.top < whole.top - 1 || r.bottom > whole.bottom + 1)
        .map(([text]) => tells(`${text} is cut`));
    const upon = texts.flatMap(([a, r], i) => texts.slice(i + 1)
        .filter(([, s]) => Math.min(r.right, s.right) - Math.max(r.left, s.left) > 1 && Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top) > 3)
        .map(([b]) => tells(`${a} and ${b} overlap`)));
    return [...cut, ...upon];
})";

#[track_caller]
fn is_tidy(page: &Page) {
    let (own, window) = (page.number("document.scrollingElement.scrollWidth"), page.number("innerWidth"));
    let wide = page.texts(TOO_WIDE);
    assert!(own <= window && wide.is_empty(), "{own} of {window} pixels: {wide:#?}");
    let tangled = page.texts(TANGLED);
    assert!(tangled.is_empty(), "{tangled:#?}");
}

pub fn dark_and_light_differ_and_all_text_can_be_read_in_both(browser: &Browser) {
    let sweep = Sweep::of_everything();
    let page = browser.open(&sweep.page(), &View::LAPTOP);
    let mut grounds = Vec::new();
    for (name, view) in [("light", View::LAPTOP), ("dark", View::LAPTOP.dark())] {
        page.look(&view);
        grounds.push(
            page.texts("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"),
        );
        let faint = page.texts(TOO_FAINT);
        assert!(faint.is_empty(), "{name}: {faint:#?}");
        // So does what the mouse shows.
        page.eval("document.querySelector('figure svg').focus()");
        page.press("ArrowRight");
        let faint = page.texts(TOO_FAINT);
        assert!(faint.is_empty(), "{name}, with a tip: {faint:#?}");
        page.press("Escape");
        page.picture(name);
    }
    assert_ne!(grounds[0], grounds[1]);
    page.is_quiet();
}

pub fn a_phone_shows_it_without_scrolling_sideways(browser: &Browser) {
    let sweep = Sweep::of_everything();
    let page = browser.open(&sweep.page(), &View::PHONE);
    page.picture("phone");
    is_tidy(&page);
    page.look(&View::PHONE.dark());
    page.picture("phone-dark");
    page.is_quiet();
}

pub fn a_laptop_shows_it_without_scrolling_sideways(browser: &Browser) {
    let sweep = Sweep::of_everything();
    let page = browser.open(&sweep.page(), &View::LAPTOP);
    page.picture("laptop");
    is_tidy(&page);
    page.is_quiet();
}

pub fn it_can_be_printed(browser: &Browser) {
    let sweep = Sweep::of_everything();
    // Whoever prefers dark pages does not want black paper.
    let page = browser.open(&sweep.page(), &View::PAPER.dark());
    page.picture("print");
    let pdf = page.print("print");
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 50_000, "{} bytes", pdf.len());
    assert_eq!(page.eval("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    let faint = page.texts(TOO_FAINT);
    assert!(faint.is_empty(), "{faint:#?}");
    is_tidy(&page);
    // Nothing is left in a box that would have to be scrolled.
    let boxes = page.texts(
        "[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && e.scrollHeight > e.clientHeight + 1
           && ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowY)).map(e => e.outerHTML.slice(0, 100))",
    );
    assert!(boxes.is_empty(), "{boxes:#?}");
    page.is_quiet();
}
