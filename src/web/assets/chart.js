// Draws the value of a watch so that it can be explored, in place of the server's drawing. That one stays if this fails.
const MS = 1000;
const HEIGHT = 300;

const drawn = new WeakMap();
draw();
document.addEventListener('swapped', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const figure of document.querySelectorAll('[data-live]')) drawn.get(figure)?.redraw();
});

function draw() {
  for (const figure of document.querySelectorAll('[data-chart]')) load(figure);
}

function load(figure) {
  const request = new XMLHttpRequest();
  request.open('GET', figure.dataset.chart);
  request.responseType = 'json';
  request.onload = () => {
    if (request.status === 200) show(figure, request.response);
  };
  request.send();
}

function show(figure, series) {
  const data = columnsOf(series);
  const known = drawn.get(figure);
  if (known !== undefined) {
    known.series[1].shown = series;
    known.setData(data);
    return;
  }
  const place = document.createElement('div');
  place.setAttribute('role', 'img');
  place.setAttribute('aria-label', figure.querySelector('svg').getAttribute('aria-label'));
  const former = [...figure.children];
  figure.append(place);
  drawn.set(figure, new uPlot(optionsOf(figure, series), data, place));
  for (const one of former) one.remove();
  figure.dataset.live = '';
  new ResizeObserver(() => drawn.get(figure).setSize({ width: innerWidthOf(figure), height: HEIGHT })).observe(figure);
}

/** Times in seconds and values; a value holds until the next one, and none is known in a gap. */
function columnsOf({ from, points, gaps }) {
  const all = [
    [Date.parse(from) / MS, null],
    ...points.map(([at, value]) => [Date.parse(at) / MS, Number(value)]),
    ...gaps.map(([begin]) => [Date.parse(begin) / MS, null]),
  ].sort(([a], [b]) => a - b);
  const last = points.at(-1);
  const now = Date.parse(document.querySelector('[data-clock]').dateTime) / MS;
  if (last !== undefined && now > all.at(-1)[0]) all.push([now, Number(last[1])]);
  return [all.map(([at]) => at), all.map(([, value]) => value)];
}

function optionsOf(figure, series) {
  const axis = {
    stroke: () => color('--ink-2'),
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: innerWidthOf(figure),
    height: HEIGHT,
    scales: { y: { range: (_plot, low, high) => rangeOf(series, low, high) } },
    axes: [
      { ...axis, values: (_plot, splits) => timesOf(splits, figure.dataset.zone) },
      { ...axis, size: 76, values: (_plot, splits) => numbersOf(splits) },
    ],
    series: [
      { label: 'Time', value: (_plot, at) => (at === null ? '' : exactTime(at, figure.dataset.zone)) },
      {
        label: series.unit === '' ? series.field : `${series.field}, ${series.unit}`,
        stroke: () => color('--ink'),
        width: 1.75,
        paths: uPlot.paths.stepped({ align: 1 }),
        points: { show: false },
        shown: series,
      },
    ],
    hooks: { drawClear: [drawEpisodes, drawGaps], draw: [drawLimits, drawNotified] },
  };
}

/** By the clocks of the page's zone. */
function timesOf(splits, timeZone) {
  const isLong = splits.at(-1) - splits[0] > 2 * 86_400;
  const seconds = splits[1] - splits[0] < 60 ? { second: '2-digit' } : {};
  const parts = isLong ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit', ...seconds };
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, ...parts });
  return splits.map((at) => format.format(at * MS));
}

/** With so many digits that no two of them read the same. */
function numbersOf(splits) {
  const largest = Math.max(...splits.map(Math.abs));
  const digits = Math.ceil(Math.log10(largest / (splits[1] - splits[0]))) + 1;
  const maximumSignificantDigits = Math.min(21, Math.max(4, digits || 4));
  const format = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits });
  return splits.map((at) => format.format(at));
}

function exactTime(at, timeZone) {
  return new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'medium' }).format(at * MS);
}

/** Limits do not count if they would make the line flat. */
function rangeOf({ limits }, low, high) {
  const room = Math.max(high - low, Math.abs(high) * 0.05, 1e-9) * 3;
  const near = limits.flatMap(({ fire, clear }) => [Number(fire), Number(clear)]);
  const shown = [low, high, ...near.filter((limit) => limit >= low - room && limit <= high + room)];
  const edge = (Math.max(...shown) - Math.min(...shown) || 1) * 0.08;
  return [Math.min(...shown) - edge, Math.max(...shown) + edge];
}

function drawEpisodes({ ctx, bbox, series, valToPos }) {
  ctx.save();
  ctx.globalAlpha = 0.14;
  for (const { severity, from: begin, until } of series[1].shown.episodes) {
    ctx.fillStyle = color({ critical: '--alarm', warning: '--warn' }[severity] ?? '--blind');
    const from = Math.max(bbox.left, valToPos(Date.parse(begin) / MS, 'x', true));
    const to = until === null ? bbox.left + bbox.width : valToPos(Date.parse(until) / MS, 'x', true);
    if (to > from) ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

/** Hatched, as everywhere on the page where nothing is known. */
function drawGaps({ ctx, bbox, series, valToPos }) {
  ctx.save();
  ctx.strokeStyle = color('--blind');
  ctx.globalAlpha = 0.5;
  for (const [begin, end] of series[1].shown.gaps) {
    const from = Math.max(bbox.left, valToPos(Date.parse(begin) / MS, 'x', true));
    const to = Math.min(bbox.left + bbox.width, valToPos(Date.parse(end) / MS, 'x', true));
    if (to > from) hatch(ctx, { from, to, top: bbox.top, height: bbox.height });
  }
  ctx.restore();
}

const HATCH = 8;

function hatch(ctx, { from, to, top, height }) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(from, top, to - from, height);
  ctx.clip();
  ctx.beginPath();
  for (let x = from - height; x < to; x += HATCH) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

const WORDS_WIDTH = 180;

/** Words stand on the outer side of their line, and those of each alert beside those of the one before. */
function drawLimits({ ctx, bbox, series, valToPos }) {
  const { limits } = series[1].shown;
  limits.forEach(({ alert, severity, fires, fire, clear }, place) => {
    const name = limits.length === 1 ? '' : `${alert} `;
    const ink = { critical: '--alarm-ink', warning: '--warn-ink' }[severity] ?? '--ink-2';
    const isBelow = fires === 'below';
    const ends = [clear, `${name}clears ${isBelow ? 'above' : 'below'}`, '--ink-2', [1, 3], !isBelow];
    for (const [limit, words, tone, dash, isUnder] of [
      [fire, `${name}fires ${fires}`, ink, [4, 3], isBelow],
      ...(fire === clear ? [] : [ends]),
    ]) {
      const y = valToPos(Number(limit), 'y', true);
      if (y < bbox.top || y > bbox.top + bbox.height) continue;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = color(tone);
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      const size = 12 * devicePixelRatio;
      const gap = 4 * devicePixelRatio;
      ctx.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
      ctx.textAlign = 'left';
      // At the edge of the chart they stand on the inner side.
      const isBeneath = isUnder ? y + gap + size <= bbox.top + bbox.height : y - gap - size < bbox.top;
      ctx.textBaseline = isBeneath ? 'top' : 'bottom';
      const text = `${words} ${AMOUNT.format(limit)}`;
      const start = 2 * gap + ((place * WORDS_WIDTH * devicePixelRatio) % bbox.width);
      const x = Math.max(gap, Math.min(start, bbox.width - ctx.measureText(text).width - gap));
      ctx.fillText(text, bbox.left + x, isBeneath ? y + gap : y - gap);
      ctx.restore();
    }
  });
}

/** Takes a text: an amount keeps all of its digits. */
const AMOUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });

/** A triangle at the top for each time that somebody was notified. */
function drawNotified({ ctx, bbox, series, valToPos }) {
  const size = 4 * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = color('--card');
  ctx.strokeStyle = color('--ink');
  for (const at of series[1].shown.notified) {
    const x = valToPos(Date.parse(at) / MS, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + 1.75 * size);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
  }
  ctx.restore();
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}

function innerWidthOf(figure) {
  const { paddingLeft, paddingRight } = getComputedStyle(figure);
  return Math.max(200, figure.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
}
