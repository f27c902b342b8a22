// What is wider than its place scrolls, and arrow keys must reach it: it takes the focus, but only while it is wider.
"use strict";

addEventListener("DOMContentLoaded", () => {
  const inside = "pre, .norch-figure, .library, .pst-scrollable-table-container, div.math, .output";
  const watcher = new ResizeObserver((changed) => changed.forEach(({ target }) => reach(target)));
  function reach(place) {
    if (place.scrollWidth > place.clientWidth + 1) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  }
  for (const one of document.querySelectorAll(`.bd-article :is(${inside})`)) watcher.observe(one); // folded ones when opened
});
