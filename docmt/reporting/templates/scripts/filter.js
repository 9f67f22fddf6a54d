// Hides the rows of a long table that do not have the words of a field above it.
const FEW_ROWS = 6;

function makeFilterable(table) {
  const rows = dataRows(table);
  if (rows.length <= FEW_ROWS) return;
  const name = table.closest("[aria-label]")?.getAttribute("aria-label") ?? "the table";
  const field = make("input", { type: "search", placeholder: "filter rows", "aria-label": `filter rows of ${name}` });
  const count = make("span", { role: "status" });
  field.addEventListener("input", () => {
    const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = plainText(row).toLocaleLowerCase();
      row.classList.toggle("filtered-out", !words.every((word) => text.includes(word)));
    }
    const left = rows.filter((row) => !row.classList.contains("filtered-out")).length;
    count.textContent = words.length ? `${left} of ${rows.length} rows` : "";
  });
  toolsOf(table).append(field, count);
}
