// Marks the section that is being read in the page's own list of sections, at the right.
"use strict";

addEventListener("DOMContentLoaded", () => {
  const links = new Map([...document.querySelectorAll('.page-toc a[href^="#"]')].map((one) => [one.hash.slice(1), one]));
  const headings = [...document.querySelectorAll("section[id] > :is(h2, h3)")].filter((one) => links.has(one.parentElement.id));
  function mark() {
    const read = headings.filter((one) => one.getBoundingClientRect().top < innerHeight / 3).at(-1);
    for (const [id, link] of links) {
      link.classList.toggle("active", id === read?.parentElement.id);
      link.toggleAttribute("aria-current", id === read?.parentElement.id);
    }
  }
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();
});
