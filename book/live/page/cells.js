// Run, Stop and Edit below every cell. All cells share one Python, as a notebook's do; those above that
// have not run yet run first.
"use strict";
(() => {
  const { make, button, editor } = norchLive;
  const LONG = 10; // seconds after which a cell is said to run still
  const FORGOTTEN = "stopped: all names are forgotten, and come back with the next run";
  const cells = [];
  let kernel = null; // the Python of all cells
  let busy = false;

  function stop(words) {
    const old = kernel;
    kernel = null;
    for (const one of cells) one.ran = false;
    if (old) old.end(words);
  }

  class Cell {
    constructor(box, input, number) {
      Object.assign(this, { box, input, number, ran: false });
      this.original = input.querySelector("pre").textContent.replace(/\n$/, "");
      this.status = make("span", { class: "live-status", role: "status" });
      this.runs = button("Run", `Run cell ${number}`, () => this.run());
      this.stops = button("Stop", `Stop cell ${number}`, () => stop(FORGOTTEN));
      this.stops.hidden = true;
      this.edits = button("Edit", `Edit cell ${number}`, () => (this.editor ? this.close() : this.open()));
      this.bar = make("div", { class: "live-bar" }, this.runs, this.stops, this.edits, this.status);
      input.after(this.bar);
    }

    say(words) {
      this.status.textContent = words;
    }

    name(words) {
      this.edits.textContent = words;
      this.edits.setAttribute("aria-label", `${words} cell ${this.number}`);
    }

    open() {
      const label = `Code of cell ${this.number}`;
      this.editor = editor(this.original, label, () => this.run(), () => { this.ran = false; });
      this.input.hidden = true;
      this.bar.before(this.editor.area, this.editor.note);
      this.name("Reset");
      this.editor.area.focus();
    }

    close() {
      this.editor.area.remove();
      this.editor.note.remove();
      this.editor = null;
      this.ran = false;
      this.input.hidden = false;
      this.name("Edit");
    }

    // The place of what the cell shows now; the output that the book was built with goes.
    shown() {
      if (!this.output) {
        this.output = make("div", { class: "live-output", role: "region", "aria-label": `Output of cell ${this.number}` });
        const built = this.box.querySelector(".cell_output");
        const replaced = built && (built.closest("details") || built);
        if (replaced) replaced.classList.add("live-replaced");
        (replaced || this.bar).after(this.output);
      }
      this.output.replaceChildren();
      return this.output;
    }

    async evaluate(heard) {
      const code = this.editor ? this.editor.area.value : this.original;
      const found = await kernel.ask({ do: "cell", code, name: `<cell ${this.number}>`, page: norchLive.page }, heard);
      this.ran = !found.error;
      return found;
    }

    async evaluateAll() {
      if (!kernel) {
        this.say("starting Python in this page ...");
        kernel = await norchLive.python();
      }
      for (const one of cells.slice(0, this.number - 1).filter((other) => !other.ran)) {
        this.say(`running cell ${one.number}, which comes before ...`);
        await one.evaluate();
      }
      this.say("running ...");
      const output = this.shown();
      const found = await this.evaluate(({ stream, line, end }) => {
        const last = output.lastElementChild;
        const pre = last?.dataset.stream === stream ? last : make("pre", { class: `live-${stream}`, "data-stream": stream });
        if (pre !== last) output.append(pre);
        pre.append(`${line}${end}`);
      });
      if (found.html) output.append(Object.assign(make("div"), { innerHTML: found.html }));
      if (found.text) output.append(make("pre", {}, found.text));
      if (found.error) output.append(make("pre", { class: "live-err" }, found.error));
      this.say(found.error ? "an error" : output.childNodes.length ? "done" : "done: it printed nothing");
    }

    async run() {
      if (busy) return;
      busy = true;
      for (const one of cells) one.runs.disabled = true;
      this.stops.hidden = false;
      const watch = setTimeout(() => this.say("still running: is there a loop that never ends? Stop ends it"), LONG * 1000);
      try {
        await this.evaluateAll();
      } catch (error) {
        stop();
        this.say(error.message);
      }
      clearTimeout(watch);
      busy = false;
      this.stops.hidden = true;
      for (const one of cells) one.runs.disabled = false;
    }
  }

  norchLive.addCells = () => {
    for (const box of document.querySelectorAll(".cell")) {
      const input = box.querySelector(".cell_input");
      const text = input?.querySelector("pre")?.textContent;
      if (text && !text.startsWith("%%")) cells.push(new Cell(box, input, cells.length + 1));
    }
  };
})();
