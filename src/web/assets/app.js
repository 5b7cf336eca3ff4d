// Keeps the page as it is on the server: loads it anew when the server says that something has changed, and lets ages run.
// The page is whole without it.
const LOST_MS = 15_000;
const POLL_MS = 15_000;

let etag = null;
let heardAt = performance.now();
let isLoading = false;
let isPressed = false;
let ahead = Date.parse(document.querySelector('[data-clock]').dateTime) - Date.now();

const spoken = document.createElement('p');
spoken.className = 'skip';
spoken.setAttribute('role', 'status');
document.body.append(spoken);

const events = new EventSource('/events');
events.addEventListener('changed', load);
events.addEventListener('alive', ({ data }) => {
  heardAt = performance.now();
  ahead = Date.parse(data) - Date.now();
});
// Too many look: this page asks by itself.
events.addEventListener('error', () => {
  if (events.readyState === EventSource.CLOSED) setInterval(load, POLL_MS);
});
setInterval(tick, 1000);
addEventListener('pointerdown', () => (isPressed = true));
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => (isPressed = false));

function load() {
  heardAt = performance.now();
  if (isLoading || isBusy()) return;
  isLoading = true;
  const request = new XMLHttpRequest();
  request.open('GET', location.href);
  request.responseType = 'document';
  if (etag !== null) request.setRequestHeader('If-None-Match', etag);
  request.onloadend = () => {
    isLoading = false;
    if (request.status === 401) location.reload();
    if (request.status !== 200 || isBusy()) return;
    etag = request.getResponseHeader('ETag');
    swap(request.responseXML);
  };
  request.send();
}

/** Nothing is taken from under the hand of whoever presses, marks or writes something. */
function isBusy() {
  const fields = [...document.querySelectorAll('main input:not([type=hidden]), main select, main textarea')];
  const isWriting = fields.some((field) => field === document.activeElement || isFilled(field));
  return isPressed || isWriting || !getSelection().isCollapsed;
}

function isFilled(field) {
  if (field.type === 'checkbox') return field.checked !== field.defaultChecked;
  if (field.tagName !== 'SELECT') return field.value !== field.defaultValue;
  return [...field.options].some((option) => option.selected !== option.defaultSelected && option.defaultSelected);
}

function swap(fresh) {
  const focused = places().indexOf(document.activeElement);
  const words = document.activeElement.textContent;
  const scrolled = document.querySelector('nav').scrollLeft;
  const open = [...document.querySelectorAll('details')].map((one) => one.open);
  const verdict = document.querySelector('.banner h1')?.textContent;
  keepDrawings(fresh);
  document.title = fresh.title;
  document.querySelector('link[rel=icon]').href = fresh.querySelector('link[rel=icon]').href;
  for (const one of document.querySelectorAll('.banner')) one.remove();
  for (const part of ['header', 'main', 'footer']) {
    document.querySelector(`body > ${part}`).replaceWith(document.adoptNode(fresh.querySelector(`body > ${part}`)));
  }
  document
    .querySelector('main')
    .before(...[...fresh.querySelectorAll('.banner')].map((one) => document.adoptNode(one)));
  [...document.querySelectorAll('details')].forEach((one, at) => (one.open = open[at] ?? one.open));
  document.querySelector('nav').scrollLeft = scrolled;
  const again = places()[focused];
  if (again?.textContent === words) again.focus({ preventScroll: true });
  const now = document.querySelector('.banner h1')?.textContent;
  if (now !== undefined && now !== verdict) spoken.textContent = now;
  document.dispatchEvent(new Event('swapped'));
}

/** Where the keyboard can be. */
function places() {
  return [...document.querySelectorAll('a, button, summary, [tabindex]')];
}

/** A drawing that somebody explores stays; its script loads what is new. */
function keepDrawings(fresh) {
  for (const drawing of document.querySelectorAll('[data-live]'))
    for (const other of fresh.querySelectorAll('[data-chart]'))
      if (other.dataset.chart === drawing.dataset.chart) other.replaceWith(drawing);
}

function tick() {
  const now = Date.now() + ahead;
  const clock = document.querySelector('[data-clock]');
  const shift = now - Date.parse(clock.dateTime);
  clock.textContent = clockText(clock, shift);
  for (const time of document.querySelectorAll('time[data-age]')) {
    const words = ageText(now - Date.parse(time.dateTime));
    if (time.textContent !== words) time.textContent = words;
  }
  const silence = performance.now() - heardAt;
  if (silence > LOST_MS && events.readyState !== EventSource.CLOSED) tellLost(silence);
}

/** By the clocks of the page's zone, which the server knows: moved on from what it showed. */
function clockText(clock, shift) {
  clock.dataset.shown ??= clock.textContent;
  const [hours, minutes, seconds] = clock.dataset.shown.split(':').map(Number);
  const day = 86_400;
  const at = (((hours * 3600 + minutes * 60 + seconds + Math.floor(shift / 1000)) % day) + day) % day;
  return [Math.floor(at / 3600), Math.floor(at / 60) % 60, at % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** As `duration` in parts/time.ts has it. */
function ageText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (size, name, small, smallName) => {
    const rest = Math.floor((seconds % size) / small);
    return `${Math.floor(seconds / size)} ${name}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
  };
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 120) return two(60, 'min', 1, 's');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? two(3600, 'h', 60, 'min') : two(86_400, 'd', 3600, 'h');
}

function tellLost(silence) {
  const words = `No answer for ${ageText(silence)}`;
  document.title = `(?) ${words} · Chainwarden`;
  const banner = document.getElementById('lost') ?? newBanner();
  banner.querySelector('b').textContent = `${words}. `;
  for (const state of document.querySelectorAll('main .state'))
    if (/^(.*, )?firing/i.test(state.textContent))
      state.lastChild.data = state.lastChild.data.replace(/firing/i, 'was firing');
}

function newBanner() {
  const asOf = document.querySelector('[data-clock]').dataset.shown;
  const banner = document.createElement('section');
  banner.id = 'lost';
  banner.className = 'banner blind';
  banner.setAttribute('aria-label', 'No answer');
  const text = document.createElement('p');
  text.className = 'banner-in';
  text.append(
    document.createElement('b'),
    `Below is the state of ${asOf}; it may have changed. The network or the daemon is down. `,
  );
  text.append('It is tried again every three seconds.');
  banner.append(text);
  document.querySelector('header').after(banner);
  return banner;
}
