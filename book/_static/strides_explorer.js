// The strides explorer of chapter 1: edit a layout and see which memory it touches.
//
// The first half is the lesson's arithmetic as pure functions on {shape, strides, offset}; a test
// compares them with norch_strides. The second half draws. No library, no network; without
// JavaScript the page shows the fallback inside the element.
"use strict";

const BUFFER = 24; // elements of memory, named a to x

function rowMajor(shape) {
  const strides = [];
  let step = 1;
  for (const size of [...shape].reverse()) {
    strides.unshift(step);
    step *= Math.max(size, 1);
  }
  return strides;
}

const views = {
  contiguous: (x) => ({ shape: x.shape, strides: rowMajor(x.shape), offset: 0 }),
  transpose: (x) => ({ shape: [...x.shape].reverse(), strides: [...x.strides].reverse(), offset: x.offset }),
  slice: (x) => onLast(x, (size, stride) => [[Math.ceil(size / 2)], [stride * 2], 0]),
  flip: (x) => onLast(x, (size, stride) => [[size], [-stride || 0], Math.max(size - 1, 0) * stride]),
  broadcast: (x) => ({ shape: [3, ...x.shape], strides: [0, ...x.strides], offset: x.offset }),
  window: (x) => onLast(x, (size, stride) => [[size - 1, 2], [stride, stride], 0]),
};

function onLast(x, change) {
  if (x.shape.length === 0) throw new Error("an array without dimensions has no last dimension");
  const last = x.shape.length - 1;
  const [sizes, strides, shift] = change(x.shape[last], x.strides[last]);
  if (sizes.some((size) => size < 0)) throw new Error("the last dimension is too small for this view");
  return {
    shape: [...x.shape.slice(0, last), ...sizes],
    strides: [...x.strides.slice(0, last), ...strides],
    offset: x.offset + shift,
  };
}

function positions(x) {
  let found = [x.offset];
  x.shape.forEach((size, dim) => {
    found = found.flatMap((start) => Array.from({ length: size }, (_, i) => start + i * x.strides[dim]));
  });
  return found;
}

function isContiguous(x) {
  if (x.shape.includes(0)) return true;
  const dense = rowMajor(x.shape);
  return x.shape.every((size, dim) => size === 1 || x.strides[dim] === dense[dim]);
}

function problem(x) {
  if (x.shape.length !== x.strides.length) return "shape and strides differ in length: one stride a dimension";
  if (x.shape.length > 3) return "this explorer draws up to three dimensions";
  if (x.shape.some((size) => size < 0)) return "a size is negative; sizes count from 0 up";
  if (x.shape.reduce((a, b) => a * b, 1) > 96) return "this explorer draws up to 96 elements";
  const touched = positions(x);
  if (touched.length === 0) return null;
  const low = Math.min(...touched), high = Math.max(...touched);
  if (low < 0 || high >= BUFFER) return `the layout reaches positions ${low} to ${high}, the memory has 0 to ${BUFFER - 1}`;
  return null;
}

function formula(x, idx, position) {
  const terms = idx.map((i, dim) => `${i}*${x.strides[dim]}`);
  return `element (${idx.join(", ")}): ${[x.offset, ...terms].join(" + ")} = position ${position}`;
}

if (typeof module !== "undefined") module.exports = { views, positions, isContiguous, problem, formula };

// ---- Drawing ------------------------------------------------------------------------------------

const START = { shape: [3, 4], strides: [4, 1], offset: 0 };
const LABELS = {
  contiguous: "row-major", transpose: "transpose", slice: "every second column", flip: "flip",
  broadcast: "repeat 3 times", window: "windows of 2",
};

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function numbers(text) {
  const parts = text.split(/[\s,()[\]]+/).filter((part) => part !== "");
  const found = parts.map(Number);
  if (!found.every(Number.isInteger)) throw new Error(`expected whole numbers, got "${text}"`);
  return found;
}

const letter = (position) => String.fromCharCode(97 + position);

class Explorer {
  constructor(root) {
    this.fields = {};
    const form = element("form", { "aria-label": "layout" });
    for (const name of ["shape", "strides", "offset"]) {
      this.fields[name] = element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
      this.fields[name].addEventListener("input", () => this.read());
      form.append(element("label", {}, name, this.fields[name]));
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    const buttons = element("div", { class: "buttons", role: "group", "aria-label": "views" });
    for (const [name, label] of Object.entries(LABELS)) buttons.append(this.button(label, () => this.apply(name)));
    buttons.append(this.button("start again", () => this.set(START)));
    this.array = element("div", { class: "scroll" });
    this.memory = element("div", { class: "memory", role: "list", "aria-label": "memory" });
    this.say = element("p", { class: "say", role: "status", "aria-live": "polite" });
    root.replaceChildren(
      form, buttons, this.say,
      element("h3", {}, "The array (arrow keys walk through it)"), this.array,
      element("h3", {}, "The memory"), this.memory,
    );
    this.set(START);
  }

  button(label, action) {
    const made = element("button", { type: "button" }, label);
    made.addEventListener("click", action);
    return made;
  }

  apply(name) {
    try {
      this.set(views[name](this.layout));
    } catch (error) {
      this.complain(error.message);
    }
  }

  set(layout) {
    const wrong = problem(layout);
    if (wrong) return this.complain(`${wrong}. Nothing was changed.`);
    this.fields.shape.value = layout.shape.join(", ");
    this.fields.strides.value = layout.strides.join(", ");
    this.fields.offset.value = String(layout.offset);
    this.draw(layout);
  }

  read() {
    try {
      const [shape, strides, offset] = ["shape", "strides", "offset"].map((name) => numbers(this.fields[name].value));
      if (offset.length !== 1) throw new Error("the offset is one whole number");
      const layout = { shape, strides, offset: offset[0] };
      const wrong = problem(layout);
      if (wrong) throw new Error(wrong);
      this.draw(layout);
    } catch (error) {
      this.complain(error.message);
    }
  }

  complain(message) {
    this.say.textContent = message;
    this.say.classList.add("error");
  }

  draw(layout) {
    this.layout = layout;
    const walk = positions(layout);
    const columns = layout.shape.length ? layout.shape[layout.shape.length - 1] : 1;
    const colour = new Map();
    walk.forEach((position, k) => colour.has(position) || colour.set(position, Math.floor(k / Math.max(columns, 1)) % 6));
    this.drawMemory(walk, colour);
    this.drawArray(layout, walk, colour);
    this.say.classList.remove("error");
    const moved = isContiguous(layout) ? "contiguous" : "not contiguous";
    this.say.textContent = `${walk.length} elements over ${new Set(walk).size} places in memory, ${moved}.`;
  }

  drawMemory(walk, colour) {
    this.slots = Array.from({ length: BUFFER }, (_, position) => {
      const times = walk.filter((other) => other === position).length;
      const slot = element("div", { class: "slot", role: "listitem", "aria-label": `position ${position}, ${letter(position)}, used ${times} times` }, letter(position), element("small", {}, String(position)));
      if (times) {
        slot.classList.add("touched");
        slot.style.background = `var(--fig-c${colour.get(position)})`;
      }
      return slot;
    });
    this.memory.replaceChildren(...this.slots);
  }

  drawArray(layout, walk, colour) {
    const [rows, columns] = [layout.shape.at(-2) ?? 1, layout.shape.at(-1) ?? 1];
    this.cells = walk.map((position, k) => {
      const cell = element("td", { role: "gridcell", tabindex: k === 0 ? "0" : "-1" }, letter(position));
      const idx = this.indices(layout.shape, k);
      cell.setAttribute("aria-label", formula(layout, idx, position));
      cell.style.background = `var(--fig-c${colour.get(position)})`;
      cell.addEventListener("mouseenter", () => this.light(k, idx));
      cell.addEventListener("focus", () => this.light(k, idx));
      cell.addEventListener("keydown", (event) => this.walkTo(event, k, rows, columns));
      return cell;
    });
    const blocks = [];
    for (let k = 0; k < walk.length; k += rows * columns) {
      const table = element("table", { role: "grid", "aria-label": "array" });
      for (let row = 0; row < rows; row += 1) table.append(element("tr", { role: "row" }, ...this.cells.slice(k + row * columns, k + (row + 1) * columns)));
      blocks.push(table);
    }
    this.array.replaceChildren(...(blocks.length ? blocks : ["(empty)"]));
  }

  indices(shape, k) {
    const idx = [];
    for (const size of [...shape].reverse()) {
      idx.unshift(k % size);
      k = Math.floor(k / size);
    }
    return idx;
  }

  light(k, idx) {
    const position = positions(this.layout)[k];
    for (const one of [...this.cells, ...this.slots]) one.classList.remove("hot");
    this.cells[k].classList.add("hot");
    this.slots[position].classList.add("hot");
    this.say.classList.remove("error");
    this.say.textContent = formula(this.layout, idx, position);
  }

  walkTo(event, k, rows, columns) {
    const column = k % columns;
    const moves = { ArrowLeft: column > 0 && -1, ArrowRight: column < columns - 1 && 1, ArrowUp: -columns, ArrowDown: columns, Home: -k, End: this.cells.length - 1 - k };
    const step = moves[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = this.cells[k + (step || 0)];
    if (!next) return;
    this.cells[k].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

if (typeof document !== "undefined") {
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".strides-explorer").forEach((root) => new Explorer(root));
  });
}
