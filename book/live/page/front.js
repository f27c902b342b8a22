// The first page's list of stages: how many exercises of each live chapter have passed in this browser.
"use strict";
for (const [name, ids] of Object.entries(norchLive.chapters)) {
  const passed = ids.filter((id) => norchLive.store.passed(id) !== null).length;
  const link = passed && document.querySelector(`.bd-article table a[href^="${name}.html"]`);
  if (!link) continue;
  const mark = document.createElement("span");
  mark.className = "live-mark";
  mark.textContent = `${passed} of ${ids.length} \u2713`;
  mark.title = `You have passed ${passed} of the ${ids.length} exercises of this chapter.`;
  link.after(" ", mark);
}
