//! The points of a figure: each tells its run, to the mouse and to the keyboard.

use super::tab::{Page, View};
use crate::harness::{ONCE, test};

/// The run that the tip names, if it is to be seen.
fn told(page: &Page) -> Option<String> {
    let names = page.texts(
        "(tip => !tip.checkVisibility() ? [] : [[...document.querySelectorAll('#runs tbody tr')].map(row => row.dataset.run)
           .find(run => tip.textContent.includes(run)) ?? 'no run'])(document.getElementById('tip'))",
    );
    names.into_iter().next()
}

/// The tip is within the window.
const TIP_FITS: &str = "(({ left, top, right, bottom }) => left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight)(document.getElementById('tip').getBoundingClientRect())";

test!(ONCE, the_mouse_on_a_point_tells_its_run, Browser, |browser| {
    let narrow = View { width: 700, ..View::LAPTOP };
    for view in [View::LAPTOP, narrow] {
        let page = browser.open_everything(&view);
        assert_eq!(told(&page), None);
        for plot in ["time", "speedup", "efficiency"] {
            // Points cover each other: those that the mouse can reach.
            let reached = page.eval(&format!(
                "(async () => {{
                   const picture = document.querySelector('figure[data-plot={plot}][data-puzzle=relabel] svg');
                   picture.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                   // A page hears of its own scrolling with the next picture.
                   await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
                   const middle = dot => {{ const r = dot.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }};
                   const dots = [...picture.querySelectorAll('.dot')].map(dot => [dot, ...middle(dot)]);
                   const free = dots.filter(([dot, x, y]) => {{ const top = document.elementFromPoint(x, y); return top && top.closest('.dot') === dot; }});
                   return free.map(([dot, x, y]) => [dot.dataset.run, x, y]);
                 }})()"
            ));
            let reached = reached.as_array().expect("a list");
            assert!(reached.len() >= 5, "{plot}: the mouse reaches {} points", reached.len());
            for point in reached.iter().step_by(reached.len() / 5) {
                page.point_at(point[1].as_f64().expect("x"), point[2].as_f64().expect("y"));
                assert_eq!(told(&page).as_deref(), point[0].as_str(), "{plot}");
                assert!(page.eval(TIP_FITS) == true, "{plot}: the tip of {point} is not in the window");
            }
        }
        page.point_at(2.0, 2.0);
        assert_eq!(told(&page), None, "the tip goes with the mouse");
        page.is_quiet();
    }
});

test!(ONCE, arrow_keys_walk_from_point_to_point_and_enter_goes_to_the_row, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let closed = page.texts("[...document.querySelectorAll('figure svg')].filter(svg => svg.querySelector('.dot') && svg.tabIndex !== 0).map(svg => svg.id)");
    assert!(closed.is_empty(), "pictures that the keyboard does not reach: {closed:?}");

    let picture = "document.querySelector('figure[data-plot=time][data-puzzle=goldennugget15] svg')";
    page.eval(&format!("{picture}.focus()"));
    let points = page.texts(&format!("[...{picture}.querySelectorAll('.dot')].map(dot => dot.dataset.run)"));
    for (key, expected) in [("ArrowRight", 0), ("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("ArrowUp", 0)] {
        page.press(key);
        assert_eq!(told(&page).as_ref(), Some(&points[expected]), "after {key}");
        page.until(TIP_FITS); // once the page has scrolled to the picture
    }
    page.press("ArrowLeft");
    assert_eq!(told(&page), points.last().cloned(), "it goes around");
    page.press("Escape");
    assert_eq!(told(&page), None);

    // Every point once, and then from the first again. Real keys would take a minute.
    let walked = page.texts(&format!(
        "[...{picture}.querySelectorAll('.dot')].map((_, at, dots) => {{
           {picture}.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'ArrowRight', bubbles: true }}));
           const said = document.getElementById('tip').textContent;
           return dots.map(dot => dot.dataset.run).find(run => said.includes(run)) ?? said;
         }})"
    ));
    assert_eq!(walked, points);
    assert_eq!(told(&page).as_ref(), points.last());

    let last = points.last().expect("a point");
    page.eval("document.getElementById('filter').value = 'nobody'; document.getElementById('filter').dispatchEvent(new Event('input'))");
    page.press("Enter");
    assert_eq!(page.texts("[document.activeElement.dataset.run ?? 'none']"), [last.as_str()], "the row has the focus");
    let in_view =
        "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.activeElement.getBoundingClientRect())";
    page.until(in_view);
    page.is_quiet();
});
