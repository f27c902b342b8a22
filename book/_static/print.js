// A printed page folds nothing and moves nothing: outputs and listings are opened (hints and solutions stay in the
// course), what moves stands in its last state, and a line below it leads to the page where it moves.
"use strict";

addEventListener("beforeprint", () => {
  const article = document.querySelector(".bd-article");
  for (const one of document.querySelectorAll("details")) one.open = !one.closest(".exercise, .library, .digit-reader");
  if (!article) return;
  const address = document.querySelector('link[rel="canonical"]')?.href ?? location.href.split(/[?#]/)[0];
  const moving = new Set();
  for (const one of article.querySelectorAll(".buttons, iframe")) {
    if (one.closest(".exercise, .quiz, .live-bar")) continue;
    moving.add(one.closest(".cell") ?? one.closest("section > *"));
    if (one.localName === "iframe") endFrame(one);
    else [...one.querySelectorAll("button")].find((button) => button.textContent === "all")?.click();
  }
  for (const one of moving) {
    if (!one || one.nextElementSibling?.matches(".print-note")) continue;
    const link = Object.assign(document.createElement("a"), { href: address, textContent: "In the book\u2019s page this can be moved." });
    const note = Object.assign(document.createElement("p"), { className: "print-note" });
    note.append(link);
    one.after(note);
  }
});

// A frame hears of the printing as well, and makes of itself what is seen on paper; here it is made small enough.
function endFrame(frame) {
  const inside = frame.contentDocument;
  if (!inside?.body) return;
  frame.contentWindow.dispatchEvent(new Event("beforeprint"));
  const style = Object.assign(inside.createElement("style"), { textContent: "html { overflow: hidden; } body { zoom: 0.6; }" });
  style.media = "print";
  inside.head.append(style);
  frame.style.height = `${Math.ceil(0.6 * inside.body.getBoundingClientRect().height)}px`;
}
