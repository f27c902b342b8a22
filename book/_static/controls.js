// What the things to play with share: labelled controls, and an element that reads its data.
//
// cache_explorer.js, philox_picture.js, loss_valley.js, autograd_stepper.js and gpt_heads.js call it
// once the page is read, in whatever order the scripts came. It draws nothing and knows no lesson.
// Without JavaScript a reader sees what stands inside the element.
"use strict";

(() => {
  if (typeof customElements === "undefined") return;

  const make = (tag, given = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...children);
    return made;
  };

  const draw = (tag, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  const label = (words, control) => make("label", {}, make("span", {}, words), control);

  // A list to choose from: `names` are the words for each value.
  function choice(words, values, picked, names, choose) {
    const list = make(
      "select",
      {},
      ...values.map((value, i) => make("option", { value: i }, String(names[i]))),
    );
    list.selectedIndex = values.indexOf(picked);
    list.addEventListener("change", () => choose(values[list.selectedIndex]));
    return label(words, list);
  }

  // A field for a whole number from 0 to `most`; while what stands there is none, it says so.
  function whole(words, value, most, choose) {
    const field = make("input", { type: "number", min: 0, max: most, step: 1, value });
    field.required = true;
    const said = make("small", { className: "error" });
    said.setAttribute("role", "status");
    field.addEventListener("input", () => {
      const isGood = field.validity.valid;
      field.setAttribute("aria-invalid", String(!isGood));
      said.textContent = isGood ? "" : `expected a whole number from 0 to ${most}`;
      if (isGood) choose(field.valueAsNumber);
    });
    const made = label(words, field);
    made.append(said);
    return made;
  }

  function slider(words, most, move) {
    const range = make("input", { type: "range", min: 0, max: most, step: 1 });
    range.setAttribute("aria-label", words);
    range.addEventListener("input", () => move(range.valueAsNumber));
    return range;
  }

  // A row of buttons, {name: action}.
  function buttons(actions) {
    const all = Object.entries(actions).map(([name, action]) =>
      make("button", { type: "button", onclick: action }, name),
    );
    return make("div", { className: "buttons" }, ...all);
  }

  class Explorer extends HTMLElement {
    connectedCallback() {
      if (this.panel) return; // moved, not made
      this.setAttribute("role", "group");
      this.setAttribute("aria-label", this.dataset.name);
      this.panel = make("div", { className: "panel" });
      this.say = make("p", { className: "say" });
      this.say.setAttribute("role", "status");
      this.begin(JSON.parse(this.querySelector("script").textContent));
      this.append(this.panel);
    }
  }

  globalThis.norchControls = { make, draw, choice, whole, slider, buttons, Explorer };
})();
