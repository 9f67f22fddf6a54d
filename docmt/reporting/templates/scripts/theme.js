// Lets a reader choose light or dark colours; without a choice the device chooses.
function addThemeChoice(header) {
  const key = "docmt-theme";
  const choice = make("select", { "aria-label": "colours of the page", class: "control theme" });
  for (const [value, text] of [["", "colours: auto"], ["light", "colours: light"], ["dark", "colours: dark"]])
    choice.append(make("option", { value }, text));
  const apply = (value) => {
    if (value) document.documentElement.dataset.theme = value;
    else delete document.documentElement.dataset.theme;
    choice.value = value;
  };
  choice.addEventListener("change", () => {
    apply(choice.value);
    remember(key, choice.value);
  });
  apply(["light", "dark"].includes(recall(key)) ? recall(key) : "");
  header.prepend(choice);
}

// A browser may forbid that a page stores anything; then the choice holds until the page is closed.
function remember(key, value) {
  try { localStorage.setItem(key, value); } catch { /* nothing is remembered */ }
}

function recall(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}
