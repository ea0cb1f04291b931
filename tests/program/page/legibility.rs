//! Rules of legibility and layout: contrast and size of text, no overlapping or cut text, nothing wider than the page.

use super::tab::Page;

/// Texts with a low contrast by the rules of WCAG. A canvas converts any CSS colour to RGBA.
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

/// Elements beyond the right edge of the page that are not in a box that scrolls. The width of the window is not enough: a phone
/// shrinks the page until the widest element fits.
const TOO_WIDE: &str = "[...document.querySelectorAll('body *')].filter(element => {
    const edge = document.documentElement.clientWidth + 0.5;
    const { right, width, height } = element.getBoundingClientRect();
    if (!width || !height || right <= edge) return false;
    for (let at = element.parentElement; at; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible' && at.getBoundingClientRect().right <= edge) return false;
    return true;
}).map(element => element.outerHTML.slice(0, 120))";

/// Texts of a picture that overlap, or that are cut at its edge.
const OVERLAPPING: &str = "[...document.querySelectorAll('figure svg[role=img]')].flatMap(svg => {
    const figure = svg.closest('figure').dataset, bounds = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].filter(t => t.checkVisibility() && t.textContent.trim())
        .map(t => [t.textContent, t.getBoundingClientRect()]);
    const named = text => `${figure.puzzle} ${figure.plot}: ${text}`;
    const cut = texts.filter(([, r]) => r.left < bounds.left - 1 || r.right > bounds.right + 1 || r.top < bounds.top - 1 || r.bottom > bounds.bottom + 1)
        .map(([text]) => named(`${text} is cut`));
    const overlaps = texts.flatMap(([a, r], i) => texts.slice(i + 1)
        .filter(([, s]) => Math.min(r.right, s.right) - Math.max(r.left, s.left) > 1 && Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top) > 3)
        .map(([b]) => named(`${a} and ${b} overlap`)));
    return [...cut, ...overlaps];
})";

/// Texts smaller than eight pixels. A picture is scaled together with its texts.
const TOO_SMALL: &str = "[...document.querySelectorAll('body *')].filter(element =>
    element.checkVisibility() && [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())
        && !['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName)
).map(element => {
    const matrix = element instanceof SVGGraphicsElement ? element.getScreenCTM() : null;
    const scale = matrix ? Math.hypot(matrix.b, matrix.d) : 1;
    return [element, parseFloat(getComputedStyle(element).fontSize) * scale];
}).filter(([, size]) => size < 8).map(([element, size]) => {
    const figure = element.closest('figure');
    return `${figure ? figure.dataset.plot : element.tagName} ${size.toFixed(1)} px: ${element.textContent.slice(0, 40)}`;
}).slice(0, 20)";

impl Page<'_> {
    /// All text has a contrast of at least 4.5 and a size of at least eight pixels.
    #[track_caller]
    pub fn is_legible(&self) {
        let (faint, small) = (self.texts(TOO_FAINT), self.texts(TOO_SMALL));
        assert!(faint.is_empty() && small.is_empty(), "too faint: {faint:#?}\ntoo small: {small:#?}");
    }

    /// The page is no wider than its window, and texts of pictures are not cut and do not overlap.
    #[track_caller]
    pub fn has_clean_layout(&self) {
        let (wide, overlapping) = (self.texts(TOO_WIDE), self.texts(OVERLAPPING));
        assert!(wide.is_empty() && overlapping.is_empty(), "too wide: {wide:#?}\noverlapping: {overlapping:#?}");
        let own = self.number("document.scrollingElement.scrollWidth");
        let window = self.number("document.documentElement.clientWidth");
        assert!(own <= window, "the page is {own} pixels wide, its window {window}");
    }
}
