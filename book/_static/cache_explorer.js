// The cache explorer of chapter 2: a loop order is chosen; which lines of memory does it fetch?
//
// The first half is lessons/caches.py once more: the same cache, the same loops; a test compares
// them. The second half shows a moment of the loop and the total of each order. Nothing is timed.
"use strict";

(() => {
  const APART = 256; // steps between two moments that a replay keeps

  class Cache {
    constructor(capacity) {
      this.capacity = capacity;
      this.kept = new Set(); // the oldest first
    }

    // Ask for a line; say whether it was there. Afterwards it is.
    has(line) {
      const wasThere = this.kept.delete(line);
      if (!wasThere && this.kept.size === this.capacity)
        this.kept.delete(this.kept.values().next().value);
      this.kept.add(line);
      return wasThere;
    }
  }

  const range = (from, end) => Array.from({ length: end - from }, (_, i) => from + i);

  // The loops as [counter, values], the outermost first.
  function nest({ order, size, line }) {
    if (order !== "blocked") return [[...order].map((name) => [name, range(0, size)])];
    const side = Math.max(4, line),
      starts = range(0, size / side).map((k) => k * side);
    return starts.flatMap((p) =>
      starts.map((j) => [
        ["i", range(0, size)],
        ["p", range(p, p + side)],
        ["j", range(j, j + side)],
      ]),
    );
  }

  // The counters of each step, in order.
  function steps(task) {
    const found = [];
    const run = ([loop, ...inner], at) => {
      if (!loop) found.push(at);
      else for (const value of loop[1]) run(inner, { ...at, [loop[0]]: value });
    };
    for (const loops of nest(task)) run(loops, {});
    return found;
  }

  // A loop on its way: which lines are kept, how often each was fetched, what was asked for last.
  class Walk {
    constructor(task, operands) {
      Object.assign(this, {
        task,
        operands,
        cache: new Cache(task.capacity),
        fetched: new Map(),
        asked: [],
        total: 0,
      });
    }

    copy() {
      const made = new Walk(this.task, this.operands);
      made.cache.kept = new Set(this.cache.kept);
      made.fetched = new Map(this.fetched);
      made.asked = this.asked;
      made.total = this.total;
      return made;
    }

    take(at) {
      this.asked = this.operands.map(([matrix, [row, column]]) => {
        const { size, line: wide } = this.task;
        const line = `${matrix} ${Math.floor((at[row] * size + at[column]) / wide)}`;
        const isFetched = !this.cache.has(line);
        if (isFetched) this.fetched.set(line, (this.fetched.get(line) ?? 0) + 1);
        this.total += isFetched;
        return { matrix, row: at[row], column: at[column], line, isFetched };
      });
    }
  }

  function after(task, walked, operands) {
    const walk = new Walk(task, operands);
    for (const at of walked) walk.take(at);
    return walk;
  }

  // A loop that can be asked for any moment: every so many steps it keeps one to begin at.
  class Replay {
    constructor(task, walked, operands) {
      this.walked = walked;
      this.kept = [new Walk(task, operands)];
    }

    at(step) {
      const near = Math.min(Math.floor(step / APART), this.kept.length - 1);
      const walk = this.kept[near].copy();
      for (let done = near * APART; done < step; ) {
        walk.take(this.walked[done]);
        done += 1;
        if (done === this.kept.length * APART) this.kept.push(walk.copy());
      }
      return walk;
    }
  }

  if (typeof module !== "undefined") module.exports = { steps, after, Replay };

  // ---- Drawing ----------------------------------------------------------------------------------

  const NAMES = {
    ijp: "i j p (textbook)",
    ipj: "i p j (reordered)",
    blocked: "i p j in blocks",
    ij: "i j (along the rows)",
    ji: "j i (down the columns)",
  };
  const WORKS = { product: "matrix product", sum: "sum of a matrix" };
  const CELL = 12,
    GAP = 2; // units of a drawing; the page scales it
  const KEY =
    "Each box is a line; its number: how often it has been fetched. Green: in the cache. " +
    "Orange frame: fetched in this step. Ring: the element.";
  const nameOf = (order) => NAMES[order] ?? [...order].join(" ");
  const counted = (number, word) =>
    `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
  const listed = (words) =>
    [words.slice(0, -1).join(", "), words.at(-1)].filter(Boolean).join(" and ");

  // What the last step did, in words.
  function sentence(task, state, step, all, total) {
    const whole = `The whole loop fetches ${counted(total, "line")}.`;
    if (step === 0) return `Nothing has been asked for yet: ${counted(all, "step")}. ${whole}`;
    const wanted = state.asked.map(({ matrix, row, column }) => `${matrix}[${row}, ${column}]`);
    const fetched = state.asked.filter((one) => one.isFetched).map((one) => one.matrix);
    const now = fetched.length
      ? `It fetches a line of ${listed(fetched)}.`
      : "All of it is in the cache.";
    const taken = `${state.cache.kept.size} of ${task.capacity} places taken`;
    const soFar = `${counted(state.total, "line")} so far, ${taken}.`;
    const which = `Step ${step.toLocaleString("en")} of ${all.toLocaleString("en")}`;
    return `${which} asks for ${listed(wanted)}. ${now} ${soFar} ${whole}`;
  }

  function define({ make, draw, choice, slider, buttons, Explorer }) {
    class CacheExplorer extends Explorer {
      begin({ task, works, sizes, lines, capacities }) {
        this.works = works;
        const title = make("h3", {}, "loop order, the outermost first: lines fetched");
        const form = this.form(task, sizes, lines, capacities);
        this.orders = make("div", { className: "orders" });
        this.orders.setAttribute("role", "group");
        this.orders.setAttribute("aria-label", "loop order");
        this.slider = slider("step", 0, (step) => this.go(step));
        this.pictures = make("div", { className: "pictures" });
        const key = make("p", { className: "key" }, KEY);
        this.panel.append(form, title, this.orders, this.moves(), this.say, this.pictures, key);
        this.set(task);
      }

      form(task, sizes, lines, capacities) {
        const pick = (words, name, values, names = values) =>
          choice(words, values, task[name], names, (value) => this.set({ [name]: value }));
        const works = Object.keys(this.works);
        const named = works.map((name) => WORKS[name]);
        return make(
          "form",
          { onsubmit: (event) => event.preventDefault() },
          pick("work", "work", works, named),
          pick("rows and columns", "size", sizes),
          pick("elements of a line", "line", lines),
          pick("lines in the cache", "capacity", capacities),
        );
      }

      moves() {
        const row = buttons({
          start: () => this.go(0),
          back: () => this.go(this.step - 1),
          next: () => this.go(this.step + 1),
          "next fetch": () => this.seek(),
          end: () => this.go(this.walked.length),
        });
        row.append(this.slider);
        return row;
      }

      set(change) {
        this.task = { ...this.task, ...change };
        const { operands, orders } = this.works[this.task.work];
        if (!orders.includes(this.task.order)) this.task.order = orders[0];
        this.operands = operands;
        this.walked = steps(this.task);
        this.replay = new Replay(this.task, this.walked, operands);
        this.count(orders);
        this.drawOrders();
        this.drawMatrices();
        this.slider.max = this.walked.length;
        this.go(this.walked.length);
      }

      // The total of each order; they are kept while only the order changes.
      count(orders) {
        const { work, size, line, capacity } = this.task;
        const counted = [work, size, line, capacity].join(" ");
        if (this.counted === counted) return;
        this.counted = counted;
        this.totals = new Map(orders.map((order) => [order, this.total(order)]));
      }

      total(order) {
        const task = { ...this.task, order };
        return after(task, steps(task), this.operands).total;
      }

      // One button an order, with its bar: the longest is the order that fetches most.
      drawOrders() {
        const most = Math.max(...this.totals.values()),
          hadFocus = this.orders.contains(document.activeElement);
        const all = [...this.totals].map(([order, total]) => {
          const bar = make("i", {});
          bar.style.width = `${(100 * total) / most}%`;
          const button = make("button", { type: "button", onclick: () => this.set({ order }) });
          button.append(
            make("span", {}, nameOf(order)),
            make("span", { className: "bar" }, bar),
            make("b", {}, total.toLocaleString("en")),
          );
          button.setAttribute("aria-pressed", String(order === this.task.order));
          return button;
        });
        this.orders.replaceChildren(...all);
        if (hadFocus) this.orders.querySelector("[aria-pressed=true]").focus();
      }

      // One drawing a matrix: a box for each line, with room for how often it was fetched.
      drawMatrices() {
        this.boxes = new Map(); // by line
        this.drawings = new Map(); // by matrix
        this.pictures.replaceChildren(...this.operands.map(([name]) => this.matrix(name)));
      }

      matrix(name) {
        const { size, line } = this.task,
          side = size * CELL,
          wide = line * CELL - GAP;
        const picture = draw("svg", { viewBox: `-1 -1 ${side} ${side}`, role: "img" });
        for (let k = 0; k < (size * size) / line; k += 1) {
          const x = ((k * line) % size) * CELL,
            y = Math.floor((k * line) / size) * CELL;
          const box = draw("rect", { x, y, width: wide, height: CELL - GAP, rx: 1.5 });
          const times = draw("text", { x: x + wide / 2, y: y + 8.8 });
          picture.append(box, times);
          this.boxes.set(`${name} ${k}`, { box, times: line > 1 ? times : draw("text", {}) });
        }
        const dot = draw("circle", { r: 2.6 });
        picture.append(dot);
        this.drawings.set(name, { dot, picture });
        const matrix = make("div", {}, make("b", {}, name), picture);
        matrix.style.flex = `0 1 ${1.06 * side}px`; // as large as its words need
        return matrix;
      }

      go(step) {
        this.step = Math.min(Math.max(step, 0), this.walked.length);
        const state = this.replay.at(this.step);
        const fresh = new Set(state.asked.filter((one) => one.isFetched).map((one) => one.line));
        for (const [line, { box, times }] of this.boxes) {
          box.setAttribute(
            "class",
            [state.cache.kept.has(line) && "kept", fresh.has(line) && "fresh"]
              .filter(Boolean)
              .join(" "),
          );
          times.textContent = state.fetched.get(line) ?? "";
        }
        for (const [name] of this.operands) this.mark(name, state);
        this.slider.value = this.step;
        this.slider.setAttribute("aria-valuetext", `step ${this.step}`);
        this.say.textContent = sentence(
          this.task,
          state,
          this.step,
          this.walked.length,
          this.totals.get(this.task.order),
        );
      }

      mark(name, { asked, fetched }) {
        const { dot, picture } = this.drawings.get(name),
          at = asked.find((one) => one.matrix === name);
        dot.setAttribute("visibility", at ? "visible" : "hidden");
        if (at) dot.setAttribute("cx", at.column * CELL + CELL / 2 - 1);
        if (at) dot.setAttribute("cy", at.row * CELL + CELL / 2 - 1);
        const times = [...fetched]
          .filter(([line]) => line.startsWith(`${name} `))
          .reduce((sum, [, count]) => sum + count, 0);
        picture.setAttribute("aria-label", `matrix ${name}: ${counted(times, "line")} fetched`);
      }

      // To the next step that fetches something, or to the end.
      seek() {
        const walk = this.replay.at(this.step);
        let to = this.step;
        while (to < this.walked.length) {
          walk.take(this.walked[to]);
          to += 1;
          if (walk.asked.some((one) => one.isFetched)) break;
        }
        this.go(to);
      }
    }
    customElements.define("cache-explorer", CacheExplorer);
  }

  if (typeof document !== "undefined")
    document.addEventListener("DOMContentLoaded", () => define(globalThis.norchControls));
})();
