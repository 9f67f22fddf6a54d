// Shows the value at which a reader points, or to which the arrow keys move: points of figures, and cells of tables with
// further facts. Escape closes it.
const tip = make("div", { class: "control tip", id: "tip", role: "tooltip", "aria-live": "polite" });
tip.hidden = true;

// How far each arrow key moves among the points of a figure, or among the cells of a table.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// Shows what is known of an element beside it.
function showTip(target, text, from = target) {
  tip.textContent = text;
  tip.hidden = false;
  from.setAttribute("aria-describedby", "tip");
  const { left, top, bottom, width } = target.getBoundingClientRect();
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  const above = top - tip.offsetHeight - 6;
  tip.style.left = `${Math.max(8, Math.min(left + width / 2 - tip.offsetWidth / 2, room)) + scrollX}px`;
  tip.style.top = `${(above < 0 ? bottom + 6 : above) + scrollY}px`;
}

function hideTip() {
  tip.hidden = true;
  for (const element of document.querySelectorAll("[aria-describedby=tip]")) element.removeAttribute("aria-describedby");
}

// Returns the text of a point of a figure.
function textOfPoint(point) {
  return `${point.parentElement.dataset.label}, ${point.dataset.label}: ${point.dataset.value}`;
}

// Lets the arrow keys move among the points of a figure while it has the focus.
function readPoints(figure) {
  const points = () => [...figure.querySelectorAll(".readings g:not(.unchosen) > circle")];
  let place = -1;
  const show = () => showTip(points()[place], textOfPoint(points()[place]), figure);
  figure.setAttribute("tabindex", "0");
  figure.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (!step || !points().length) return;
    event.preventDefault();
    place = (Math.max(place, step < 0 ? 0 : -1) + step + points().length) % points().length;
    show();
  });
  figure.addEventListener("blur", hideTip);
  figure.addEventListener("pointerover", ({ target }) => target.matches("circle") && showTip(target, textOfPoint(target), figure));
  figure.addEventListener("pointerout", hideTip);
}

// Lets a reader point at cells with facts, or move among them by arrow keys; the Tab key stops once at a table.
function readCells(table) {
  const cells = [...table.querySelectorAll("td")].filter((cell) => cell.querySelector("[title]"));
  cells.forEach((cell, number) => {
    const marks = [...cell.querySelectorAll("[title]")];
    const exact = cell.dataset.value ? [Number(Number(cell.dataset.value).toPrecision(6))] : [];
    const text = [...new Set([...exact, ...marks.map((mark) => mark.title)])].join("; ");
    for (const mark of marks) mark.removeAttribute("title");
    cell.tabIndex = number ? -1 : 0;
    for (const event of ["pointerenter", "focus"]) cell.addEventListener(event, () => showTip(cell, text));
    for (const event of ["pointerleave", "blur"]) cell.addEventListener(event, hideTip);
    cell.addEventListener("keydown", (event) => {
      const next = cells[number + (STEPS[event.key] ?? NaN)];
      if (!next) return;
      event.preventDefault();
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  });
}
