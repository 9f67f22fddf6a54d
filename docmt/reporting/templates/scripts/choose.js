// Lets a reader choose the systems of a page: rows, columns, lines of figures and keys of the others are hidden. The
// choice is in the address, and in the links to other pages, so that they show the same; one system is always shown.
function addSystemChoice(main) {
  const systems = JSON.parse(main.dataset.systems);
  if (systems.length < 2) return;
  const boxes = systems.map(([name]) => make("input", { type: "checkbox", value: name }));
  const labels = systems.map(([name, label], number) =>
    make("label", {}, boxes[number], ` ${label} `, ...(label === name ? [] : [make("span", { class: "key" }, name)])));
  const all = make("button", { type: "button" }, "all");
  const choice = make("details", { class: "control choose" }, make("summary", {}, "Choose systems"),
    make("fieldset", {}, make("legend", {}, "Systems on this page"), ...labels, all));
  const apply = (chosen) => {
    const names = new Set(chosen.length ? chosen : systems.map(([name]) => name));
    for (const box of boxes) {
      box.checked = names.has(box.value);
      box.disabled = box.checked && names.size === 1;
    }
    showSystems(names, new Set(systems.map(([name]) => name)));
    keepInAddress(names.size === systems.length ? [] : [...names]);
  };
  for (const box of boxes)
    box.addEventListener("change", () => apply(boxes.filter(({ checked }) => checked).map(({ value }) => value)));
  all.addEventListener("click", () => apply([]));
  main.prepend(choice);
  const asked = new URLSearchParams(location.search).get("systems")?.split(",") ?? [];
  apply(asked.filter((name) => systems.some(([other]) => other === name)));
}

// Hides everything that belongs to systems of the page of which none is chosen.
function showSystems(chosen, systems) {
  for (const element of document.querySelectorAll("[data-system]")) {
    const names = element.dataset.system.split(" ").filter((name) => systems.has(name));
    element.classList.toggle("unchosen", names.length > 0 && !names.some((name) => chosen.has(name)));
  }
}

function keepInAddress(names) {
  const withChoice = (href) => {
    const address = new URL(href);
    if (names.length) address.searchParams.set("systems", names.join(","));
    else address.searchParams.delete("systems");
    return address.href;
  };
  if (withChoice(location.href) !== location.href) history.replaceState(null, "", withChoice(location.href));
  for (const link of document.querySelectorAll('a[href*=".html"]'))
    if (withChoice(link.href) !== link.href) link.href = withChoice(link.href);
}
