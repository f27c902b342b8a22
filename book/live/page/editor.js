// What cells and exercises are made of: elements, buttons, and a plain editor for Python.
// Tab indents; Escape and then Tab leaves the editor, so that no keyboard is trapped.
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

  // Returns the field, its line of help, and `set`. `go` runs it; `changed` hears every text.
  function editor(text, label, go, changed) {
    const help = `live-help-${(editors += 1)}`;
    const plain = { spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", wrap: "off" };
    const area = make("textarea", { class: "live-editor", "aria-label": label, "aria-describedby": help, ...plain });
    const fit = () => { area.rows = Math.max(2, area.value.split("\n").length); };
    const set = (words) => { area.value = words; fit(); };
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
        if (event.ctrlKey || event.metaKey) go();
        else newLine(area);
      },
    };
    area.addEventListener("keydown", (event) => {
      keys[event.key]?.(event);
      if (!["Shift", "Escape"].includes(event.key)) leaving = false;
    });
    area.addEventListener("input", () => { fit(); changed(area.value); });
    set(text);
    return { area, set, note: make("p", { class: "live-help", id: help }, HELP) };
  }

  Object.assign(norchLive, { make, button, editor });
})();
