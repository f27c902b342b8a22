// The reader's answers as a whole: how many exercises of the page passed, a folder to take away, a folder brought back.
// The course in the page's Python writes and reads the files, so that `make check` takes them as they are.
"use strict";
(() => {
  const { make, button, store, Clock, Progress } = norchLive;
  const LARGEST = 20 * 2 ** 20; // bytes of a file that is looked at
  const MOST = 5000; // files of a folder that are looked at
  const HOLD_EXERCISES = ["course", "tensors", "library"]; // packs: answers are those of all chapters
  const IS_ANSWER = /\.(py|h|cpp|cu|zip)$/i;
  const list = (ids) => ids.join(", ");

  // The files below an entry of a drop: [path, file]. What begins with a point is no answer.
  async function walk(entry, found, path = "") {
    if (entry.name.startsWith(".") || found.length >= MOST) return;
    if (entry.isFile) {
      if (IS_ANSWER.test(entry.name)) found.push([path + entry.name, await new Promise((...done) => entry.file(...done))]);
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((...done) => reader.readEntries(...done)); // a hundred at a time
      if (!some.length) return;
      for (const one of some) await walk(one, found, `${path}${entry.name}/`);
    }
  }

  // Chromium does not read entries in a page opened as a file; it has handles instead.
  async function walkHandle(handle, found, path = "") {
    if (handle.name.startsWith(".") || found.length >= MOST) return;
    if (handle.kind === "directory") {
      for await (const one of handle.values()) await walkHandle(one, found, `${path}${handle.name}/`);
    } else if (IS_ANSWER.test(handle.name)) found.push([path + handle.name, await handle.getFile()]);
  }

  // A drop can be asked only until its event ends: so all is asked before the first wait.
  async function dropped(items) {
    const files = [...items].filter((one) => one.kind === "file");
    const given = files.map((one) => [one.getAsFile(), one.webkitGetAsEntry(), one.getAsFileSystemHandle?.().catch(() => null)]);
    const found = [];
    for (const [file, entry, handle] of given) {
      if (entry && !entry.isDirectory && file) found.push([file.name, file]);
      else if (await handle) await walkHandle(await handle, found);
      else if (entry) await walk(entry, found);
      else if (file) found.push([file.name, file]);
    }
    return found.filter(([name]) => IS_ANSWER.test(name));
  }

  class Answers {
    constructor(panel, exercises) {
      Object.assign(this, { exercises, panel, busy: false });
      this.count = make("p", { class: "live-count" });
      this.status = make("div", { class: "live-status live-brought", role: "status" });
      this.clock = new Clock();
      this.progress = new Progress("Progress of your answers");
      const takes = button("Download my answers", "Download my answers", () => this.download());
      const zip = this.chooser("Bring in a zip", { accept: ".zip", multiple: "" });
      const folder = this.chooser("Bring in a folder", { webkitdirectory: "" });
      const bar = make("div", { class: "live-bar" }, takes, ...zip, ...folder, this.clock.element);
      const help = make("p", { class: "live-help" }, "Or drop the folder workbook of a clone, or such a zip, on this page.");
      panel.append(this.count, bar, help, this.progress.element, this.status);
      this.hearDrops();
      this.show();
    }

    // A button and the hidden field that asks for files.
    chooser(words, attributes) {
      const field = make("input", { type: "file", hidden: "", "aria-label": words, ...attributes });
      field.addEventListener("change", async () => {
        const files = [...field.files].map((one) => [one.webkitRelativePath || one.name, one]);
        await this.bringIn(files.filter(([name]) => IS_ANSWER.test(name)));
        field.value = "";
      });
      return [button(words, `${words} of answers`, () => field.click()), field];
    }

    hearDrops() {
      const isFiles = (event) => event.dataTransfer?.types.includes("Files");
      document.addEventListener("dragover", (event) => isFiles(event) && event.preventDefault());
      document.addEventListener("drop", async (event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        const found = dropped(event.dataTransfer.items);
        this.panel.scrollIntoView({ block: "nearest" });
        await this.during("reading what you dropped ...", async () => this.take(await found));
      });
    }

    show() {
      const ids = Object.keys(this.exercises);
      const passed = ids.filter((id) => store.passed(id) !== null).length;
      this.count.textContent = `You have passed ${passed} of the ${ids.length} exercises of this page.`;
    }

    say(...lines) {
      this.status.replaceChildren(...lines.map((one) => make("p", {}, one)));
    }

    async during(words, action) {
      if (this.busy) return;
      this.busy = true;
      this.say(words);
      this.clock.start();
      try {
        await action();
      } catch (error) {
        this.say(error.message);
      }
      this.clock.stop();
      this.progress.end();
      this.busy = false;
    }

    async ask(call, given) {
      const needs = HOLD_EXERCISES.filter((name) => name in norchLive.packs);
      const one = await norchLive.python((message) => this.progress.show(message), needs);
      try {
        return (await one.ask({ do: "answers", call, given })).found;
      } finally {
        one.end();
      }
    }

    download() {
      return this.during("writing the folder ...", async () => {
        const bodies = store.all();
        const ids = Object.keys(bodies);
        if (!ids.length) return this.say("You have written no answer yet.");
        const bytes = await this.ask("folder", bodies);
        const address = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
        make("a", { href: address, download: "workbook.zip" }).click();
        setTimeout(() => URL.revokeObjectURL(address), 60000);
        this.say("Unpack it in a clone of norch: make check grades what its folder workbook holds.");
      });
    }

    bringIn(files) {
      return this.during("reading the files ...", () => this.take(files));
    }

    async take(files) {
      const given = {};
      for (const [name, file] of files.slice(0, MOST)) {
        if (file.size <= LARGEST) given[name] = new Uint8Array(await file.arrayBuffer());
      }
      const { bodies, said } = await this.ask("answers", given);
      const [fresh, old] = [[], []];
      for (const [id, body] of Object.entries(bodies)) (this.put(id, body) ? fresh : old).push(id);
      const lines = [...said];
      if (old.length) lines.unshift(`As they were: ${list(old)}.`);
      if (fresh.length) lines.unshift(`Brought in: ${list(fresh)}. A text that gave way can be brought back at its exercise.`);
      if (!lines.length) lines.push("The folder is a workbook, and nothing is written in it yet.");
      this.say(...lines);
    }

    // Returns whether the answer is new. That of another page's exercise waits for its page.
    put(id, body) {
      const old = this.exercises[id]?.editor.area.value ?? store.text(id);
      if (store.same(old, body)) return false;
      if (this.exercises[id]) this.exercises[id].replace(body);
      else {
        if (old !== null) store.keepOlder(id, old);
        store.keep(id, body);
      }
      return true;
    }
  }

  norchLive.addAnswers = (panel, exercises) => {
    if (!Object.keys(exercises).length) return;
    const answers = new Answers(panel, exercises);
    norchLive.countPassed = () => answers.show();
  };
})();
