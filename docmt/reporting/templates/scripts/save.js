// Saves a table as CSV as it is now: sorted, and without the rows and columns that are hidden.
function makeSavable(table) {
  const button = make("button", { type: "button" }, "Save as CSV");
  button.addEventListener("click", () => {
    const item = table.closest("[id]")?.id.replace(/^item-/, "") ?? "table";
    const address = URL.createObjectURL(new Blob([asCsv(table)], { type: "text/csv" }));
    make("a", { href: address, download: `${item}.csv` }).click();
    URL.revokeObjectURL(address);
  });
  toolsOf(table).append(button);
}

// Returns the visible cells of a table as CSV; numbers are not rounded.
function asCsv(table) {
  const isVisible = (element) => element.checkVisibility();
  const columns = headingsOfColumns(table);
  const places = [...columns.keys()].filter((place) => isVisible(columns[place].at(-1)));
  const head = places.map((place) => columns[place].map(textInCsv).filter(Boolean).join(" "));
  const rows = dataRows(table).filter(isVisible).map((row) => places.map((place) => row.cells[place]));
  const lines = [head, ...rows.map((cells) => cells.map((cell) => cell?.dataset.value ?? (cell ? textInCsv(cell) : "")))];
  return lines.map((line) => line.map(quotedForCsv).join(",") + "\n").join("");
}

// Returns the text of a cell without footnote marks, and without the name of the system behind a label.
function textInCsv(cell) {
  const copy = cell.cloneNode(true);
  for (const further of copy.querySelectorAll(".mark, .system")) further.remove();
  return plainText(copy);
}

// Quotes a cell, and shields what a spreadsheet program would compute, as docmt/base/spreadsheets.py does.
function quotedForCsv(text) {
  const cell = isComputed.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const isComputed = /^'*[\s"\u200b-\u200f\u2060\ufeff]*[\t\r\n=+\-@＝＋－＠]/;
const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
