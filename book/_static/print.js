// A printed page folds nothing and moves nothing: outputs and listings are opened (hints and
// solutions stay in the course), what moves stands in its last state, and a line below it says
// where it moves. When the page has been printed, folds and frames are again as they were.
"use strict";

(() => {
  const CLOSED = ".exercise, .library, .digit-reader"; // folds of these stay closed on paper
  let before = null; // while the page is printed: what it looked like

  addEventListener("beforeprint", () => {
    const article = document.querySelector(".bd-article");
    before ??= seen(article);
    for (const { fold } of before.folds) fold.open = !fold.closest(CLOSED);
    if (!article) return;
    const moving = new Set();
    for (const one of article.querySelectorAll(".buttons, iframe")) {
      if (one.closest(".exercise, .quiz, .live-bar")) continue;
      moving.add(one.closest(".cell") ?? one.closest("section > *"));
      if (one.localName === "iframe") endFrame(one);
      else buttons(one).find((button) => button.textContent === "all")?.click();
    }
    for (const one of moving) {
      if (one && !one.nextElementSibling?.matches(".print-note")) one.after(note());
    }
  });

  addEventListener("afterprint", () => {
    for (const { fold, open } of before?.folds ?? []) fold.open = open;
    for (const { frame, height } of before?.frames ?? []) frame.style.height = height;
    before = null;
  });

  // What printing changes, as it is now.
  function seen(article) {
    const frames = [...(article?.querySelectorAll("iframe") ?? [])];
    return {
      folds: [...document.querySelectorAll("details")].map((fold) => ({ fold, open: fold.open })),
      frames: frames.map((frame) => ({ frame, height: frame.style.height })),
    };
  }

  const buttons = (row) => [...row.querySelectorAll("button")];

  // A link only to the address that the book has on the web: a file's own leads nowhere on paper.
  function note() {
    const words = "In the book\u2019s page this can be moved.";
    const address = document.querySelector('link[rel="canonical"]')?.href;
    const made = Object.assign(document.createElement("p"), { className: "print-note" });
    const link = { href: address, textContent: words };
    made.append(address ? Object.assign(document.createElement("a"), link) : words);
    return made;
  }

  // A frame hears of the printing as well, and makes of itself what is seen on paper; here it is
  // made small enough.
  function endFrame(frame) {
    const inside = frame.contentDocument;
    if (!inside?.body) return;
    frame.contentWindow.dispatchEvent(new Event("beforeprint"));
    styleOnce(inside);
    frame.style.height = `${Math.ceil(0.6 * inside.body.getBoundingClientRect().height)}px`;
  }

  function styleOnce(inside) {
    if (inside.getElementById("on-paper")) return;
    const style = Object.assign(inside.createElement("style"), { id: "on-paper", media: "print" });
    style.textContent = "html { overflow: hidden; } body { zoom: 0.6; }";
    inside.head.append(style);
  }
})();
