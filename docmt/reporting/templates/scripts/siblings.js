// Shows the menu of the study's other pages to a reader who comes from the study, where they all exist.
for (const menu of document.querySelectorAll("template.siblings"))
  if (new URLSearchParams(location.search).has("study")) menu.replaceWith(menu.content);
