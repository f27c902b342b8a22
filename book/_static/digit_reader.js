// The digit reader of the front page: draw a digit, and see every number on its way through a
// network.
//
// The first half is the arithmetic as pure functions: strokes to 784 pixels as MNIST has them, and
// the network's forward pass; tests compare it with norch. The second half draws. The weights are
// norch's own (`lessons/network.json`; the build makes `digit_network.js` of it). The page that
// trains a network borrows pad and table (`window.digitReader`). No library, no network connection.
"use strict";

(() => {
  const SIDE = 28, BOX = 20; // pixels of an image; MNIST fits a digit into 20 x 20 of them
  const PEN = 1.1; // half the width of a line, in pixels
  const SMALLEST = 0.12; // of the drawing area: a dot is not blown up to a digit

  function extent(numbers) {
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    return { middle: (low + high) / 2, size: high - low };
  }

  function distance([x, y], [x0, y0], [x1, y1]) {
    const [dx, dy] = [x1 - x0, y1 - y0], length = dx * dx + dy * dy;
    const at = length ? Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / length)) : 0;
    return Math.hypot(x - x0 - at * dx, y - y0 - at * dy);
  }

  // The darkness of each pixel, 0 to 255: by the distance of its middle from the nearest line.
  function painted(strokes) {
    const pieces = strokes.flatMap((points) => {
      if (points.length === 1) return [[points[0], points[0]]];
      return points.slice(1).map((end, k) => [points[k], end]);
    });
    return Array.from({ length: SIDE * SIDE }, (_, k) => {
      const middle = [(k % SIDE) + 0.5, Math.floor(k / SIDE) + 0.5];
      const nearest = Math.min(...pieces.map(([start, end]) => distance(middle, start, end)));
      return Math.round(255 * Math.max(0, Math.min(1, PEN + 0.5 - nearest)));
    });
  }

  function centre(pixels) {
    const all = pixels.reduce((sum, one) => sum + one, 0) || 1;
    const mean = (place) => pixels.reduce((sum, one, k) => sum + one * (place(k) + 0.5), 0) / all;
    return [mean((k) => k % SIDE), mean((k) => Math.floor(k / SIDE))];
  }

  // Strokes (lists of [x, y], each from 0 to 1) as an image like MNIST's: 20 pixels large at most,
  // its centre of mass in the middle.
  function image(strokes) {
    const drawn = strokes.filter((points) => points.length);
    if (!drawn.length) return Array(SIDE * SIDE).fill(0);
    const [wide, high] = [0, 1].map((axis) => extent(drawn.flat().map((point) => point[axis])));
    const scale = (BOX - 2 * PEN) / Math.max(wide.size, high.size, SMALLEST);
    const moved = ([u, v], x, y) => [(u - wide.middle) * scale + x, (v - high.middle) * scale + y];
    const put = (x, y) => drawn.map((points) => points.map((point) => moved(point, x, y)));
    const [x, y] = centre(painted(put(SIDE / 2, SIDE / 2)));
    return painted(put(SIDE - x, SIDE - y));
  }

  // Numbers of two bytes each (one bit of sign, five of exponent, ten of fraction), or of one, from
  // base64.
  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  function halves(text) {
    const view = new DataView(bytes(text).buffer);
    return Array.from({ length: view.byteLength / 2 }, (_, k) => {
      const bits = view.getUint16(2 * k, true);
      const sign = bits >> 15 ? -1 : 1, power = (bits >> 10) & 31, fraction = (bits & 1023) / 1024;
      return sign * (power ? 2 ** (power - 15) * (1 + fraction) : 2 ** -14 * fraction);
    });
  }

  // The network as it is computed with: layers of rows of weights and of biases, digits of 784
  // bytes.
  function unpacked({ layers, digits }) {
    const layer = ([weight, bias]) => {
      const numbers = halves(weight), biases = halves(bias), wide = numbers.length / biases.length;
      return [biases.map((_, k) => numbers.slice(k * wide, (k + 1) * wide)), biases];
    };
    const digit = (one) => ({ ...one, pixels: [...bytes(one.pixels)] });
    return { layers: layers.map(layer), digits: digits.map(digit) };
  }

  function linear([weight, bias], input) {
    return weight.map((row, k) => row.reduce((sum, one, j) => sum + one * input[j], bias[k]));
  }

  // What chapter 5's script does with an image: the same shift and scale, two layers, relu between.
  function forward(layers, pixels) {
    const input = pixels.map((one) => (one / 255 - 0.1307) / 0.3081);
    const before = linear(layers[0], input);
    const hidden = before.map((one) => Math.max(0, one));
    return { input, before, hidden, ...judged(linear(layers[1], hidden)) };
  }

  // Ten scores, what softmax makes of them, and the digit of the largest.
  function judged(scores) {
    const powers = scores.map((one) => Math.exp(one - Math.max(...scores)));
    const sum = powers.reduce((a, b) => a + b);
    const guess = scores.indexOf(Math.max(...scores));
    return { scores, chances: powers.map((one) => one / sum), guess };
  }

  const sentence = ({ guess, chances }) =>
    `The network reads ${guess} (${(100 * chances[guess]).toFixed(0)} %).`;
  const INVITATION = "Draw a digit here, with a finger, a mouse or the arrow keys.";

  if (typeof module !== "undefined") module.exports = { image, forward, unpacked };

  // ---- Drawing ----------------------------------------------------------------------------------

  const STEP = 0.04; // of the drawing area: how far an arrow key moves the pen
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function drawing(tag, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  // 28 x 28 squares: darkness for positive numbers, another colour for negative ones.
  class Picture {
    constructor(label) {
      const named = { role: "img", "aria-label": label, class: "picture" };
      this.root = drawing("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, ...named });
      this.squares = Array.from({ length: SIDE * SIDE }, (_, k) => {
        return drawing("rect", { x: k % SIDE, y: Math.floor(k / SIDE), width: 1, height: 1 });
      });
      this.root.append(...this.squares);
    }

    show(numbers, most) {
      this.squares.forEach((square, k) => {
        square.setAttribute("fill-opacity", Math.min(1, Math.abs(numbers[k]) / most).toFixed(3));
        square.classList.toggle("below", numbers[k] < 0);
      });
    }
  }

  class Pad {
    constructor(changed) {
      this.changed = changed;
      this.picture = new Picture("");
      this.root = this.picture.root;
      this.root.setAttribute("class", "pad");
      this.root.setAttribute("role", "application");
      this.root.setAttribute("tabindex", "0");
      const keys = "arrow keys move the pen, Space lowers and lifts it, Delete clears";
      this.root.setAttribute("aria-label", `drawing area: ${keys}`);
      this.ink = drawing("g", { class: "ink" });
      this.pen = drawing("circle", { r: 1, class: "pen" });
      this.root.append(this.ink, this.pen);
      this.clear();
      this.root.addEventListener("pointerdown", (event) => this.begin(event));
      this.root.addEventListener("pointermove", (event) => {
        if (this.lowered && event.buttons) this.move(this.place(event));
      });
      for (const name of ["pointerup", "pointercancel"]) {
        this.root.addEventListener(name, () => (this.lowered = false));
      }
      this.root.addEventListener("keydown", (event) => this.key(event));
    }

    clear() {
      this.strokes = [];
      this.at = [0.5, 0.2];
      this.lowered = false;
      this.picture.show(Array(SIDE * SIDE).fill(0), 1);
      this.draw();
    }

    show(pixels) {
      this.clear();
      this.sample = true;
      this.picture.show(pixels, 255);
    }

    place(event) {
      const box = this.root.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    }

    begin(event) {
      event.preventDefault();
      this.root.focus({ preventScroll: true });
      try {
        this.root.setPointerCapture(event.pointerId);
      } catch {} // a pointer that is gone by now needs none
      this.lower(this.place(event));
    }

    lower(at) {
      if (this.sample) this.clear();
      this.sample = false;
      this.lowered = true;
      this.strokes.push([]);
      this.move(at);
    }

    move(at) {
      this.at = at.map((one) => Math.max(0, Math.min(1, one)));
      const stroke = this.strokes.at(-1), last = this.lowered && stroke.at(-1);
      const near = last && Math.hypot(last[0] - this.at[0], last[1] - this.at[1]) < 0.012;
      if (this.lowered && !near) stroke.push(this.at);
      this.draw();
      if (this.lowered && !near) this.changed(image(this.strokes));
    }

    key(event) {
      const arrow = ARROWS[event.key];
      if (!arrow && event.key !== " " && event.key !== "Delete") return;
      event.preventDefault();
      if (arrow) this.move(this.at.map((one, axis) => one + STEP * arrow[axis]));
      else if (event.key === "Delete") this.empty();
      else if (this.lowered) this.lowered = false;
      else this.lower(this.at);
    }

    empty() {
      this.sample = false;
      this.clear();
      this.changed(image([]));
    }

    draw() {
      const lines = this.strokes.map((points) => {
        const twice = points.length === 1 ? [points[0], points[0]] : points;
        const places = twice.map((one) => one.map((x) => (x * SIDE).toFixed(2)).join(","));
        return drawing("polyline", { points: places.join(" ") });
      });
      this.ink.replaceChildren(...lines);
      this.pen.setAttribute("cx", this.at[0] * SIDE);
      this.pen.setAttribute("cy", this.at[1] * SIDE);
    }
  }

  // The ten scores with their shares; the largest is marked.
  class Scores {
    constructor() {
      this.root = element("table", { "aria-label": "the ten scores" });
      const head = (one) => element("th", { scope: "col" }, one);
      this.root.append(element("tr", {}, ...["digit", "score", "softmax"].map(head)));
      this.rows = Array.from({ length: 10 }, (_, digit) => {
        const [score, share, bar] = [element("td", {}), element("span", {}), element("i", {})];
        const name = element("th", { scope: "row" }, String(digit));
        const row = element("tr", {}, name, score, element("td", {}, bar, share));
        this.root.append(row);
        return { row, score, share, bar };
      });
    }

    show({ scores, chances, guess }, empty) {
      this.rows.forEach(({ row, score, share, bar }, k) => {
        score.textContent = scores[k].toFixed(2);
        share.textContent = `${(100 * chances[k]).toFixed(1)} %`;
        bar.style.width = `${(60 * chances[k]).toFixed(1)}%`;
        row.classList.toggle("best", !empty && k === guess);
      });
    }
  }

  // How a hidden number comes about.
  function summed(k, before, bias) {
    const added = (before - bias).toFixed(2);
    const products = `784 products of a pixel and its weight add up to ${added}`;
    const sum = `plus the bias ${bias.toFixed(2)} makes ${before.toFixed(2)}`;
    const rest = before > 0 ? "which relu keeps" : "which relu replaces by 0";
    return `Hidden number ${k + 1}: ${products}; ${sum}, ${rest}.`;
  }

  // What the picture of its weights shows, in words.
  function weighed(weights) {
    const place = (one) => {
      const at = weights.indexOf(one);
      return `in row ${Math.floor(at / SIDE) + 1}, column ${(at % SIDE) + 1} (${one.toFixed(2)})`;
    };
    const below = weights.filter((one) => one < 0).length;
    const most = `A pixel counts most for it ${place(Math.max(...weights))}`;
    const least = `most against it ${place(Math.min(...weights))}`;
    const count = `Of its 784 weights ${below} are below 0: such a pixel counts against it.`;
    return `${count} ${most}, ${least}.`;
  }

  class DigitReader {
    constructor(root, network) {
      this.network = network;
      this.next = 0;
      this.chosen = 0;
      this.pad = new Pad((pixels) => this.read(pixels));
      this.say = element("p", { class: "say", role: "status", "aria-live": "polite" });
      this.seen = new Picture("what the network sees");
      this.numbers = element("pre", { tabindex: "0", "aria-label": "the 784 numbers" });
      this.weights = new Picture("the weights of one hidden number");
      this.sum = element("p", { class: "sum" });
      this.scores = new Scores();
      const drawn = element("div", {}, this.pad.root, this.buttons());
      const result = element("div", { class: "result" }, this.say, this.scores.root);
      root.replaceChildren(
        element("div", { class: "sides" }, drawn, result),
        element("div", { class: "sides" }, this.first(), this.second()),
      );
      this.test();
      this.choose(this.found.hidden.indexOf(Math.max(...this.found.hidden)));
    }

    buttons() {
      const group = element("div", { class: "buttons", role: "group", "aria-label": "drawing" });
      const actions = { clear: () => this.pad.empty(), "another test digit": () => this.test() };
      for (const [label, act] of Object.entries(actions)) {
        const button = element("button", { type: "button" }, label);
        button.addEventListener("click", act);
        group.append(button);
      }
      return group;
    }

    first() {
      const summary = element("summary", {}, "the 784 numbers");
      const folded = element("details", {}, summary, this.numbers);
      const title = element("h3", {}, "What it sees: 28 x 28 pixels");
      return element("div", {}, title, this.seen.root, folded);
    }

    second() {
      const named = { class: "cells", role: "group", "aria-label": "hidden numbers" };
      const group = element("div", named);
      this.cells = this.network.layers[0][1].map((_, k) => {
        const cell = element("button", { type: "button" });
        cell.addEventListener("click", () => this.choose(k));
        group.append(cell);
        return cell;
      });
      const title = `What it makes of them: ${this.cells.length} hidden numbers (choose one)`;
      const one = element("div", { class: "one" }, this.weights.root, this.sum);
      return element("div", {}, element("h3", {}, title), group, one);
    }

    test() {
      const digit = this.network.digits[this.next];
      this.next = (this.next + 1) % this.network.digits.length;
      this.pad.show(digit.pixels);
      this.read(digit.pixels, digit.label);
    }

    read(pixels, label) {
      const empty = pixels.every((one) => one === 0), found = forward(this.network.layers, pixels);
      this.found = found;
      this.seen.show(pixels, 255);
      const numbers = pixels.map((one) => String(one).padStart(3));
      const row = (_, k) => numbers.slice(SIDE * k, SIDE * k + SIDE).join(" ");
      this.numbers.textContent = Array.from({ length: SIDE }, row).join("\n");
      this.scores.show(found, empty);
      this.cells.forEach((cell, k) => {
        cell.textContent = found.hidden[k].toFixed(1);
        cell.classList.toggle("on", found.hidden[k] > 0);
      });
      this.choose(this.chosen);
      const truth = ` This digit of the test set, which it has not seen before, is a ${label}.`;
      const what = label === undefined ? "" : `${truth} Draw one yourself.`;
      this.say.textContent = empty ? INVITATION : sentence(found) + what;
    }

    choose(k) {
      this.chosen = k;
      const [weight, bias] = this.network.layers[0];
      this.cells.forEach((cell, other) => cell.setAttribute("aria-pressed", String(other === k)));
      this.weights.show(weight[k], Math.max(...weight[k].map(Math.abs)));
      this.sum.textContent = `${summed(k, this.found.before[k], bias[k])} ${weighed(weight[k])}`;
    }
  }

  if (typeof document !== "undefined") {
    window.digitReader = { Pad, Scores, element, drawing, judged, sentence, INVITATION };
    document.addEventListener("DOMContentLoaded", () => {
      for (const root of document.querySelectorAll(".digit-reader")) {
        new DigitReader(root, unpacked(window.digitNetwork));
      }
    });
  }
})();
