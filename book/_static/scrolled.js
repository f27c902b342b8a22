// What is wider or taller than its place scrolls, and arrow keys must reach it: it takes the focus,
// but only while it scrolls.
"use strict";

addEventListener("DOMContentLoaded", () => {
  const inside = "pre, .norch-figure, .library, .pst-scrollable-table-container, div.math, .output";
  const watcher = new ResizeObserver((changed) => changed.forEach(({ target }) => reach(target)));
  function isTaller(place) {
    const cut = ["auto", "scroll"].includes(getComputedStyle(place).overflowY);
    return cut && place.scrollHeight > place.clientHeight + 1;
  }
  function reach(place) {
    if (place.scrollWidth > place.clientWidth + 1 || isTaller(place)) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  }
  const places = document.querySelectorAll(`.bd-article :is(${inside})`);
  for (const one of places) watcher.observe(one); // folded ones when opened
});
