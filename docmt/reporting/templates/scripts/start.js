// Adds all controls to the page.
addThemeChoice(document.querySelector("header"));
for (const main of document.querySelectorAll("main[data-systems]")) addSystemChoice(main);
document.querySelectorAll("table.scores, table.map").forEach(readCells);
document.querySelectorAll("svg:has(.readings)").forEach(readPoints);
for (const table of document.querySelectorAll(TOOLED)) {
  makeSortable(table);
  makeFilterable(table);
  makeSavable(table);
}
document.body.append(tip);
document.addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
