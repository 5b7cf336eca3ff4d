// Loads the page again when the server reports a change, and keeps the ages up to date. The page also works without
// this script.
const LOST_MS = 15_000;
const one = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const clock = () => one('[data-clock]');
const isLost = () => !one('#lost').hidden;

// The tag of the page on the screen.
let etag = `"${document.documentElement.dataset.tag}"`;
let heardAt = performance.now();
let isLoading = false;
let isPressed = false;
let ahead = Date.parse(clock().dateTime) - Date.now();

// The server sends an event at once if something has changed since the page was made.
const labels = new URLSearchParams(location.search).getAll('label').map((label) => ['label', label]);
const seen = new URLSearchParams([['seen', document.documentElement.dataset.edition], ...labels]);
const events = new EventSource(`/events?${seen}`);
events.addEventListener('changed', () => load());
// Other changes arrive later.
events.addEventListener('news', () => load('news'));
events.addEventListener('alive', ({ data }) => {
  heardAt = performance.now();
  ahead = Date.parse(data) - Date.now();
  // The connection is back. The page still shows that it may be old, so it is loaded also if nothing has changed.
  if (isLost()) load();
});
// The server has too many open pages, so this page asks by itself.
events.addEventListener('error', () => {
  if (events.readyState === EventSource.CLOSED) setInterval(() => load(), LOST_MS);
});
setInterval(tick, 1000);
showPlace();
for (const name of ['pointerdown', 'pointerup', 'pointercancel'])
  addEventListener(name, ({ type }) => (isPressed = type === 'pointerdown'));

/** On a narrow screen it may be beyond what the navigation shows. */
function showPlace() {
  const [nav, place] = [one('nav'), one('nav [aria-current]')];
  if (!place) return;
  const [shown, own] = [nav, place].map((it) => it.getBoundingClientRect());
  nav.scrollLeft += own.left + own.width / 2 - shown.left - shown.width / 2;
}

function load(parts = 'all') {
  if (isLoading || isBusy()) return;
  isLoading = true;
  const request = new XMLHttpRequest();
  request.open('GET', location.href);
  request.responseType = 'document';
  // Parts that are the same are left out of the answer.
  if (!isLost())
    for (const [name, value] of [
      ['If-None-Match', etag],
      ['X-Parts', parts],
    ])
      request.setRequestHeader(name, value);
  request.onloadend = () => {
    isLoading = false;
    if (request.status === 401) location.reload();
    if ([200, 304].includes(request.status)) heardAt = performance.now();
    if (request.status !== 200 || isBusy()) return;
    etag = request.getResponseHeader('ETag');
    swap(request.responseXML);
  };
  request.send();
}

/** Nothing is replaced while it is pressed, marked or written in. */
function isBusy() {
  const isWritten = all('main :is(input, select, textarea)').some(
    (field) => field === document.activeElement || isFilled(field),
  );
  return isPressed || isWritten || !getSelection().isCollapsed;
}

function isFilled({ type, checked, defaultChecked, value, defaultValue, options }) {
  if (type === 'checkbox') return checked !== defaultChecked;
  return options ? [...options].some((it) => it.defaultSelected && !it.selected) : value !== defaultValue;
}

function swap(fresh) {
  const places = () => all('a, button, summary, [tabindex]');
  const { activeElement } = document;
  const focused = places().indexOf(activeElement);
  const open = all('details').map((it) => it.open);
  const scrolled = one('nav').scrollLeft;
  const verdict = one('.banner h1')?.textContent;
  for (const same of fresh.querySelectorAll('[data-same]'))
    same.replaceWith(one(`[data-part="${CSS.escape(same.dataset.part)}"]`));
  // A drawing that somebody explores stays; its script loads what is new.
  for (const drawing of all('[data-live]'))
    fresh.querySelector(`[data-chart="${CSS.escape(drawing.dataset.chart)}"]`)?.replaceWith(drawing);
  document.documentElement.classList.remove('is-lost');
  document.title = fresh.title;
  one('link[rel=icon]').href = fresh.querySelector('link[rel=icon]').href;
  // It stays in its place: what reads the page aloud listens to it.
  const said = one('#said');
  const former = all('body > :not(#said)');
  said.before(...fresh.querySelectorAll('body > :not(#said)'));
  for (const part of former) part.remove();
  all('details').forEach((it, at) => (it.open = open[at] ?? it.open));
  one('nav').scrollLeft = scrolled;
  const again = places()[focused];
  if (again?.textContent === activeElement.textContent) again.focus({ preventScroll: true });
  const now = one('.banner h1')?.textContent;
  if (now !== verdict) said.textContent = now ?? '';
  document.dispatchEvent(new Event('swapped'));
}

function tick() {
  const now = Date.now() + ahead;
  // A clock that goes on would say that the daemon does.
  if (!isLost()) clock().textContent = clockText(now);
  for (const age of all('[data-age]')) {
    const words = duration(now - Date.parse(age.dateTime));
    if (age.textContent !== words) age.textContent = words;
  }
  const silence = performance.now() - heardAt;
  // A page that asks by itself hears of the daemon no more often than that.
  const most = events.readyState === EventSource.CLOSED ? 3 * LOST_MS : LOST_MS;
  if (silence > most) tellLost(duration(silence));
}

function clockText(at) {
  return new Date(at).toLocaleTimeString('en-GB', { timeZone: clock().dataset.clock });
}

/** As parts/time.ts has it. */
function duration(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = (large, name, small, smallName) => {
    const rest = Math.floor((s % large) / small);
    return `${Math.floor(s / large)} ${name}${rest ? ` ${rest} ${smallName}` : ''}`;
  };
  if (s < 60) return `${s} s`;
  if (s < 120) return two(60, 'min', 1, 's');
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  return s < 86_400 ? two(3600, 'h', 60, 'min') : two(86_400, 'd', 3600, 'h');
}

function tellLost(silence) {
  document.title = `(?) No answer for ${silence} · Chainwarden`;
  const heard = Date.now() + ahead - (performance.now() - heardAt);
  one('#lost time').textContent = clockText(heard);
  one('#lost h1').textContent = `No answer for ${silence}`;
  one('#lost').hidden = false;
  document.documentElement.classList.add('is-lost');
  const icon = one('link[rel=icon]');
  icon.href = icon.dataset.lost;
  for (const { lastChild } of all('main .state'))
    if (/^(.*, )?firing/i.test(lastChild.data)) lastChild.data = lastChild.data.replace(/firing/i, 'was firing');
}
