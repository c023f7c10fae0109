// The ceremony by keyboard: the right arrow (or the page key of a presenter) tells a place, the left one takes it back.
"use strict";

const KEYS = { ArrowRight: "do-step", PageDown: "do-step", ArrowLeft: "do-back", PageUp: "do-back" };

document.addEventListener("keydown", (event) => {
  const button = KEYS[event.key] && document.getElementById(KEYS[event.key]);
  if (!button || button.disabled || event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  button.click();
});
