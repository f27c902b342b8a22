// Marks the section that is being read in the page's own list of sections, at the right.
"use strict";

addEventListener("DOMContentLoaded", () => {
  const listed = [...document.querySelectorAll('.page-toc a[href^="#"]')];
  const links = new Map(listed.map((one) => [one.hash.slice(1), one]));
  const headings = [...document.querySelectorAll("section[id] > :is(h2, h3)")]
    .filter((one) => links.has(one.parentElement.id));
  const isAbove = (one) => one.getBoundingClientRect().top < innerHeight / 3;
  function mark() {
    const read = headings.filter(isAbove).at(-1)?.parentElement.id;
    for (const [id, link] of links) {
      link.classList.toggle("active", id === read);
      if (id === read) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  }
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();
});
