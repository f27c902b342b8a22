// A printed page folds nothing: outputs and listings are opened, hints and solutions stay in the course.
"use strict";

addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = !one.closest(".exercise, .library, .digit-reader");
});
