// The heads of the trained GPT over the reader's own sentence, and the GPT writing on (chapter 7).
//
// gpt.js (`norchGPT`) computes, this file draws. The weights are read when the reader asks for them, by a script
// tag, as a page opened as a file may. Without JavaScript, and on paper, a reader sees the drawing
// that the notebook made. No library, no network connection.
"use strict";

(() => {
  const HERE = document.currentScript.src; // the weights lie beside this script
  const MOST = 200; // letters of one "write on"
  const SHOWN = { "\n": "\u21b5", " ": "\u2423" }; // what else could not be seen
  const visible = (letter) => SHOWN[letter] ?? letter;
  const percent = (part) => `${(100 * part).toFixed(0)} %`;
  const chanceOf = (part) => (part < 0.005 ? "under 1 %" : percent(part));
  const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const named = (letter) =>
    ({ "\n": "the end of a line", " ": "a space" })[letter] ?? `\u201c${letter}\u201d`;

  function make(tag, given, ...children) {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...children);
    return made;
  }

  function fetchWeights() {
    return new Promise((done, fail) => {
      const script = make("script", {
        src: new URL("gpt_weights.js", HERE),
        onload: () => done(window.norchGPTWeights),
        onerror: fail,
      });
      document.head.append(script);
    });
  }

  // The triangle of a head, a pixel for each pair of letters; the page's style makes them large.
  function paint(canvas, rows) {
    canvas.width = canvas.height = rows.length;
    const picture = new ImageData(rows.length, rows.length);
    rows.forEach((row, i) =>
      row.forEach((weight, j) => (picture.data[4 * (i * rows.length + j) + 3] = 255 * weight)),
    );
    canvas.getContext("2d").putImageData(picture, 0, 0);
  }

  class GPTHeads extends HTMLElement {
    connectedCallback() {
      // Before that, what is inside has not been read yet.
      if (document.readyState !== "loading") this.begin();
      else document.addEventListener("DOMContentLoaded", () => this.begin(), { once: true });
    }

    begin() {
      if (this.given) return; // moved, not made
      this.given = JSON.parse(this.querySelector("script").textContent);
      [this.layer, this.head] = this.given.chosen;
      this.setAttribute("role", "group");
      this.setAttribute("aria-label", "Heads of a trained GPT");
      this.say = make(
        "p",
        { className: "say" },
        "Drawn when this page was made; nothing of the model is loaded yet.",
      );
      this.say.setAttribute("role", "status");
      const words = `Load the model (${this.given.kilobytes} KB) and type your own sentence`;
      this.starter = make("button", { type: "button", onclick: () => this.start() }, words);
      this.append(make("div", { className: "start buttons" }, this.starter), this.say);
    }

    async start() {
      this.starter.disabled = true;
      try {
        this.gpt = norchGPT.read(await fetchWeights());
      } catch {
        this.starter.disabled = false;
        this.say.textContent = "The weights beside this page could not be read.";
        return;
      }
      this.starter.parentElement.remove();
      this.panel = make(
        "div",
        { className: "panel" },
        this.sentence(),
        this.choices(),
        this.say,
        this.letterRow(),
        this.pictureAndNext(),
      );
      this.append(this.panel);
      this.look();
      this.text.focus();
    }

    // ---- What the reader sets ----

    sentence() {
      this.text = make("textarea", {
        rows: 3,
        spellcheck: false,
        value: this.given.sentence,
        oninput: () => this.look(),
      });
      this.heat = make("input", {
        type: "range",
        min: 0.1,
        max: 1.5,
        step: 0.1,
        value: 0.8,
        oninput: () => this.showHeat(),
      });
      this.warmth = make("output", {});
      this.seed = make("input", { type: "number", min: 0, max: 99999, step: 1, value: 1 });
      this.writes = make(
        "button",
        { type: "button", onclick: () => (this.writing ? this.stop() : this.write()) },
        "Write on",
      );
      this.strange = make("p", { className: "strange" });
      this.strange.setAttribute("role", "status");
      this.showHeat();
      const label = (field, ...words) => make("label", {}, make("span", {}, ...words), field);
      const row = make(
        "div",
        { className: "buttons" },
        this.writes,
        label(this.heat, "temperature ", this.warmth),
        label(this.seed, "seed"),
      );
      return make(
        "div",
        {},
        label(this.text, `your sentence (it sees the last ${this.gpt.context} characters)`),
        this.strange,
        row,
      );
    }

    showHeat() {
      this.warmth.textContent = Number(this.heat.value).toFixed(1);
    }

    choices() {
      const box = make("div", { className: "heads" });
      box.setAttribute("role", "radiogroup");
      box.setAttribute("aria-label", "heads");
      this.thumbs = this.given.heads.map((habits, layer) =>
        habits.map((habit, head) => {
          const choose = () => this.choose(layer, head);
          const radio = make("input", {
            type: "radio",
            name: "gpt-head",
            checked: layer === this.layer && head === this.head,
            onchange: choose,
          });
          const picture = make("canvas", {});
          picture.setAttribute("aria-hidden", "true");
          box.append(
            make(
              "label",
              {},
              radio,
              make("b", {}, `layer ${layer + 1}, head ${head + 1}`),
              picture,
              make("span", {}, habit),
            ),
          );
          return picture;
        }),
      );
      return box;
    }

    letterRow() {
      this.row = make("div", { className: "letters" });
      this.row.setAttribute("role", "group");
      this.row.setAttribute("aria-label", "characters");
      this.row.addEventListener("keydown", (event) => this.key(event));
      return this.row;
    }

    pictureAndNext() {
      this.canvas = make("canvas", {});
      this.canvas.setAttribute("role", "img");
      this.canvas.addEventListener("click", ({ offsetY }) =>
        this.point(Math.floor((offsetY / this.canvas.clientHeight) * this.letters.length)),
      );
      this.mark = make("i", {});
      [this.across, this.down] = [
        make("div", { className: "across" }),
        make("div", { className: "down" }),
      ];
      for (const part of [this.across, this.down]) part.setAttribute("aria-hidden", "true");
      this.triangle = make(
        "div",
        { className: "triangle" },
        this.across,
        this.down,
        make("div", { className: "cells" }, this.canvas, this.mark),
      );
      this.next = make("ol", {});
      this.nextTitle = make("h3", {});
      return make(
        "div",
        { className: "sides" },
        this.triangle,
        make("div", { className: "next" }, this.nextTitle, this.next),
      );
    }

    // ---- What it computes and shows ----

    compute() {
      const { letters, strange } = norchGPT.seen(this.gpt, this.text.value);
      this.letters = letters.length ? letters : ["\n"];
      this.found = norchGPT.forward(this.gpt, norchGPT.encode(this.gpt, this.letters));
      this.at = this.letters.length - 1;
      return strange;
    }

    look() {
      const strange = this.compute();
      const words = strange.map((one) => `\u201c${one}\u201d`).join(", ");
      this.strange.textContent = strange.length
        ? `Left out, because Shakespeare's text has none of it: ${words}.`
        : "";
      this.row.replaceChildren(...this.letters.map((letter, k) => this.letter(letter, k)));
      for (const part of [this.across, this.down])
        part.replaceChildren(...this.letters.map((one) => make("span", {}, visible(one))));
      this.triangle.style.setProperty("--count", this.letters.length);
      this.thumbs.forEach((heads, layer) =>
        heads.forEach((picture, head) => paint(picture, this.found.looks[layer][head])),
      );
      this.show();
    }

    letter(letter, k) {
      const share = make("small", {});
      const button = make(
        "button",
        {
          type: "button",
          onclick: () => this.point(k),
          onmouseenter: () => this.point(k),
          onfocus: () => this.point(k),
        },
        visible(letter),
        share,
      );
      return Object.assign(button, { share });
    }

    choose(layer, head) {
      [this.layer, this.head] = [layer, head];
      this.show();
    }

    point(k) {
      if (k === this.at || this.writing) return;
      this.at = Math.max(0, Math.min(k, this.letters.length - 1));
      this.show();
    }

    key(event) {
      const last = this.letters.length - 1;
      const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.point(to);
      this.row.children[this.at].focus();
    }

    show() {
      const { letters, at } = this;
      const rows = this.found.looks[this.layer][this.head];
      [...this.row.children].forEach((button, k) => this.showLetter(button, k, rows[at][k] ?? 0));
      paint(this.canvas, rows);
      this.canvas.setAttribute(
        "aria-label",
        `${this.headName()}: a row for each character, a column for each that it looks at`,
      );
      this.mark.style.top = `${(100 * at) / letters.length}%`;
      this.mark.style.height = `${100 / letters.length}%`;
      this.tell(rows[at]);
      this.tellNext();
    }

    showLetter(button, k, weight) {
      button.style.setProperty("--share", percent(weight));
      button.share.textContent = weight >= 0.01 ? (100 * weight).toFixed(0) : "";
      button.tabIndex = k === this.at ? 0 : -1;
      button.setAttribute("aria-pressed", String(k === this.at));
      button.setAttribute(
        "aria-label",
        `character ${k + 1}, ${named(this.letters[k])}${k <= this.at ? `: ${percent(weight)}` : ""}`,
      );
      button.classList.toggle("later", k > this.at);
    }

    headName() {
      return `Layer ${this.layer + 1}, head ${this.head + 1}`;
    }

    characterName() {
      return `character ${this.at + 1}, ${named(this.letters[this.at])},`;
    }

    tell(row) {
      const best = [...row.entries()]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .filter(([, weight]) => weight >= 0.05);
      const place = (k) =>
        k === this.at ? "itself" : `${named(this.letters[k])}, ${this.at - k} before`;
      const parts = best.map(([k, weight]) => `${percent(weight)} from ${place(k)}`).join("; ");
      const from = parts || "a little from everywhere";
      this.say.textContent = `${this.headName()}: ${this.characterName()} takes ${from}.`;
    }

    tellNext() {
      const { at, letters } = this;
      const came = letters[at + 1];
      this.nextTitle.textContent = `What comes after character ${at + 1}, ${named(letters[at])}?`;
      const lines = norchGPT.likeliest(this.found.scores[at], 6).map(([k, chance]) => {
        const bar = make("i", {});
        bar.style.width = `${60 * chance}%`;
        const one = this.gpt.letters[k];
        return make(
          "li",
          { className: one === came ? "came" : "" },
          make("b", {}, visible(one)),
          bar,
          make("span", {}, chanceOf(chance) + (one === came ? ", and it came" : "")),
        );
      });
      this.next.replaceChildren(...lines);
    }

    // ---- Writing on ----

    async write() {
      const next = norchGPT.dice(Number(this.seed.value));
      const begun = this.text.value.length;
      this.setWriting(true);
      this.compute();
      while (this.writing && this.text.value.length < begun + MOST) {
        this.text.value +=
          this.gpt.letters[
            norchGPT.draw(this.found.scores.at(-1), Number(this.heat.value), next())
          ];
        if (isCalm()) this.compute();
        else this.look();
        this.text.scrollTop = this.text.scrollHeight;
        await new Promise((done) => setTimeout(done, 0)); // the page draws, and hears Stop
      }
      this.setWriting(false);
      this.look();
      this.text.scrollTop = this.text.scrollHeight;
      const count = this.text.value.length - begun;
      this.say.textContent = `It wrote ${count} characters. ${this.say.textContent}`;
    }

    stop() {
      this.writing = false;
    }

    setWriting(writing) {
      this.writing = this.text.readOnly = writing;
      this.writes.textContent = writing ? "Stop" : "Write on";
      this.say.setAttribute("aria-live", writing ? "off" : "polite");
    }
  }
  customElements.define("gpt-heads", GPTHeads);
})();
