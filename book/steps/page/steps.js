// "Open it live" at the program as of a section: its files in an editor, and lines that run on them in the page's
// Python. The files are read from the listings of the page; those of the chapters before are loaded when a step is
// opened. Without live pages: nothing.
"use strict";
(() => {
  const told = document.getElementById(location.hash.slice(1));
  if (told?.matches("details.step")) told.open = true; // a link from the page of all steps
  const live = window.norchLive;
  if (!live?.python) return;
  const { make, button, editor, Clock, Progress, showIn } = live;
  const FILES_HELP = "What you change here runs with the next Run. Tab indents. To leave with the keyboard: Esc, then Tab.";
  const HERE = document.currentScript.src; // the files of the chapters before lie beside this script
  let kernel = null; // one Python for the steps of a page: each Run puts its own program there

  // The program of each step: its own listings over those of the steps above it in the page.
  const programs = new Map();
  let files = {};
  for (const box of document.querySelectorAll("details.step")) {
    files = { ...files };
    for (const pre of box.querySelectorAll("pre[data-path]")) files[pre.dataset.path] = pre.textContent;
    programs.set(box, files);
  }

  // The files of the chapters before, which the first step of a page names.
  let earlier = null;
  function filesBefore() {
    const name = JSON.parse(document.querySelector("details.step script").textContent).before;
    earlier ??= !name ? Promise.resolve({}) : new Promise((done, fail) => {
      window.norchSteps.before = done;
      const script = document.createElement("script");
      script.onerror = () => fail(new Error("the files of the chapters before could not be read"));
      script.src = new URL(name, HERE).href;
      document.head.append(script);
    });
    return earlier;
  }

  // A listing gets its colours when it is unfolded; its marks stay.
  function colour(pre) {
    for (const part of [...pre.childNodes]) {
      const nodes = live.coloured(part.textContent);
      if (part.nodeType === Node.TEXT_NODE) part.replaceWith(...nodes);
      else part.replaceChildren(...nodes);
    }
  }
  for (const one of document.querySelectorAll(".step-file")) {
    one.addEventListener("toggle", () => one.querySelectorAll("pre").forEach(colour), { once: true });
  }

  class Opened {
    constructor(box, files) {
      const { id, file, run } = JSON.parse(box.querySelector("script").textContent);
      Object.assign(this, { id, original: files, files: { ...files }, lines: run });
      const paths = Object.keys(files).sort();
      this.choice = make("select", { "aria-label": `File of program ${id}` }, ...paths.map((path) => make("option", { value: path }, path)));
      this.choice.value = file;
      this.choice.addEventListener("change", () => this.show());
      this.file = editor("", `File of program ${id}, as text`, () => this.run(), (text) => this.edited(text), FILES_HELP);
      this.code = editor(run, `Lines to run on program ${id}`, () => this.run(), () => {});
      this.status = make("span", { class: "live-status", role: "status" });
      this.clock = new Clock();
      this.progress = new Progress(`Progress of program ${id}`);
      this.runs = button("Run", `Run program ${id}`, () => this.run());
      this.stops = button("Stop", `Stop program ${id}`, () => this.stop());
      this.stops.hidden = true;
      this.resets = button("Reset", `Reset program ${id}`, () => this.reset());
      this.bar = make("div", { class: "live-bar" }, this.runs, this.stops, this.resets, this.status, this.clock.element);
      this.output = make("div", { class: "live-output", role: "region", "aria-label": `Output of program ${id}` });
      this.element = make("div", { class: "step-open" }, make("label", {}, "File", this.choice), this.file.box, this.file.note,
        make("p", { class: "step-say" }, "Lines to run on it:"), this.code.box, this.code.note, this.bar, this.progress.element, this.output);
      this.show();
    }

    show() {
      this.file.set(this.files[this.choice.value]);
    }

    edited(text) {
      this.files[this.choice.value] = text;
      const changed = Object.keys(this.files).filter((path) => this.files[path] !== this.original[path]);
      this.status.textContent = changed.length ? `changed: ${changed.join(", ")}` : "";
    }

    reset() {
      this.files = { ...this.original };
      this.code.set(this.lines);
      this.show();
      this.status.textContent = "as it was";
    }

    stop() {
      if (kernel) kernel.end("stopped");
      kernel = null;
    }

    // Put the files in norch's place, then run the lines: two questions to one Python.
    async ask() {
      if (!kernel) {
        this.status.textContent = "starting Python in this page ...";
        kernel = await live.python((message) => this.progress.show(message), ["course"]);
        this.progress.end();
      }
      this.status.textContent = "running ...";
      const hear = (message) => showIn(this.output, message);
      const given = { do: "cell", name: `<program ${this.id}>`, page: live.page };
      const code = `files = ${JSON.stringify(JSON.stringify(this.files))}\n${window.norchSteps.here}`;
      const ready = await kernel.ask({ ...given, code }, hear);
      return ready.error ? ready : kernel.ask({ ...given, code: this.code.area.value }, hear);
    }

    async run() {
      if (this.runs.disabled) return;
      [this.runs.disabled, this.stops.hidden] = [true, false];
      this.output.replaceChildren();
      this.clock.start();
      try {
        const found = await this.ask();
        showIn(this.output, found);
        this.status.textContent = found.error ? "an error" : "done";
      } catch (error) {
        kernel = null;
        this.status.textContent = error.message;
      }
      this.clock.stop();
      this.progress.end();
      [this.runs.disabled, this.stops.hidden] = [false, true];
    }
  }

  for (const [box, program] of programs) {
    const { id } = JSON.parse(box.querySelector("script").textContent);
    const opens = button("Open it live", `Open program ${id} live`, async () => {
      try {
        const opened = new Opened(box, { ...(await filesBefore()), ...program });
        bar.replaceWith(opened.element);
        opened.choice.focus();
      } catch (error) {
        bar.append(error.message);
      }
    });
    const bar = make("div", { class: "live-bar" }, opens);
    box.querySelector("p").after(bar);
  }
})();
