"use strict";
// Functions that several scripts of a page need. Scripts only add to a page: without them nothing of it is missing.
const TOOLED = "table.scores, table.sortable, table.runs-table";

// Returns a new element with attributes and content.
function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

// Returns the text of an element in one line.
function plainText(element) {
  return element.textContent.replace(/\s+/g, " ").trim();
}

// Returns, for each column of a table, its headings from the first row of the head to the last.
function headingsOfColumns(table) {
  const columns = [];
  [...table.tHead.rows].forEach((row, number) => {
    let place = 0;
    for (const heading of row.cells) {
      while (columns[place]?.[number]) place += 1;
      for (let across = 0; across < heading.colSpan; across += 1, place += 1)
        for (let down = 0; down < heading.rowSpan; down += 1) (columns[place] ??= [])[number + down] = heading;
    }
  });
  return columns.map((headings) => [...new Set(headings)]);
}

// Returns the rows of a table's body that are no headings of groups.
function dataRows(table) {
  return [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !row.querySelector(".heading"));
}

// Returns the line of controls above a table; all scripts share it.
function toolsOf(table) {
  const region = table.closest(".scroll") ?? table;
  if (!region.previousElementSibling?.matches(".tools"))
    region.before(make("div", { class: "control tools" }));
  return region.previousElementSibling;
}
