//! The points of a figure: mouse and keyboard show their runs.

use super::tab::{Page, View};
use crate::harness::{ONCE, test};

/// The run in the tooltip, if it is visible.
fn tooltip_run(page: &Page) -> Option<String> {
    let names = page.texts(
        "(tip => !tip.checkVisibility() ? [] : [[...document.querySelectorAll('#runs tbody tr')].map(row => row.dataset.run)
           .find(run => tip.textContent.includes(run)) ?? 'no run'])(document.getElementById('tip'))",
    );
    names.into_iter().next()
}

/// The tooltip is within the window.
const TIP_FITS: &str = "(({ left, top, right, bottom }) => left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight)(document.getElementById('tip').getBoundingClientRect())";

test!(ONCE, the_mouse_on_a_point_shows_its_run, Browser, |browser| {
    let narrow = View { width: 700, ..View::LAPTOP };
    for view in [View::LAPTOP, narrow] {
        let page = browser.open_everything(&view);
        assert_eq!(tooltip_run(&page), None);
        for plot in ["time", "speedup", "efficiency"] {
            // Points cover each other: only those that the mouse can reach.
            let reached = page.eval(&format!(
                "(async () => {{
                   const picture = document.querySelector('figure[data-plot={plot}][data-puzzle=relabel] svg');
                   picture.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                   // A page gets the event of its scrolling with the next frame.
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
                assert_eq!(tooltip_run(&page).as_deref(), point[0].as_str(), "{plot}");
                assert!(page.eval(TIP_FITS) == true, "{plot}: the tooltip of {point} is not in the window");
            }
        }
        page.point_at(2.0, 2.0);
        assert_eq!(tooltip_run(&page), None, "the tooltip disappears with the mouse");
        page.has_no_problems();
    }
});

test!(ONCE, arrow_keys_select_points_and_enter_selects_the_row, Browser, |browser| {
    let page = browser.open_everything(&View::LAPTOP);
    let without_focus = page.texts("[...document.querySelectorAll('figure svg')].filter(svg => svg.querySelector('.dot') && svg.tabIndex !== 0).map(svg => svg.id)");
    assert!(without_focus.is_empty(), "pictures without keyboard focus: {without_focus:?}");

    let picture = "document.querySelector('figure[data-plot=time][data-puzzle=goldennugget15] svg')";
    page.eval(&format!("{picture}.focus()"));
    let points = page.texts(&format!("[...{picture}.querySelectorAll('.dot')].map(dot => dot.dataset.run)"));
    for (key, expected) in [("ArrowRight", 0), ("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("ArrowUp", 0)] {
        page.press(key);
        assert_eq!(tooltip_run(&page).as_ref(), Some(&points[expected]), "after {key}");
        page.until(TIP_FITS); // once the page has scrolled to the picture
    }
    page.press("ArrowLeft");
    assert_eq!(tooltip_run(&page), points.last().cloned(), "it wraps around");
    page.press("Escape");
    assert_eq!(tooltip_run(&page), None);

    // Every point once, and then the first again. Synthetic events are faster than keys.
    let selected = page.texts(&format!(
        "[...{picture}.querySelectorAll('.dot')].map((_, at, dots) => {{
           {picture}.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'ArrowRight', bubbles: true }}));
           const text = document.getElementById('tip').textContent;
           return dots.map(dot => dot.dataset.run).find(run => text.includes(run)) ?? text;
         }})"
    ));
    assert_eq!(selected, points);
    assert_eq!(tooltip_run(&page).as_ref(), points.last());

    let last = points.last().expect("a point");
    page.eval("document.getElementById('filter').value = 'nobody'; document.getElementById('filter').dispatchEvent(new Event('input'))");
    page.press("Enter");
    assert_eq!(page.texts("[document.activeElement.dataset.run ?? 'none']"), [last.as_str()], "the row has the focus");
    let in_view =
        "(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.activeElement.getBoundingClientRect())";
    page.until(in_view);
    page.has_no_problems();
});
