// The heads of the trained GPT over the reader's own sentence, and the GPT writing on (chapter 7).
//
// gpt.js (`norchGPT`) computes, this file draws, controls.js makes its fields. The weights are read
// when the reader asks for them, by a script tag, as a page opened as a file may. Without
// JavaScript, and on paper, a reader sees the drawing that the notebook made. No library, no network
// connection.
"use strict";

(() => {
  const HERE = document.currentScript.src; // the weights lie beside this script
  const MOST = 200; // letters of one "write on"
  const PAUSE = 150; // ms without a key, after which a typed sentence is computed
  const SHOWN = { "\n": "\u21b5", " ": "\u2423" }; // what else could not be seen
  const visible = (letter) => SHOWN[letter] ?? letter;
  const percent = (part) => `${(100 * part).toFixed(0)} %`;
  const chanceOf = (part) => (part < 0.005 ? "under 1 %" : percent(part));
  const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  const named = (letter) =>
    ({ "\n": "the end of a line", " ": "a space" })[letter] ?? `\u201c${letter}\u201d`;

  function setAttributes(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  function loadWeights() {
    return new Promise((done, fail) => {
      const script = Object.assign(document.createElement("script"), {
        src: new URL("gpt_weights.js", HERE),
        onload: () => done(window.norchGPTWeights),
        onerror: fail,
      });
      document.head.append(script);
    });
  }

  // The triangle of a head, a pixel for each pair of letters; the page's style makes them large.
  function paint(canvas, rows) {
    const size = rows.length;
    canvas.width = canvas.height = size;
    const mask = new ImageData(size, size); // how much ink
    rows.forEach((row, i) =>
      row.forEach((weight, j) => (mask.data[4 * (i * size + j) + 3] = 255 * weight)),
    );
    const context = canvas.getContext("2d");
    context.putImageData(mask, 0, 0);
    context.globalCompositeOperation = "source-in";
    context.fillStyle = getComputedStyle(canvas).color;
    context.fillRect(0, 0, size, size);
  }

  function define({ make, whole }) {
    const label = (words, field) => make("label", {}, make("span", {}, ...words), field);

    class GPTHeads extends HTMLElement {
      connectedCallback() {
        if (this.given) return; // moved, not made
        this.given = JSON.parse(this.querySelector("script").textContent);
        [this.layer, this.head] = this.given.chosen;
        setAttributes(this, { role: "group", "aria-label": "Heads of a trained GPT" });
        const said = "Drawn when this page was made; nothing of the model is loaded yet.";
        this.say = setAttributes(make("p", { className: "say" }, said), { role: "status" });
        const words = `Load the model (${this.given.kilobytes} KB) and type your own sentence`;
        this.startButton = make("button", { type: "button", onclick: () => this.start() }, words);
        this.append(make("div", { className: "start buttons" }, this.startButton), this.say);
      }

      async start() {
        this.startButton.disabled = true;
        let weights = null;
        try {
          weights = await loadWeights();
        } catch {
          this.say.textContent = "The weights beside this page could not be loaded.";
          return;
        } finally {
          this.startButton.disabled = false;
        }
        this.gpt = norchGPT.read(weights);
        this.build();
        this.look();
        this.text.focus();
      }

      build() {
        const fields = [this.makeText(), this.makeUnknown(), this.makeWriter()];
        const parts = [make("div", {}, ...fields), this.makeHeads(), this.say];
        parts.push(this.makeLetters(), this.makeSides());
        this.startButton.parentElement.remove();
        this.append(make("div", { className: "panel" }, ...parts));
        const theme = { attributeFilter: ["data-theme"] };
        new MutationObserver(() => this.paintAll()).observe(document.documentElement, theme);
      }

      // ---- What the reader sets ----

      makeText() {
        const value = this.given.sentence;
        const oninput = () => this.lookSoon();
        this.text = make("textarea", { rows: 3, spellcheck: false, value, oninput });
        const words = `your sentence (it sees the last ${this.gpt.context} characters)`;
        return label([words], this.text);
      }

      makeUnknown() {
        this.unknown = setAttributes(make("p", { className: "unknown" }), { role: "status" });
        return this.unknown;
      }

      makeWriter() {
        const onclick = () => (this.writing ? this.stop() : this.write());
        this.writeButton = make("button", { type: "button", onclick }, "Write on");
        this.seed = 1;
        return make(
          "div",
          { className: "buttons" },
          this.writeButton,
          this.makeTemperature(),
          whole("seed", this.seed, 99999, (seed) => (this.seed = seed)),
        );
      }

      makeTemperature() {
        const shown = make("output");
        const oninput = () => (shown.textContent = Number(this.temperature.value).toFixed(1));
        const range = { min: 0.1, max: 1.5, step: 0.1, value: 0.8 };
        this.temperature = make("input", { type: "range", ...range, oninput });
        oninput();
        return label(["temperature ", shown], this.temperature);
      }

      makeHeads() {
        const box = make("div", { className: "heads" });
        this.thumbs = this.given.heads.map((habits, layer) =>
          habits.map((habit, head) => {
            const picture = setAttributes(make("canvas"), { "aria-hidden": "true" });
            box.append(this.makeHead(layer, head, habit, picture));
            return picture;
          }),
        );
        return setAttributes(box, { role: "radiogroup", "aria-label": "heads" });
      }

      makeHead(layer, head, habit, picture) {
        const radio = make("input", {
          type: "radio",
          name: "gpt-head",
          checked: layer === this.layer && head === this.head,
          onchange: () => this.choose(layer, head),
        });
        const name = make("b", {}, `layer ${layer + 1}, head ${head + 1}`);
        return make("label", {}, radio, name, picture, make("span", {}, habit));
      }

      makeLetters() {
        this.row = make("div", { className: "letters" });
        this.row.addEventListener("keydown", (event) => this.key(event));
        return setAttributes(this.row, { role: "group", "aria-label": "characters" });
      }

      makeSides() {
        this.nextList = make("ol");
        this.nextTitle = make("h3");
        const next = make("div", { className: "next" }, this.nextTitle, this.nextList);
        return make("div", { className: "sides" }, this.makeTriangle(), next);
      }

      makeTriangle() {
        this.canvas = setAttributes(make("canvas"), { role: "img" });
        this.canvas.addEventListener("click", ({ offsetY }) =>
          this.point(Math.floor((offsetY / this.canvas.clientHeight) * this.letters.length)),
        );
        this.marker = make("i");
        const cells = make("div", { className: "cells" }, this.canvas, this.marker);
        this.edges = ["across", "down"].map((className) =>
          setAttributes(make("div", { className }), { "aria-hidden": "true" }),
        );
        this.triangle = make("div", { className: "triangle" }, ...this.edges, cells);
        return this.triangle;
      }

      // ---- What it computes and shows ----

      compute() {
        const { letters, unknown } = norchGPT.seen(this.gpt, this.text.value);
        this.letters = letters.length ? letters : ["\n"];
        this.found = norchGPT.forward(this.gpt, norchGPT.encode(this.gpt, this.letters));
        this.at = this.letters.length - 1;
        return unknown;
      }

      // Typing stays quick: what was typed last is computed once the keys rest.
      lookSoon() {
        clearTimeout(this.pending);
        this.pending = setTimeout(() => this.look(), PAUSE);
      }

      look() {
        clearTimeout(this.pending);
        const words = this.compute().map((one) => `\u201c${one}\u201d`);
        this.unknown.textContent = words.length
          ? `Left out, because Shakespeare's text has none of it: ${words.join(", ")}.`
          : "";
        this.row.replaceChildren(...this.letters.map((letter, k) => this.makeLetter(letter, k)));
        for (const edge of this.edges)
          edge.replaceChildren(...this.letters.map((one) => make("span", {}, visible(one))));
        this.triangle.style.setProperty("--count", this.letters.length);
        this.show();
        this.paintAll();
      }

      makeLetter(letter, k) {
        const share = make("small");
        const point = () => this.point(k);
        const events = { onclick: point, onmouseenter: point, onfocus: point };
        return make("button", { type: "button", share, ...events }, visible(letter), share);
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
        const moves = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last };
        const to = moves[event.key];
        if (to === undefined || this.writing) return;
        event.preventDefault();
        this.point(to);
        this.row.children[this.at].focus();
      }

      show() {
        const { letters, at } = this;
        const rows = this.found.weights[this.layer][this.head];
        [...this.row.children].forEach((button, k) => this.showLetter(button, k, rows[at][k] ?? 0));
        this.paintChosen();
        const what = "a row for each character, a column for each that it looks at";
        this.canvas.setAttribute("aria-label", `${this.headName()}: ${what}`);
        this.marker.style.top = `${(100 * at) / letters.length}%`;
        this.marker.style.height = `${100 / letters.length}%`;
        this.tell(rows[at]);
        this.tellNext();
      }

      paintChosen() {
        paint(this.canvas, this.found.weights[this.layer][this.head]);
      }

      paintAll() {
        this.paintChosen();
        this.thumbs.forEach((heads, layer) =>
          heads.forEach((picture, head) => paint(picture, this.found.weights[layer][head])),
        );
      }

      showLetter(button, k, weight) {
        button.style.setProperty("--share", percent(weight));
        button.share.textContent = weight >= 0.01 ? (100 * weight).toFixed(0) : "";
        button.tabIndex = k === this.at ? 0 : -1;
        const part = k <= this.at ? `: ${percent(weight)}` : "";
        setAttributes(button, {
          "aria-pressed": k === this.at,
          "aria-label": `character ${k + 1}, ${named(this.letters[k])}${part}`,
        });
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
          const bar = make("i");
          bar.style.width = `${60 * chance}%`;
          const one = this.gpt.vocabulary[k];
          return make(
            "li",
            { className: one === came ? "came" : "" },
            make("b", {}, visible(one)),
            bar,
            make("span", {}, chanceOf(chance) + (one === came ? ", and it came" : "")),
          );
        });
        this.nextList.replaceChildren(...lines);
      }

      // ---- Writing on ----

      async write() {
        const begun = this.text.value.length;
        this.setWriting(true);
        try {
          await this.writeUpTo(begun + MOST);
        } finally {
          this.setWriting(false);
        }
        this.look();
        this.text.scrollTop = this.text.scrollHeight;
        const count = this.text.value.length - begun;
        this.say.textContent = `It wrote ${count} characters. ${this.say.textContent}`;
      }

      async writeUpTo(end) {
        const next = norchGPT.generator(this.seed);
        this.look();
        while (this.writing && this.text.value.length < end) {
          const temperature = Number(this.temperature.value);
          const drawn = norchGPT.draw(this.found.scores.at(-1), temperature, next());
          this.text.value += this.gpt.vocabulary[drawn];
          if (isCalm()) this.compute();
          else this.look();
          this.text.scrollTop = this.text.scrollHeight;
          await new Promise((done) => setTimeout(done, 0)); // the page draws, and hears Stop
        }
      }

      stop() {
        this.writing = false;
      }

      setWriting(writing) {
        this.writing = this.text.readOnly = writing;
        this.writeButton.textContent = writing ? "Stop" : "Write on";
        this.say.setAttribute("aria-live", writing ? "off" : "polite");
      }
    }
    customElements.define("gpt-heads", GPTHeads);
  }

  document.addEventListener("DOMContentLoaded", () => define(globalThis.norchControls));
})();
