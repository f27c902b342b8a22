// The autograd stepper of chapter 4: walk a small record backward, one node at a time.
//
// The first half is the lesson's arithmetic as pure functions (build, order, step); a test compares
// them with norch_autograd. The second half draws. No library, no network; without JavaScript the
// page shows the fallback inside the element. Every script of the book shares one page: all names
// stay inside this function.
"use strict";

(() => {
  // An input is the name of a place, or a number: a number is no place and wants no gradient.
  const expressions = {
    line: { label: "y = w * x + b", leaves: { w: 2, x: 3, b: 1 }, nodes: [["m", "*", "w", "x"], ["y", "+", "m", "b"]] },
    diamond: {
      label: "the diamond: e = c + d", leaves: { a: 1 },
      nodes: [["b", "*", "a", 1], ["c", "*", "b", 2], ["d", "*", "b", 3], ["e", "+", "c", "d"]],
    },
    square: { label: "y = x * x", leaves: { x: 3 }, nodes: [["y", "*", "x", "x"]] },
  };

  // The record: every place with its value; a node also has its inputs and its number.
  function build(key, leaves) {
    const places = {};
    for (const [name, value] of Object.entries(leaves)) places[name] = { value };
    let output = null;
    expressions[key].nodes.forEach(([name, sign, ...inputs], number) => {
      const [left, right] = inputs.map((one) => (typeof one === "number" ? one : places[one].value));
      places[name] = { sign, inputs, number, value: sign === "+" ? left + right : left * right };
      output = name;
    });
    return { places, output };
  }

  const isNode = (graph, name) => graph.places[name].inputs !== undefined;

  function edges(graph, name) {
    const pairs = graph.places[name].inputs.map((to, slot) => ({ from: name, slot, to }));
    return pairs.filter((edge) => typeof edge.to === "string");
  }

  // What the engine's plan does: collect the nodes in any order, then sort, the newest first.
  function order(graph) {
    const stack = [graph.output], seen = new Set(stack);
    while (stack.length) {
      for (const { to } of edges(graph, stack.pop())) {
        if (isNode(graph, to) && !seen.has(to)) {
          seen.add(to);
          stack.push(to);
        }
      }
    }
    return [...seen].sort((a, b) => graph.places[b].number - graph.places[a].number);
  }

  // The rule of a node: a sum passes its gradient on, a product multiplies it with the other factor.
  function shares(graph, name, grad) {
    const { sign, inputs } = graph.places[name];
    return edges(graph, name).map((edge) => {
      const other = inputs[1 - edge.slot];
      const factor = typeof other === "number" ? other : graph.places[other].value;
      return { ...edge, factor, share: sign === "+" ? grad : grad * factor };
    });
  }

  // A walk: `total` is the gradient that has arrived, `next` what will run. The impatient walk keeps
  // shares on their way in `next`, the first on top; the right walk keeps the plan.
  function start(graph, impatient = false) {
    const total = impatient ? {} : { [graph.output]: 1 };
    const next = impatient ? [{ to: graph.output, share: 1 }] : order(graph);
    return { graph, impatient, total, next, sent: [], ran: [], running: null };
  }

  function add(total, { to, share }) {
    return { ...total, [to]: to in total ? total[to] + share : share };
  }

  // Run one node; the walk after it. A walk that is finished stays as it is.
  function step(walk) {
    if (walk.next.length === 0) return walk;
    const { graph, impatient } = walk;
    const [first, ...rest] = walk.next;
    const running = impatient ? first.to : first;
    let total = impatient ? add(walk.total, first) : walk.total;
    const parts = shares(graph, running, total[running]);
    const later = impatient ? parts.filter((part) => isNode(graph, part.to)) : [];
    for (const part of parts) if (!later.includes(part)) total = add(total, part);
    return {
      graph, impatient, total, running, next: [...later, ...rest],
      sent: [...walk.sent, ...parts], ran: [...walk.ran, running],
    };
  }

  function finish(walk) {
    while (walk.next.length) walk = step(walk);
    return walk;
  }

  // ---- Words --------------------------------------------------------------------------------------

  const shown = (value) => String(Number(value.toPrecision(6)) + 0);
  const factor = (value) => (value < 0 ? `(${shown(value)})` : shown(value));

  // What the last step did, and who still waits.
  function told({ graph, impatient, total, sent, ran, running, next }) {
    if (running === null) return `Nothing has run. The gradient of ${graph.output}, the result, is 1.`;
    const parts = sent.slice(-edges(graph, running).length);
    const grad = shown(total[running]);
    const sum = graph.places[running].sign === "+";
    const sends = parts.map((part) => (sum ? grad : `${grad} * ${factor(part.factor)} = ${shown(part.share)}`) + ` to ${part.to}`);
    const again = ran.indexOf(running) < ran.length - 1;
    let words = again ? `${running} runs again, and sends on its whole total, ${grad}: some of it was sent before. ` : `${running} runs. `;
    words += (sum ? "A sum passes its gradient on unchanged: " : "A product sends its gradient times the other factor: ") + `${sends.join(", ")}.`;
    if (impatient) return words;
    for (const name of next.filter((one) => one in total)) {
      const users = next.filter((one) => edges(graph, one).some((edge) => edge.to === name));
      if (users.length) words += ` ${name} must wait: ${users.join(" and ")} uses it too and has not run.`;
    }
    return words;
  }

  // The gradient of the leaves, once everything has run.
  function result(walk) {
    const leaves = Object.keys(walk.graph.places).filter((name) => !isNode(walk.graph, name));
    const list = (total) => leaves.map((name) => `${name}: ${shown(total[name])}`).join(", ");
    const ours = `All nodes have run. Gradient of ${list(walk.total)}.`;
    if (!walk.impatient) return ours;
    const right = finish(start(walk.graph)).total;
    if (leaves.every((name) => right[name] === walk.total[name])) {
      return `${ours} That is right, because here no node has two users.`;
    }
    return `${ours} That is wrong; right is ${list(right)}.`;
  }

  function problem(name, text) {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) return `${name} is "${text}": expected a number`;
    if (Math.abs(value) > 1000) return `${name} is ${text}: this stepper takes numbers from -1000 to 1000`;
    return null;
  }

  if (typeof module !== "undefined") module.exports = { expressions, build, order, start, step, finish, told, result, problem };

  // ---- Drawing ------------------------------------------------------------------------------------

  const WIDE = 106, HIGH = 66, ROW = 122, WIDTH = 330, SPREAD = 44;

  function element(tag, attributes, ...children) {
    const drawn = ["svg", "title", "rect", "text", "path"].includes(tag);
    const made = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // Where the places stand: the result at the top, a leaf just below its user. Middles of boxes.
  function stand(graph) {
    const depth = {};
    const newest = order(graph), far = (to) => depth[to] ?? 0;
    for (const name of [...newest].reverse()) depth[name] = 1 + Math.max(...edges(graph, name).map(({ to }) => far(to)));
    for (const name of newest) {
      for (const { to } of edges(graph, name)) if (!isNode(graph, to)) depth[to] = depth[name] - 1;
    }
    const rows = [];
    for (const name of new Set(newest.flatMap((one) => [one, ...edges(graph, one).map(({ to }) => to)]))) {
      (rows[depth[graph.output] - depth[name]] ??= []).push(name);
    }
    rows.forEach((row) => row.sort());
    if (graph.places.m) rows[1] = ["m", "b"]; // in the order of the formula
    const at = {};
    rows.forEach((row, k) => row.forEach((name, i) => {
      at[name] = { x: (WIDTH * (i + 0.5)) / row.length, y: 4 + HIGH / 2 + k * ROW };
    }));
    return { at, height: (rows.length - 1) * ROW + HIGH + 8 };
  }

  function text(x, y, words, kind) {
    return element("text", { x, y, class: kind }, words);
  }

  function picture(walk, words) {
    const { graph, total, sent, running, ran } = walk;
    const { at, height } = stand(graph);
    const all = order(graph).flatMap((name) => edges(graph, name));
    const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": words });
    const labels = [];
    for (const edge of all) {
      const leaving = all.filter((one) => one.from === edge.from);
      const arriving = all.filter((one) => one.to === edge.to).sort((one, other) => at[one.from].x - at[other.from].x);
      const aside = (list) => (list.indexOf(edge) - (list.length - 1) / 2) * SPREAD;
      const [x0, y0] = [at[edge.from].x + aside(leaving), at[edge.from].y + HIGH / 2];
      const [x1, y1] = [at[edge.to].x + aside(arriving), at[edge.to].y - HIGH / 2];
      const passed = sent.filter((part) => part.from === edge.from && part.slot === edge.slot);
      const turn = Math.atan2(y1 - y0, x1 - x0);
      const barbs = [0.45, -0.45].map((side) => `${x1 - 9 * Math.cos(turn + side)} ${y1 - 9 * Math.sin(turn + side)}`);
      const head = passed.length ? ` M${barbs[0]} L${x1} ${y1} L${barbs[1]}` : "";
      const state = edge.from === running ? "edge now" : passed.length ? "edge" : "edge idle";
      svg.append(element("path", { d: `M${x0} ${y0} L${x1} ${y1}${head}`, class: state }));
      if (passed.length) labels.push(text((x0 + x1) / 2, (y0 + y1) / 2 + 5, passed.map(({ share }) => shown(share)).join(", then "), "share"));
    }
    for (const [name, { x, y }] of Object.entries(at)) {
      const { sign, inputs, value } = graph.places[name];
      const fill = name === running ? "c1" : ran.includes(name) ? "c2" : sign ? "empty" : "c0";
      svg.append(
        element("rect", { x: x - WIDE / 2, y: y - HIGH / 2, width: WIDE, height: HIGH, rx: 4, style: `fill:var(--fig-${fill})` }),
        text(x, y - 13, sign ? `${name} = ${inputs[0]} ${sign} ${inputs[1]}` : `${name}, a leaf`, "name"),
        text(x, y + 6, `value ${shown(value)}`, "value"),
        text(x, y + 25, name in total ? `grad ${shown(total[name])}` : "no grad yet", name in total ? "grad" : "none"),
      );
    }
    svg.append(...labels);
    return svg;
  }

  class Stepper {
    constructor(root) {
      this.menu = element("select", {});
      for (const [key, { label }] of Object.entries(expressions)) this.menu.append(element("option", { value: key }, label));
      this.menu.addEventListener("change", () => this.choose());
      this.leaves = element("div", { class: "leaves" });
      this.hurry = element("input", { type: "checkbox" });
      this.hurry.addEventListener("change", () => this.restart());
      const form = element("form", { "aria-label": "formula" }, element("label", {}, "formula", this.menu), this.leaves);
      form.addEventListener("submit", (event) => event.preventDefault());
      const buttons = element("div", { class: "buttons", role: "group", "aria-label": "walk" });
      buttons.append(
        this.button("one node", () => this.go(step)), this.button("all", () => this.go(finish)),
        this.button("start again", () => this.restart()),
        element("label", { class: "switch" }, this.hurry, "impatient walk (wrong)"),
      );
      this.say = element("p", { class: "say", role: "status", "aria-live": "polite" });
      this.graph = element("div", { class: "graph" });
      this.log = element("ol", {});
      root.replaceChildren(form, buttons, this.say, this.graph, element("h3", {}, "What has happened"), this.log);
      this.choose();
    }

    button(label, action) {
      const made = element("button", { type: "button" }, label);
      made.addEventListener("click", action);
      return made;
    }

    choose() {
      this.fields = {};
      for (const [name, value] of Object.entries(expressions[this.menu.value].leaves)) {
        const field = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", value });
        field.addEventListener("input", () => this.restart());
        this.fields[name] = field;
      }
      this.leaves.replaceChildren(...Object.entries(this.fields).map(([name, field]) => element("label", {}, name, field)));
      this.restart();
    }

    restart() {
      const texts = Object.entries(this.fields).map(([name, field]) => [name, field.value]);
      const wrong = texts.map(([name, value]) => problem(name, value)).find(Boolean);
      this.say.classList.toggle("error", Boolean(wrong));
      if (wrong) {
        this.walk = null;
        this.say.textContent = `${wrong}.`;
        return;
      }
      const graph = build(this.menu.value, Object.fromEntries(texts.map(([name, value]) => [name, Number(value)])));
      this.walk = start(graph, this.hurry.checked);
      this.log.replaceChildren();
      this.draw(told(this.walk));
    }

    go(move) {
      if (!this.walk) return this.restart();
      const last = move === finish;
      while (this.walk.next.length) {
        this.walk = step(this.walk);
        this.log.append(element("li", {}, told(this.walk)));
        if (!last) break;
      }
      const words = told(this.walk);
      this.draw(this.walk.next.length ? words : last ? result(this.walk) : `${words} ${result(this.walk)}`);
    }

    draw(words) {
      this.say.textContent = words;
      this.graph.replaceChildren(picture(this.walk, `the record as a graph. ${words}`));
    }
  }

  if (typeof document !== "undefined") {
    document.addEventListener("DOMContentLoaded", () => {
      document.querySelectorAll(".autograd-stepper").forEach((root) => new Stepper(root));
    });
  }
})();
