// The pages of the library: a field that narrows the list of names, and names that open when linked to.
//
// It works on what the page holds already; without JavaScript all names stand there.
"use strict";

(() => {
  function narrow(root, text) {
    const wanted = text.trim().toLowerCase();
    let count = 0;
    for (const module of root.querySelectorAll(".module")) {
      const name = module.querySelector("h2").textContent;
      let found = 0;
      for (const link of module.querySelectorAll("a")) {
        link.hidden = !`${name}.${link.textContent}`.toLowerCase().includes(wanted);
        found += link.hidden ? 0 : 1;
      }
      module.hidden = found === 0;
      count += found;
    }
    root.querySelector("[role=status]").textContent = `${count} name${count === 1 ? "" : "s"}`;
    return [...root.querySelectorAll("a:not([hidden])")].filter((one) => !wanted || one.textContent.toLowerCase() === wanted);
  }

  function unfold() {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named?.matches("details.name")) {
      named.open = true;
      named.scrollIntoView();
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    unfold();
    addEventListener("hashchange", unfold);
    for (const root of document.querySelectorAll(".library-names")) {
      const field = root.querySelector("input");
      field.addEventListener("input", () => narrow(root, field.value));
      field.addEventListener("keydown", (event) => {
        const [exact] = event.key === "Enter" ? narrow(root, field.value) : [];
        if (exact) location.href = exact.href;
      });
      narrow(root, field.value);
    }
  });
})();
