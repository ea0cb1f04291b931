"use strict";
// Sorts and filters the table of runs, hides series, and shows the run of a point.
(() => {
  const table = document.getElementById("runs");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const row_of = new Map(rows.map((row) => [row.dataset.run, row]));

  // Sorting: numbers by value, text alphabetically. The sort is stable.
  const headings = Array.from(table.tHead.rows[0].cells);
  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.n === undefined ? cell.textContent : Number(cell.dataset.n);
  };
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
  headings.forEach((heading, column) => {
    const button = heading.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      headings.forEach((other) => other.hasAttribute("aria-sort") && other.setAttribute("aria-sort", "none"));
      heading.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      rows.sort((a, b) => sign * order(key(a, column), key(b, column)));
      body.append(...rows);
    });
  });

  // Filters: a row is shown if it contains all words of the query and the value of each list.
  const query = document.getElementById("filter");
  const lists = Array.from(document.querySelectorAll("select[data-column]"));
  const shown = document.getElementById("shown");
  const filter = () => {
    const wanted = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const listed = lists.every((list) => !list.value || row.cells[list.dataset.index].textContent === list.value);
      row.hidden = !(listed && wanted.every((word) => text.includes(word)));
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = `${count} of ${rows.length} runs`;
  };
  if (query) {
    query.addEventListener("input", filter);
    lists.forEach((list) => list.addEventListener("change", filter));
    if (query.value || lists.some((list) => list.value)) filter(); // a browser may restore them
  }

  // Legend: hides a series in all pictures of its section.
  for (const button of document.querySelectorAll(".legend button")) {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") === "false";
      button.setAttribute("aria-pressed", String(on));
      const elements = button.closest("section").querySelectorAll(`figure svg .s${button.dataset.series}`);
      elements.forEach((element) => element.classList.toggle("off", !on));
    });
  }

  // Points: the mouse, a touch or an arrow key shows the run of a point.
  const tip = document.getElementById("tip");
  let current = null;
  const hide = () => {
    if (current) current.classList.remove("on");
    current = null;
    tip.hidden = true;
  };
  const show = (dot) => {
    hide();
    const row = row_of.get(dot.dataset.run);
    current = dot;
    dot.classList.add("on");
    const name = document.createElement("b");
    name.textContent = dot.dataset.run;
    tip.replaceChildren(name);
    headings.slice(1, row.cells.length - 1).forEach((heading, index) => {
      tip.append(`${index ? " · " : ""}${heading.textContent} ${row.cells[index + 1].textContent}`);
    });
    tip.hidden = false;
    place();
  };
  const place = () => {
    const at = current.getBoundingClientRect();
    const left = Math.min(Math.max(4, at.left + 12), innerWidth - tip.offsetWidth - 4);
    const below = at.bottom + 10 + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, below ? at.bottom + 10 : at.top - tip.offsetHeight - 10)}px`;
  };
  const go = (dot) => {
    const row = row_of.get(dot.dataset.run);
    if (row.hidden) {
      query.value = "";
      lists.forEach((list) => (list.value = ""));
      filter();
    }
    rows.forEach((other) => other.classList.toggle("on", other === row));
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
  };
  document.addEventListener("pointerover", (event) => {
    const dot = event.target.closest && event.target.closest(".dot");
    if (dot) show(dot);
    else if (current && !current.closest("svg").matches(":focus")) hide();
  });
  document.addEventListener("click", (event) => {
    const dot = event.target.closest && event.target.closest(".dot");
    if (dot) go(dot);
  });
  for (const picture of document.querySelectorAll("figure svg[tabindex]")) {
    picture.addEventListener("keydown", (event) => {
      const dots = Array.from(picture.querySelectorAll(".dot:not(.off)"));
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      if (event.key in steps && dots.length) {
        const at = dots.indexOf(current);
        const next = at < 0 ? (steps[event.key] > 0 ? 0 : dots.length - 1) : (at + steps[event.key] + dots.length) % dots.length;
        show(dots[next]);
        event.preventDefault();
      } else if (event.key === "Enter" && current) {
        go(current);
      } else if (event.key === "Escape") {
        hide();
      }
    });
    picture.addEventListener("blur", hide);
  }
  addEventListener("scroll", () => current && (current.closest("svg").matches(":focus") ? place() : hide()), { passive: true });
})();
