// Keys: an element that names one in data-key is clicked, or focused where it takes text. Pages work without this.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select")) return;
  for (const element of document.querySelectorAll("[data-key]")) {
    if (element.dataset.key !== event.key) continue;
    event.preventDefault();
    if (element.matches("input, textarea")) element.focus();
    else element.click();
    return;
  }
});

// A console that is away is told by the browser.
document.addEventListener("htmx:sendError", () => location.reload());
