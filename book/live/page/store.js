// What this browser keeps of a reader's work: each answer's text, the text that passed, and texts that gave way.
// The other scripts read and write through it. Nothing leaves the browser; a window that keeps nothing is no error.
"use strict";
(() => {
  const MOST = 20; // older texts of one exercise
  const keys = { text: "norch-live-", passed: "norch-passed-", older: "norch-older-" };
  const reach = (action) => { try { return action(localStorage); } catch { return null; } }; // private windows
  const get = (kind, id) => reach((shelf) => shelf.getItem(keys[kind] + id));
  const set = (kind, id, words) => reach((shelf) => shelf.setItem(keys[kind] + id, words));

  // The last line may end or not: that makes no other answer.
  const same = (one, other) => one?.trimEnd() === other?.trimEnd();
  const older = (id) => JSON.parse(get("older", id) ?? "[]");

  // The newest is the last. One that was looked at and left goes to the front: its turn comes again after all others.
  function keepOlder(id, words, isLeft = false) {
    const rest = older(id).filter((one) => !same(one, words)).slice(1 - MOST);
    set("older", id, JSON.stringify(isLeft ? [words, ...rest] : [...rest, words]));
  }

  // Every answer that is kept (or that passed), of this page and of others: {"1.6": text}.
  function all(kind = "text") {
    const found = {};
    for (const key of reach((shelf) => Object.keys(shelf)) ?? []) {
      const id = key.startsWith(keys[kind]) && key.slice(keys[kind].length);
      if (/^\d+\.\d+$/.test(id)) found[id] = get(kind, id);
    }
    return found;
  }

  // Another copy of the page, in a tab or a frame, writes too: `changed` hears of which exercise.
  window.addEventListener("storage", ({ key }) => {
    const id = key?.match(/^norch-[a-z]+-(\d+\.\d+)$/)?.[1];
    if (id) norchLive.store.changed(id);
  });

  norchLive.store = {
    all, same, older, keepOlder,
    changed: () => {},
    text: (id) => get("text", id),
    keep: (id, words) => set("text", id, words),
    passed: (id) => get("passed", id),
    pass: (id, words) => set("passed", id, words),
  };
})();
