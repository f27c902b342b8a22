// The block map of chapter 3: which thread takes which elements, and which memory a warp touches.
//
// The first half is the lesson's arithmetic as pure functions on a launch {elements, threads, blocks,
// stride, read, loop}; a test compares them with plain Python and with a kernel on the simulator.
// The second half draws. No library, no network; without JavaScript the page shows the fallback
// inside the element. Everything stands in one function: pages load this beside other scripts.
"use strict";

(() => {
  const WARP = 32, PIECE = 32, ITEM = 4; // threads in a warp, bytes of a piece, bytes of a float
  const LIMITS = { elements: [0, 512], threads: [1, 1024], blocks: [1, 256], stride: [0, 64], read: [1, 512] };
  const DRAWN = 256;

  // The elements a thread asks for, the first one beyond the end included.
  function asked(x, number) {
    const found = [number];
    const step = x.threads * x.blocks;
    while (x.loop && found.at(-1) < x.elements) found.push(found.at(-1) + step);
    return found;
  }

  function shares(x) {
    const everybody = Array.from({ length: x.threads * x.blocks }, (_, number) => number);
    return everybody.map((number) => asked(x, number).filter((element) => element < x.elements));
  }

  function warp(x, number) {
    const block = Math.floor(number / x.threads);
    const index = Math.floor((number % x.threads) / WARP);
    const first = block * x.threads + index * WARP;
    const last = Math.min(first + WARP, (block + 1) * x.threads);
    return { block, index, numbers: Array.from({ length: last - first }, (_, i) => first + i) };
  }

  const piece = (x, element) => Math.floor((ITEM * x.stride * element) / PIECE);

  // The pieces of memory that the warp of a thread touches in the chosen read.
  function segments(x, number) {
    const read = warp(x, number).numbers.map((other) => asked(x, other)[x.read - 1]);
    const inside = read.filter((element) => element !== undefined && element < x.elements);
    return [...new Set(inside.map((element) => piece(x, element)))].sort((a, b) => a - b);
  }

  function reads(x) {
    return Math.max(1, x.loop ? Math.ceil(x.elements / (x.threads * x.blocks)) : 1);
  }

  function problem(x) {
    for (const [name, [low, high]] of Object.entries(LIMITS)) {
      if (!Number.isInteger(x[name])) return `${name}: expected a whole number`;
      if (x[name] < low || x[name] > high) return `${name} is ${x[name]}; it goes from ${low} to ${high}`;
    }
    const all = x.threads * x.blocks;
    if (all > DRAWN) return `${x.blocks} blocks of ${x.threads} are ${all} threads; this map draws up to ${DRAWN}`;
    if (x.read > reads(x)) return `read is ${x.read}, and no thread reads more often than ${reads(x)}`;
    return null;
  }

  const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  function whole(x) {
    const all = x.threads * x.blocks;
    const idle = Math.max(all - x.elements, 0), left = x.loop ? 0 : Math.max(x.elements - all, 0);
    const rest = [];
    if (idle) rest.push(`${many(idle, "thread")} without work`);
    if (left) rest.push(`${many(left, "element")} that nobody takes, from ${all} on`);
    return `${many(x.elements, "element")}, ${many(all, "thread")}${rest.length ? `: ${rest.join(", ")}` : ""}.`;
  }

  function sentence(x, number) {
    const block = Math.floor(number / x.threads), thread = number % x.threads;
    const mine = asked(x, number).filter((element) => element < x.elements);
    const who = `Thread ${thread} of block ${block} is number ${block} * ${x.threads} + ${thread} = ${number}`;
    if (mine.length === 0) return `${who}. That is beyond the end: it takes nothing.`;
    return `${who} and takes ${mine.length === 1 ? "element" : "elements"} ${mine.join(", ")}.`;
  }

  function traffic(x, number) {
    const { block, index, numbers } = warp(x, number);
    const where = `Read ${x.read} of warp ${index} in block ${block}`;
    return `${where} (${many(numbers.length, "thread")}) touches ${many(segments(x, number).length, "piece")} of ${PIECE} bytes.`;
  }

  if (typeof module !== "undefined") module.exports = { shares, segments, reads, problem, whole, sentence, traffic };

  // ---- Drawing ----------------------------------------------------------------------------------

  const START = { elements: 14, threads: 4, blocks: 2, stride: 1, read: 1, loop: true };
  const EXAMPLES = {
    "one element each": { elements: 10, threads: 4, blocks: 3, stride: 1, read: 1, loop: false },
    "a loop": START,
    "two warps": { elements: 64, threads: 64, blocks: 1, stride: 1, read: 1, loop: false },
    "stride 8": { elements: 64, threads: 64, blocks: 1, stride: 8, read: 1, loop: false },
  };
  const LABELS = { elements: "elements", threads: "threads in a block", blocks: "blocks", stride: "element stride", read: "read number" };
  const SHOWN = 4; // elements written into one thread

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function number(name, text) {
    if (!/^\s*-?\d+\s*$/.test(text)) throw new Error(`${LABELS[name]}: expected a whole number, got "${text}"`);
    return Number(text);
  }

  class BlockMap {
    constructor(root) {
      this.threads = element("div", { class: "scroll", role: "listbox", "aria-label": "threads" });
      this.heading = element("h3", {});
      this.memory = element("div", { class: "pieces", role: "img" });
      this.say = element("p", { class: "say", role: "status", "aria-live": "polite" });
      root.replaceChildren(
        this.form(), this.examples(), this.say,
        element("h3", {}, "The threads (arrow keys: left and right a thread, up and down a block)"), this.threads,
        this.heading, this.memory,
      );
      this.set(START);
    }

    form() {
      const form = element("form", { "aria-label": "launch" });
      this.fields = {};
      for (const [name, label] of Object.entries(LABELS)) {
        const field = element("input", { type: "text", inputmode: "numeric", autocomplete: "off" });
        field.addEventListener("input", () => this.read());
        this.fields[name] = field;
        form.append(element("label", {}, label, field));
      }
      this.loop = element("select", {}, element("option", { value: "" }, "one element"), element("option", { value: "loop" }, "a loop over the grid"));
      this.loop.addEventListener("change", () => this.read());
      form.append(element("label", { class: "wide" }, "a thread takes", this.loop));
      form.addEventListener("submit", (event) => event.preventDefault());
      return form;
    }

    examples() {
      const group = element("div", { class: "buttons", role: "group", "aria-label": "examples" });
      for (const [label, launch] of Object.entries(EXAMPLES)) {
        const button = element("button", { type: "button" }, label);
        button.addEventListener("click", () => this.set(launch));
        group.append(button);
      }
      return group;
    }

    set(launch) {
      for (const name of Object.keys(LABELS)) this.fields[name].value = String(launch[name]);
      this.loop.value = launch.loop ? "loop" : "";
      this.chosen = 0;
      this.read();
    }

    read() {
      try {
        const launch = { loop: this.loop.value === "loop" };
        for (const name of Object.keys(LABELS)) launch[name] = number(name, this.fields[name].value);
        const wrong = problem(launch);
        if (wrong) throw new Error(wrong);
        this.draw(launch);
      } catch (error) {
        this.say.textContent = `${error.message}. The map below is the last one that was possible.`;
        this.say.classList.add("error");
      }
    }

    draw(launch) {
      this.launch = launch;
      this.chosen = Math.min(this.chosen, launch.threads * launch.blocks - 1);
      this.cells = shares(launch).map((mine, k) => this.cell(mine, k));
      const blocks = Array.from({ length: launch.blocks }, (_, block) => {
        const cells = this.cells.slice(block * launch.threads, (block + 1) * launch.threads);
        const row = element("div", { class: "block", role: "group", "aria-label": `block ${block}` });
        row.append(element("span", { class: "name", "aria-hidden": "true" }, `block ${block}`), ...cells);
        return row;
      });
      this.threads.replaceChildren(...blocks);
      this.choose(this.chosen);
    }

    cell(mine, k) {
      const beyond = asked(this.launch, k).filter((one) => one >= this.launch.elements);
      const cell = element("div", { class: "thread", role: "option", "aria-description": sentence(this.launch, k) });
      cell.append(element("small", {}, `t${k % this.launch.threads}`));
      for (const one of mine.slice(0, SHOWN)) cell.append(element("span", {}, String(one)));
      if (mine.length > SHOWN) cell.append(element("span", {}, `+${mine.length - SHOWN}`));
      for (const one of beyond) cell.append(element("span", { class: "beyond" }, String(one)));
      if (mine.length) cell.style.background = `var(--fig-c${Math.floor(k / this.launch.threads) % 6})`;
      cell.addEventListener("click", () => this.choose(k, true));
      cell.addEventListener("keydown", (event) => this.walk(event, k));
      return cell;
    }

    choose(k, focus = false) {
      this.chosen = k;
      const together = new Set(warp(this.launch, k).numbers);
      this.cells.forEach((cell, other) => {
        cell.tabIndex = other === k ? 0 : -1;
        cell.setAttribute("aria-selected", String(other === k));
        cell.classList.toggle("hot", other === k);
        cell.classList.toggle("together", together.has(other));
      });
      if (focus) this.cells[k].focus();
      this.drawPieces(k);
      this.say.classList.remove("error");
      this.say.textContent = [sentence(this.launch, k), traffic(this.launch, k), whole(this.launch)].join(" ");
    }

    drawPieces(k) {
      const found = segments(this.launch, k), touched = new Set(found);
      const mine = asked(this.launch, k)[this.launch.read - 1];
      const own = mine !== undefined && mine < this.launch.elements ? piece(this.launch, mine) : -1;
      const low = found.length ? found[0] : 0, high = found.length ? found.at(-1) : -1;
      const squares = [];
      for (let at = low; at <= high; at += 1) {
        const square = element("span", { title: `piece ${at}: bytes ${at * PIECE} to ${at * PIECE + PIECE - 1}` });
        square.classList.toggle("touched", touched.has(at));
        square.classList.toggle("hot", at === own);
        squares.push(square);
      }
      const range = low === high ? `piece ${low}` : `pieces ${low} to ${high}`;
      this.heading.textContent = found.length
        ? `Memory, ${range} of ${PIECE} bytes: ${found.length} touched`
        : "Memory: this warp reads nothing";
      this.memory.setAttribute("aria-label", found.length ? `touched pieces: ${found.join(", ")}` : "no piece is touched");
      this.memory.replaceChildren(...squares);
    }

    walk(event, k) {
      const { threads } = this.launch;
      const moves = { ArrowLeft: k - 1, ArrowRight: k + 1, ArrowUp: k - threads, ArrowDown: k + threads, Home: 0, End: this.cells.length - 1 };
      if (moves[event.key] === undefined) return;
      event.preventDefault();
      if (this.cells[moves[event.key]]) this.choose(moves[event.key], true);
    }
  }

  if (typeof document !== "undefined") {
    document.addEventListener("DOMContentLoaded", () => {
      document.querySelectorAll(".block-map").forEach((root) => new BlockMap(root));
    });
  }
})();
