// What cells and exercises are made of: elements, buttons, and an editor for Python.
// A plain text field, transparent, lies over the same text in colours: so undo, phones and screen readers find what
// they know. Tab indents; Escape and then Tab leaves the editor, so that no keyboard is trapped.
"use strict";
(() => {
  const INDENT = 4;
  const HELP = "Tab indents. To leave with the keyboard: Esc, then Tab. Ctrl+Enter runs.";
  let editors = 0;

  function make(tag, attributes = {}, ...inside) {
    const one = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    one.append(...inside);
    return one;
  }

  function button(text, label, action) {
    const one = make("button", { type: "button", "aria-label": label }, text);
    one.addEventListener("click", action);
    return one;
  }

  const lineStart = (area) => area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;

  // Typed, not assigned, so that the browser's own undo takes it back.
  function type(area, words) {
    if (!document.execCommand("insertText", false, words)) {
      area.setRangeText(words, area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input"));
    }
  }

  function moveLines(area, outwards) {
    const { selectionStart: from, selectionEnd: to } = area;
    const line = lineStart(area);
    const lines = area.value.slice(line, to);
    const moved = outwards ? lines.replace(/^ {1,4}/gm, "") : lines.replace(/^(?=.)/gm, " ".repeat(INDENT));
    if (moved === lines) return;
    area.setSelectionRange(line, to);
    type(area, moved);
    const end = line + moved.length;
    area.setSelectionRange(from === to ? Math.max(line, end) : line, end);
  }

  function tab(area, outwards) {
    const { selectionStart: from, selectionEnd: to } = area;
    if (outwards || from !== to) moveLines(area, outwards);
    else type(area, " ".repeat(INDENT - ((from - lineStart(area)) % INDENT)));
  }

  function newLine(area) {
    const before = area.value.slice(lineStart(area), area.selectionStart);
    const deeper = /:\s*(#.*)?$/.test(before) ? " ".repeat(INDENT) : "";
    type(area, `\n${before.match(/^ */)[0]}${deeper}`);
  }

  // Returns the box to place, its field, its line of help, and `set`. `go` runs it, and is told
  // whether to go on to the next; `changed` hears every text.
  function editor(text, label, go, changed, help = HELP) {
    const id = `live-help-${(editors += 1)}`;
    const plain = { spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", wrap: "off" };
    const area = make("textarea", { class: "live-editor", "aria-label": label, "aria-describedby": id, rows: "1", ...plain });
    const layer = make("pre", { class: "live-layer", "aria-hidden": "true" });
    const box = make("div", { class: "live-code highlight" }, layer, area);
    // The layer makes the box as large as its text, and the field fills the box: both scroll as one.
    const colour = () => layer.replaceChildren(...norchLive.coloured(area.value), "\n");
    const set = (words) => { area.value = words; colour(); };
    let leaving = false;
    const keys = {
      Escape: () => { leaving = true; },
      Tab: (event) => {
        if (leaving || event.ctrlKey || event.altKey) return;
        event.preventDefault();
        tab(area, event.shiftKey);
      },
      Enter: (event) => {
        if (event.isComposing) return;
        event.preventDefault();
        if (event.ctrlKey || event.metaKey || event.shiftKey) go(event.shiftKey);
        else newLine(area);
      },
    };
    area.addEventListener("keydown", (event) => {
      keys[event.key]?.(event);
      if (!["Shift", "Escape"].includes(event.key)) leaving = false;
    });
    area.addEventListener("input", () => { colour(); changed(area.value); });
    set(text);
    return { box, area, set, note: make("p", { class: "live-help", id }, help) };
  }

  Object.assign(norchLive, { make, button, editor });
})();
