// What a run shows while it lasts and after: lines, pictures and errors in their order, a bar, a clock.
// Cells and exercises use it; it knows neither.
"use strict";
(() => {
  const { make } = norchLive;

  // Seconds since now, in an element of their own: a status is read aloud at each change, a timer is not.
  class Clock {
    constructor() {
      this.element = make("span", { class: "live-clock", role: "timer" });
    }

    start() {
      this.stop();
      this.element.textContent = "";
      const began = performance.now();
      const show = () => { this.element.textContent = `${Math.round((performance.now() - began) / 1000)} s`; };
      this.ticking = setInterval(show, 1000);
    }

    stop() {
      clearInterval(this.ticking);
    }
  }

  // The bar of messages {kind: "progress", done, total, words}: without a total it only moves.
  class Progress {
    constructor(label) {
      this.words = make("span");
      this.bar = make("progress", { "aria-label": label });
      this.element = make("div", { class: "live-progress" }, this.bar, this.words);
      this.end();
    }

    show({ done, total, words = "" }) {
      if (total) Object.assign(this.bar, { max: total, value: done });
      else this.bar.removeAttribute("value");
      this.words.textContent = words;
      this.element.hidden = false;
    }

    end() {
      this.element.hidden = true;
    }
  }

  // Put a message of a run, or its end, into the place where it is shown.
  function showIn(place, { kind, stream, line, end, html, text, error }) {
    if (kind === "clear") place.replaceChildren();
    if (stream) {
      const last = place.lastElementChild;
      const pre = last?.dataset.stream === stream ? last : make("pre", { class: `live-${stream}`, "data-stream": stream });
      if (pre !== last) place.append(pre);
      pre.append(`${line}${end}`);
    }
    if (html) place.append(Object.assign(make("div"), { innerHTML: html }));
    if (text) place.append(make("pre", {}, text));
    if (error) place.append(make("pre", { class: "live-err" }, error));
  }

  Object.assign(norchLive, { Clock, Progress, showIn });
})();
