// Live pages. Without this script every page works and is simply not live.
"use strict";

const page = document.documentElement;
const opened = performance.now();
const serverThen = Date.parse(page.dataset.now);
const serverNow = () => serverThen + performance.now() - opened;

function left(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor((seconds % 86400) / 3600);
  if (days) return page.dataset.days.replace("%d", days).replace("%h", hours);
  const two = (number) => String(number).padStart(2, "0");
  return `${two(hours)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
}

function tick() {
  const now = serverNow();
  for (const one of document.querySelectorAll("[data-until]")) {
    const text = left(Date.parse(one.dataset.until) - now);
    if (one.textContent !== text) one.textContent = text;
  }
  for (const one of document.querySelectorAll("[data-clock]")) {
    one.textContent = `${new Date(now).toISOString().slice(11, 19)} UTC`;
  }
}

// Times are written in the organiser's zone and UTC; the viewer's own is told on hover.
function tellOwnTimes(root) {
  for (const one of root.querySelectorAll("time[datetime]:not([data-clock])")) {
    one.title = new Date(one.getAttribute("datetime")).toLocaleString(page.lang, { dateStyle: "full", timeStyle: "long" });
  }
}

function replace(old, fresh) {
  const scrolled = [...old.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
  const open = new Set([...old.querySelectorAll("details[open][id]")].map((one) => one.id));
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const again = focused && (focused.id ? `#${CSS.escape(focused.id)}` : focused.getAttribute("href") ? `a[href="${CSS.escape(focused.getAttribute("href"))}"]` : null);
  const made = document.importNode(fresh, true);
  old.replaceWith(made);
  made.querySelectorAll(".scroll").forEach((box, place) => { [box.scrollLeft, box.scrollTop] = scrolled[place] || [0, 0]; });
  for (const one of made.querySelectorAll("details[id]")) one.open = one.open || open.has(one.id);
  if (again) made.querySelector(again)?.focus({ preventScroll: true });
  tellOwnTimes(made);
}

// A page that answers a form, or tells of an error, cannot be had again: only its strip, which every page has, stays live.
async function refresh() {
  const answer = await fetch(page.dataset.from || location.href, { credentials: "same-origin", headers: { accept: "text/html" } });
  page.dataset.mark = latest;
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  page.dataset.mark = fresh.documentElement.dataset.mark;
  for (const old of document.querySelectorAll("[data-live][id]")) {
    const made = fresh.getElementById(old.id);
    const typing = old.contains(document.activeElement) && document.activeElement.matches("input, select, textarea");
    if (made && !typing) replace(old, made);
  }
  tick();
}

// A page that shows boards and no matrix follows "boards": after a guess it is as it was, and is not fetched again.
// Everybody hears of a change in the same moment; they must not all ask in the same moment. A single change is shown
// within two seconds, in a crowd of hundreds within some more. Where one follows the other, a page fetches itself every
// five to ten seconds, and in a crowd less often: however many watch, all of them together ask a server about seven
// times a second. The projector's page asks every one or two.
const PROJECTOR = location.pathname.startsWith("/reveal/");
let rest = PROJECTOR ? 1000 : 5000;
let spread = 2000;
let waiting = false;
let refreshed = -Infinity;

function changed(mark) {
  if (waiting || mark === page.dataset.mark) return;
  waiting = true;
  const wait = refreshed + rest + Math.random() * rest - performance.now();
  setTimeout(async () => {
    waiting = false;
    if (document.hidden || latest === page.dataset.mark) return;
    refreshed = performance.now();
    await refresh().catch(() => {});
    if (latest !== page.dataset.mark) changed(latest);
  }, Math.max(wait, Math.random() * spread));
}

let latest = page.dataset.mark;
if (document.querySelector("[data-live]")) {
  const events = new EventSource("/events");
  events.addEventListener("crowd", (event) => {
    spread = Math.max(2000, 50 * Number(event.data));
    if (!PROJECTOR) rest = Math.max(5000, 100 * Number(event.data));
  });
  events.addEventListener(page.dataset.follows, (event) => { latest = event.data; changed(latest); });
  document.addEventListener("visibilitychange", () => { if (!document.hidden) changed(latest); });
}
tellOwnTimes(document);
setInterval(tick, 1000);
tick();
