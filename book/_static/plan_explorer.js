// The plan explorer of the page on planning: sliders choose a model and how ranks share it; bars show what that costs.
//
// All numbers were tabulated by norch.distributed.simulate when the page was made (lessons/plans.py). Here they are
// looked up and added, nothing is simulated. Without JavaScript, and on paper, a reader sees a table.
"use strict";

(() => {
  const MEMORY = ["weights", "gradients", "optimizer", "activations"]; // columns of a row, after the micro-batches
  const TIME = ["computing", "computing again", "sending", "waiting", "optimizer"];
  const FREE = ["tensor", "pipeline", "ZeRO", "recompute"]; // what a plan may choose; the rest is the task
  const START = { model: 1, ranks: 1, batch: 1, tensor: 0, pipeline: 0, ZeRO: 0, recompute: 0 };

  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

  // The place of a choice, {slider: number of its value}, among the rows: the last slider is the fastest.
  function place(table, choice) {
    return Object.entries(table.sliders).reduce((at, [name, values]) => at * values.length + choice[name], 0);
  }

  // What a choice costs, or nothing where ranks or samples cannot be dealt out so.
  function costs(table, choice) {
    const row = table.rows[place(table, choice)];
    if (!row) return null;
    const value = (name) => table.sliders[name][choice[name]];
    const memory = row.slice(1, 5).map((number) => number / 10), seconds = row.slice(5).map((number) => number / 1000);
    const operations = table.operations[value("model")] * value("batch") * table.tokens;
    const mfu = operations / (sum(seconds) * value("ranks") * table.peak);
    return { microBatches: row[0], memory, seconds, mfu, fits: sum(memory) <= table.room };
  }

  function why(table, choice) {
    const value = (name) => table.sliders[name][choice[name]];
    const copy = value("tensor") * value("pipeline");
    if (copy > value("ranks")) return `${value("tensor")} tensor and ${value("pipeline")} pipeline want ${copy} ranks, and there are ${value("ranks")}.`;
    return `${value("batch")} samples cannot be dealt to ${value("ranks") / copy} copies of the model: cut the model into more parts, or take a larger batch.`;
  }

  // The fastest choice for the same model, ranks and batch that fits into a rank's memory.
  function fastest(table, choice) {
    let found = null, least = Infinity;
    const visit = (trial, [name, ...rest]) => {
      if (name) return table.sliders[name].forEach((_, i) => visit({ ...trial, [name]: i }, rest));
      const cost = costs(table, trial);
      if (cost?.fits && sum(cost.seconds) < least) [found, least] = [trial, sum(cost.seconds)];
      return null;
    };
    visit(choice, FREE);
    return found;
  }

  if (typeof module !== "undefined") module.exports = { place, costs, why, fastest, START };

  if (typeof customElements !== "undefined") {
    const make = (tag, given, ...children) => {
      const made = Object.assign(document.createElement(tag), given);
      made.append(...children);
      return made;
    };
    const round = (number) => (number >= 100 ? number.toFixed(0) : number >= 1 ? number.toFixed(1) : number.toFixed(2));

    class PlanExplorer extends HTMLElement {
      connectedCallback() {
        if (document.readyState !== "loading") this.begin(); // before that, what is inside has not been read yet
        else document.addEventListener("DOMContentLoaded", () => this.begin(), { once: true });
      }

      begin() {
        if (this.table) return; // moved, not made
        this.table = JSON.parse(this.querySelector("script").textContent);
        this.setAttribute("role", "group");
        this.setAttribute("aria-label", "Plan explorer");
        this.ranges = {};
        const form = make("form", { onsubmit: (event) => event.preventDefault() });
        for (const [name, values] of Object.entries(this.table.sliders)) form.append(this.slider(name, values));
        const buttons = make("div", { className: "buttons" });
        buttons.append(make("button", { type: "button", onclick: () => this.search() }, "fastest that fits"));
        buttons.append(make("button", { type: "button", onclick: () => this.set(START) }, "start again"));
        this.say = make("p", { className: "say" });
        this.say.setAttribute("role", "status");
        this.bars = make("div", { className: "bars" });
        this.append(make("div", { className: "panel" }, form, buttons, this.say, this.bars));
        this.set(START);
      }

      slider(name, values) {
        const shown = make("output", {});
        const range = make("input", { type: "range", min: 0, max: values.length - 1, step: 1 });
        range.addEventListener("input", () => this.set({ ...this.choice, [name]: Number(range.value) }));
        this.ranges[name] = { range, shown };
        return make("label", {}, make("span", {}, `${name} `, shown), range);
      }

      text(name, number) {
        const value = this.table.sliders[name][number];
        if (name === "batch") return `${value} samples`;
        return typeof value === "number" ? value.toLocaleString("en") : value;
      }

      set(choice) {
        this.choice = { ...choice };
        for (const [name, { range, shown }] of Object.entries(this.ranges)) {
          range.value = choice[name];
          shown.textContent = this.text(name, choice[name]);
          range.setAttribute("aria-valuetext", shown.textContent);
        }
        this.draw(costs(this.table, choice));
      }

      search() {
        const found = fastest(this.table, this.choice);
        if (found) this.set(found);
        else this.complain("No plan of these sliders fits: take more ranks, a smaller batch, or a smaller model.");
      }

      complain(words) {
        this.say.textContent = words;
        this.say.classList.add("error");
      }

      draw(cost) {
        this.say.classList.remove("error");
        if (!cost) {
          this.bars.replaceChildren();
          return this.complain(why(this.table, this.choice));
        }
        const { room } = this.table, total = sum(cost.memory);
        const fits = cost.fits ? "fits" : "does not fit";
        const micro = cost.microBatches > 1 ? `, in ${cost.microBatches} micro-batches` : "";
        this.say.textContent = `${round(total)} GB a rank: ${fits} into ${room} GB. A step takes ${round(sum(cost.seconds))} s${micro}: MFU ${(100 * cost.mfu).toFixed(0)} %.`;
        this.bars.replaceChildren(
          this.bar(`memory of a rank, GB (line: ${room})`, MEMORY, cost.memory, Math.max(total, room * 1.25), room),
          this.bar("seconds of a step", TIME, cost.seconds, sum(cost.seconds)),
        );
        return null;
      }

      bar(title, names, numbers, whole, mark) {
        const strip = make("div", { className: "strip" });
        const list = make("ul", {});
        numbers.forEach((number, i) => {
          const colour = `var(--fig-c${i})`;
          const piece = make("i", {});
          Object.assign(piece.style, { width: `${(100 * number) / whole}%`, background: colour });
          strip.append(piece);
          const key = make("i", {});
          key.style.background = colour;
          list.append(make("li", {}, key, `${names[i]} ${round(number)}`));
        });
        if (mark) strip.append(Object.assign(make("b", {}), { style: `left: ${(100 * mark) / whole}%` }));
        return make("div", {}, make("h3", {}, title), strip, list);
      }
    }
    customElements.define("plan-explorer", PlanExplorer);
  }
})();
