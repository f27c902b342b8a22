// The page that trains a network: choices, the loss while it falls, what came of it, and a pad to draw on.
// Python does all that is computed (python/live_train.py): this draws what it tells. One Python trains, and then
// reads; training again, or stopping, ends it.
"use strict";
(() => {
  const { Pad, Scores, element, drawing, judged, sentence, INVITATION } = window.digitReader;
  const NETWORKS = { mlp: "MLP: two hidden layers", cnn: "CNN: two convolutions, some ten times slower" };
  const EPOCHS = { mnist: 2, small: 20, most: 100 };
  const CLONE = "C++ trains in a clone: make mnist MINE=1";
  const whole = (number) => number.toLocaleString("en");

  const hasMnist = () => "mnist" in norchLive.packs;

  // The answers that have passed in this browser, by exercise, in the order of the course.
  function answers() {
    const found = norchLive.store.all("passed");
    const place = (id) => id.split(".").reduce((chapter, number) => 100 * chapter + Number(number), 0);
    return Object.fromEntries(Object.keys(found).sort((a, b) => place(a) - place(b)).map((id) => [id, found[id]]));
  }

  // The mean loss of each epoch so far, over all images: a line for each epoch, in the colours of the figures.
  class Chart {
    constructor(epochs) {
      this.epochs = epochs;
      this.lines = [];
      this.root = drawing("svg", { role: "img", class: "losses" });
      this.seen = new ResizeObserver(() => this.draw());
      this.seen.observe(this.root);
    }

    add({ title, seen, total, loss }) {
      if (this.lines.at(-1)?.title !== title) this.lines.push({ title, points: [] });
      this.lines.at(-1).points.push([this.lines.length - 1 + seen / total, loss]);
      this.draw();
    }

    text(x, y, words, anchor) {
      const one = drawing("text", { x, y, "text-anchor": anchor });
      one.textContent = words;
      return one;
    }

    draw() {
      const wide = Math.max(260, this.root.clientWidth), high = 190, left = 34, right = 64, top = 30, bottom = 26;
      const most = Math.max(1, ...this.lines.map(({ points }) => points[0][1]));
      const across = (wide - left - right) / this.epochs, up = (high - top - bottom) / most;
      const x = (at) => (left + across * at).toFixed(1), y = (loss) => (high - bottom - up * loss).toFixed(1);
      this.root.setAttribute("viewBox", `0 0 ${wide} ${high}`);
      this.root.setAttribute("height", high);
      const made = [this.text(0, 14, "mean loss of the epoch so far", "start")];
      for (let mark = 0; mark <= most; mark += most > 1.5 ? 0.5 : 0.25) {
        made.push(drawing("path", { class: mark ? "grid" : "axis", d: `M${left},${y(mark)}H${wide - right}` }));
        made.push(this.text(left - 6, Number(y(mark)) + 4, mark ? String(mark) : "0", "end"));
      }
      made.push(this.text(left, high - 8, "epoch 1", "start"));
      if (this.epochs > 1) made.push(this.text(wide - right, high - 8, `epoch ${this.epochs}`, "end"));
      for (const { points } of this.lines) {
        made.push(drawing("polyline", { points: points.map(([at, loss]) => `${x(at)},${y(loss)}`).join(" ") }));
      }
      const last = this.lines.at(-1)?.points.at(-1);
      if (last) {
        made.push(drawing("circle", { cx: x(last[0]), cy: y(last[1]), r: 4 }));
        made.push(this.text(Number(x(last[0])) + 9, Number(y(last[1])) + 4, last[1].toFixed(4), "start"));
        this.root.setAttribute("aria-label", `the mean loss, now ${last[1].toFixed(4)}`);
      }
      this.root.replaceChildren(...made);
    }
  }

  // A pad on the network that was just trained. Drawing is quicker than reading: the newest image waits, others go.
  class Reader {
    constructor(python) {
      this.python = python;
      this.pad = new Pad((pixels) => this.read(pixels));
      this.scores = new Scores();
      this.say = element("p", { class: "say", role: "status", "aria-live": "polite" }, INVITATION);
      const clear = element("button", { type: "button" }, "clear");
      clear.addEventListener("click", () => this.pad.empty());
      const left = element("div", {}, this.pad.root, element("div", { class: "buttons" }, clear));
      const sides = element("div", { class: "sides" }, left, element("div", { class: "result" }, this.say, this.scores.root));
      this.root = element("div", { class: "digit-reader" }, sides);
    }

    async read(pixels) {
      this.newest = pixels;
      if (this.isReading) return;
      this.isReading = true;
      try {
        while (this.newest) {
          const given = this.newest;
          this.newest = null;
          this.show(given, await this.python.ask({ do: "call", module: "live_train", name: "read", given }));
        }
      } catch (error) {
        this.say.textContent = error.message;
      }
      this.isReading = false;
    }

    show(pixels, { value }) {
      const empty = pixels.every((one) => one === 0), found = judged(value);
      this.scores.show(found, empty);
      this.say.textContent = empty ? INVITATION : sentence(found);
    }
  }

  class Trainer {
    constructor(root) {
      this.root = root;
      this.answers = answers();
      this.status = element("p", { class: "say", role: "status" });
      this.count = element("p", { class: "count" });
      this.bar = element("progress", { max: 1, value: 0, "aria-label": "progress" });
      this.results = element("div", { class: "results" });
      root.replaceChildren(this.form(), this.status, this.bar, this.count, this.results);
      this.bar.hidden = true;
      root.dataset.state = "ready";
    }

    form() {
      const options = Object.entries(NETWORKS).map(([value, words]) => element("option", { value }, words));
      this.model = element("select", {}, ...options);
      const count = hasMnist() ? EPOCHS.mnist : EPOCHS.small;
      this.epochs = element("input", { type: "number", min: 1, max: EPOCHS.most, step: 1, value: count, required: "" });
      this.start = element("button", { type: "submit", class: "start" }, "Train");
      this.stop = element("button", { type: "button" }, "Stop");
      this.stop.addEventListener("click", () => this.end("stopped: this network is gone, Train begins a new one"));
      this.stop.disabled = true;
      const network = element("label", {}, "network", this.model), epochs = element("label", { class: "short" }, "epochs", this.epochs);
      const form = element("form", {}, network, epochs, this.mine(), element("div", { class: "buttons" }, this.start, this.stop));
      form.addEventListener("submit", (event) => { event.preventDefault(); this.train(); });
      return form;
    }

    mine() {
      const ids = Object.keys(this.answers);
      this.uses = element("input", { type: "checkbox" });
      this.uses.checked = ids.length > 0;
      if (!ids.length) return element("p", { class: "mine" }, "No exercise has passed in this browser yet: the library's own lines train.");
      const words = ids.length === 1 ? `with my answer to exercise ${ids[0]}` : `with my ${ids.length} answers: ${ids.join(", ")}`;
      return element("label", { class: "mine" }, this.uses, words);
    }

    say(words) {
      if (this.status.textContent !== words) this.status.textContent = words; // a screen reader hears it once
    }

    // Training is over, well or not: the buttons change places.
    rest(words) {
      this.say(words);
      this.start.disabled = false;
      this.stop.disabled = true;
      this.bar.hidden = true;
      this.root.dataset.state = "ready";
    }

    end(words) {
      const old = this.python;
      this.run = this.python = null;
      if (old) old.end();
      if (words) this.rest(words);
    }

    progress(value, words) {
      this.bar.value = value;
      this.count.textContent = words;
    }

    async train() {
      this.end();
      const run = (this.run = {}); // another one, or none, once this is stopped
      const used = this.uses.checked ? this.answers : {};
      this.start.disabled = true;
      this.stop.disabled = false;
      this.bar.hidden = false;
      this.root.dataset.state = "training";
      this.results.replaceChildren();
      this.progress(0, "");
      try {
        const python = await this.begin(run);
        if (this.run !== run) return python.end();
        this.python = python;
        this.say("Python reads the library ...");
        this.progress(0, "");
        const given = { model: this.model.value, epochs: this.epochs.valueAsNumber, answers: used, images: norchLive.images ?? 0 };
        this.chart = new Chart(given.epochs);
        this.log = element("pre", { class: "log", tabindex: "0", "aria-label": "what the program prints" });
        this.began = performance.now();
        const { value } = await python.ask({ do: "call", module: "live_train", name: "train", given }, (news) => this.hear(news));
        if (this.run === run) this.show(value);
      } catch (error) {
        if (this.run === run) this.fail(error, Object.keys(used));
      }
    }

    begin(run) {
      const heard = ({ kind, done, total }) => {
        if (kind !== "progress" || this.run !== run) return;
        this.progress(done / total, `${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`);
      };
      this.say(`loading Python, the library${hasMnist() ? " and MNIST" : ""} ...`);
      return norchLive.python(heard, [...norchLive.needs, ...(hasMnist() ? ["mnist"] : [])]);
    }

    hear({ kind, value }) {
      if (kind === "answers") this.titles = value;
      if (kind === "data") this.meet(value);
      if (kind === "line") this.log.append(`${value}\n`);
      if (kind === "loss") this.step(value);
    }

    meet({ images, tests, mnist }) {
      const which = mnist ? "digits of MNIST" : "small digits that norch carries (MNIST was not there when this book was built)";
      this.results.replaceChildren(this.chart.root, this.log);
      this.say(`training on ${whole(images)} ${which}; ${whole(tests)} others are kept for the test`);
      this.trains = performance.now();
    }

    step(news) {
      const { title, seen, total } = news;
      this.chart.add(news);
      const done = (this.chart.lines.length - 1 + seen / total) / this.chart.epochs;
      const seconds = (performance.now() - this.trains) / 1000;
      const left = done < 1 ? `, about ${Math.ceil(seconds / done - seconds)} s left` : ", now the test";
      this.progress(done, `${title}: ${whole(seen)} of ${whole(total)} digits, ${seconds.toFixed(0)} s${left}`);
    }

    show({ accuracy, digits, ran }) {
      const seconds = (performance.now() - this.began) / 1000;
      this.count.textContent = "";
      this.reader = new Reader(this.python);
      const figure = Object.assign(element("div", {}), { innerHTML: digits });
      const parts = [
        element("h3", {}, "The first digits of the test, each below what it was taken for"), figure,
        element("h3", {}, "Draw a digit: your network reads it"), this.reader.root,
      ];
      const mine = this.lines(ran);
      if (mine) parts.unshift(element("p", { class: "ran" }, mine));
      this.results.append(...parts);
      this.rest(`test accuracy: ${(100 * accuracy).toFixed(2)} % (${seconds.toFixed(0)} s in all). Now draw a digit, below.`);
    }

    lines(ran) {
      if (!this.titles) return "";
      const { used, left } = this.titles;
      const word = ([id, [count, all]]) => `${id} ${used[id]} (${count} of ${all} lines)`;
      const [busy, idle] = [(count) => count > 0, (count) => !count].map((test) => Object.entries(ran).filter(([, [count]]) => test(count)));
      const said = busy.length ? [`Your lines that ran: ${busy.map(word).join("; ")}.`] : ["None of your lines was needed by this network."];
      if (busy.length && idle.length) said.push(`Not needed: ${idle.map(([id]) => id).join(", ")}.`);
      if (left.length) said.push(`Left out: ${left.join(", ")} (${CLONE}).`);
      return said.join(" ");
    }

    fail(error, ids) {
      this.end();
      const advice = ids.length ? ` Your answers were in the library (${ids.join(", ")}): train without them, or check them again.` : "";
      this.rest(`it failed: ${error.message}.${advice}`);
    }
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".network-trainer").forEach((root) => new Trainer(root)));
})();
