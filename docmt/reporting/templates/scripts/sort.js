// Sorts a table by a column: the first click puts the best or the first on top, the second turns the order around, and
// the third restores the order of the study. Headings of groups make sense in that order only, and are hidden in others.
function makeSortable(table) {
  const original = [...table.tBodies].flatMap((body) => [...body.rows]);
  headingsOfColumns(table).forEach((headings, column) => {
    const heading = headings.at(-1);
    if (!heading || heading.colSpan > 1 || !plainText(heading)) return;
    const button = make("button", { type: "button", class: "sort" }, ...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const order = nextOrder(table, heading, headings, column);
      for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
      if (order) heading.setAttribute("aria-sort", order);
      table.tBodies[0].append(...(order ? sortedRows(table, column, order) : original));
      for (const row of original) if (row.querySelector(".heading")) row.hidden = Boolean(order);
    });
  });
}

// Returns the order after the next click: numbers begin with the largest, unless less is better; words begin with A.
function nextOrder(table, heading, headings, column) {
  const isNumber = dataRows(table).some((row) => typeof valueOf(row.cells[column]) === "number");
  const isLowBetter = headings.some((above) => plainText(above).endsWith("↓"));
  const orders = isNumber && !isLowBetter ? ["descending", "ascending"] : ["ascending", "descending"];
  return [...orders, null][orders.indexOf(heading.getAttribute("aria-sort")) + 1];
}

// Returns the rows of a table in an order; cells without a value come last in both orders.
function sortedRows(table, column, order) {
  const sign = order === "ascending" ? 1 : -1;
  return dataRows(table).sort((one, other) => {
    const [first, second] = [one, other].map((row) => valueOf(row.cells[column]));
    if (first === null || second === null) return (first === null) - (second === null);
    if (typeof first === "number" && typeof second === "number") return sign * (first - second);
    return sign * String(first).localeCompare(String(second), undefined, { numeric: true });
  });
}

// Returns the value of a cell: its exact number, else the number or the text that it shows; null where it has neither.
function valueOf(cell) {
  if (!cell) return null;
  if (cell.dataset.value) return Number(cell.dataset.value);
  if (cell.querySelector(".absent")) return null;
  const text = plainText(cell).replaceAll(",", "");
  if (text === "" || text === "–") return null;
  return Number.isNaN(Number(text)) ? plainText(cell) : Number(text);
}
