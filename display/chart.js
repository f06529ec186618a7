// Values under the pointer, and parts of a chart enlarged. The script stands behind the <img> of a chart, with `charts`:
// where the data of each chart of the picture is. It loads nothing, and where scripts are dropped the image stays.
const script = document.currentScript, img = script && script.previousElementSibling;
if (!img || img.tagName !== 'IMG' || !img.attachShadow || !window.DOMParser) return;
const bytes = Uint8Array.from(atob(img.src.split(',')[1]), c => c.charCodeAt(0));
const svg = new DOMParser().parseFromString(new TextDecoder().decode(bytes), 'image/svg+xml').documentElement;
if (svg.tagName !== 'svg') return;
const [, , W, H] = svg.getAttribute('viewBox').split(' ').map(Number);
const host = document.createElement('div');
host.style.cssText = 'display:inline-block;max-width:100%;width:' + img.width + 'px';
host.tabIndex = 0;
host.setAttribute('role', 'group');
host.setAttribute('aria-label', img.alt + '. Left and right step through the points, plus enlarges, Escape shows all.');
const root = host.attachShadow({mode: 'open'});
root.innerHTML = '<style>svg{width:100%;height:auto;display:block}.c{cursor:crosshair}' +
  'p{position:absolute;width:1px;height:1px;overflow:hidden;margin:0;clip-path:inset(50%)}</style>';
const status = document.createElement('p');
status.setAttribute('aria-live', 'polite');
root.append(svg, status);

// The colours follow the page where it says what they are, as those of Jupyter and VS Code do, else the browser.
const style = svg.querySelector('style'), css = style.textContent;
host.className = 'gorocm-chart';
host.colour = () => {
  const {className, dataset: {jpThemeLight: light}} = document.body, code = className.match(/vscode-(light|dark|high-contrast-light|high-contrast)/);
  const dark = light ? light === 'false' : code ? !/light/.test(code[0]) : null;
  const page = light ? '--jp-layout-color0' : '--vscode-editor-background';
  style.textContent = dark === null ? css : css.replace(/@media [^{]*/, dark ? '@media all' : '@media not all') +
    `[style*="fill:#FFFFFE"]{fill:var(${page},${dark ? '#16191D' : '#FFFFFE'}) !important}`;
};
host.colour();
if (!window.gorocmTheme) {
  window.gorocmTheme = new MutationObserver(() => document.querySelectorAll('.gorocm-chart').forEach(h => h.colour()));
  window.gorocmTheme.observe(document.body, {attributes: true, attributeFilter: ['class', 'data-jp-theme-light']});
}
img.replaceWith(host);

const make = (name, attributes, parent, text) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
};
const flipped = svg.querySelector('g');
const ink = '#24292F', background = '#FFFFFE', lines = '#E4E7EB';

// Axes: a place from 0 to 1 as a number, a number as a place, and ticks as package display makes them.
const valueAt = (a, t) => a.log ? a.min * Math.pow(a.max / a.min, t) : a.min + t * (a.max - a.min);
const placeOf = (a, v) => a.log ? Math.log(v / a.min) / Math.log(a.max / a.min) : (v - a.min) / (a.max - a.min);
const written = (v, step) => {
  if (!isFinite(v)) return '';
  if (Math.abs(v) < step / 2) return '0';
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (digits > 8 || Math.abs(v) >= 1e6)
    return '' + +v.toPrecision(Math.max(1, Math.min(15, Math.ceil(Math.log10(Math.abs(v) / step)) + 1)));
  return '' + +v.toFixed(digits);
};
const ticks = a => {
  if (a.names) return a.names.map((n, i) => [i, n]);
  const low = Math.min(a.min, a.max), high = Math.max(a.min, a.max), out = [];
  if (a.log && high / low >= 10) {
    const first = Math.floor(Math.log10(low)), last = Math.floor(Math.log10(high));
    const every = Math.floor((last - first) / 11) + 1;
    for (let e = first; e <= last; e++)
      if (e % every === 0) out.push([Math.pow(10, e), '' + +Math.pow(10, e).toPrecision(4)]);
    return out;
  }
  let step = Math.pow(10, Math.floor(Math.log10(high - low)));
  for (const part of [0.1, 0.2, 0.5, 1, 2]) if ((high - low) / (step * part) <= 8) { step *= part; break; }
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)), plain = digits < 6 && Math.max(-low, high) < 1e6;
  for (let n = Math.ceil(low / step - 1e-9); n <= high / step + 1e-9 && out.length < 32; n++)
    out.push([n * step, plain ? (n * step).toFixed(digits) : written(n * step, step)]);
  return out;
};

// Each chart: its groups in the document, and the points of its series.
const groups = [...svg.querySelectorAll('g.axes,g.series')];
const numbers = s => [...s.matchAll(/(-?[\d.]+(?:e[-+]?\d+)?),(-?[\d.]+(?:e[-+]?\d+)?)/g)].map(m => [+m[1], +m[2]]);
charts.forEach((c, n) => {
  c.view = [...c.rect];
  c.axesGroups = [groups.shift()];
  c.groups = c.series.map(() => groups.shift());
  if (c.axes.length > 2) c.axesGroups.push(groups.shift());
  const clip = make('clipPath', {id: 'c' + n}, flipped);
  make('rect', {x: c.rect[0], y: c.rect[1], width: c.rect[2] - c.rect[0], height: c.rect[3] - c.rect[1]}, clip);
  c.points = [];
  c.moved = [];
  c.groups.forEach((g, i) => {
    for (const e of g.querySelectorAll('path,text,image')) {
      const d = e.getAttribute('d'), circle = d && d.includes('A');
      c.moved.push({e, d, circle, x: +e.getAttribute('x'), y: +e.getAttribute('y'), w: +e.getAttribute('width'),
        h: +e.getAttribute('height')});
      if (!d || !/^(line|points)$/.test(c.series[i].kind)) continue;
      if (circle) {
        const [start, radii] = numbers(d);
        c.points.push([start[0] - radii[0], start[1], i]);
      } else if (/stroke-width:1.2/.test(e.getAttribute('style'))) for (const p of numbers(d)) c.points.push([...p, i]);
    }
  });
});

// The axes of the part that is shown, and where a point of the whole is in it.
const shown = (c, k) => {
  const a = c.axes[k], i = k ? 1 : 0;
  const part = v => (v - c.rect[i]) / (c.rect[i + 2] - c.rect[i]);
  return {...a, min: valueAt(a, part(c.view[i])), max: valueAt(a, part(c.view[i + 2]))};
};
const across = (c, x) => c.rect[0] + (x - c.view[0]) / (c.view[2] - c.view[0]) * (c.rect[2] - c.rect[0]);
const up = (c, y) => c.rect[1] + (y - c.view[1]) / (c.view[3] - c.view[1]) * (c.rect[3] - c.rect[1]);

const show = (c, view) => {
  c.view = view;
  const zoomed = view.some((v, i) => v !== c.rect[i]);
  c.groups.forEach(g => zoomed ? g.setAttribute('clip-path', 'url(#c' + charts.indexOf(c) + ')') : g.removeAttribute('clip-path'));
  for (const {e, d, circle, x, y, w, h} of c.moved) {
    if (circle) {
      const [start, radii] = numbers(d), cx = start[0] - radii[0];
      e.setAttribute('transform', zoomed ? `translate(${across(c, cx) - cx},${up(c, start[1]) - start[1]})` : '');
    } else if (d) {
      e.setAttribute('d', zoomed ? d.replace(/(-?[\d.]+(?:e[-+]?\d+)?),(-?[\d.]+(?:e[-+]?\d+)?)/g,
        (_, px, py) => across(c, +px).toFixed(2) + ',' + up(c, +py).toFixed(2)) : d);
    } else if (e.tagName === 'image') {
      const low = up(c, -y - h), high = up(c, -y);
      e.setAttribute('x', across(c, x));
      e.setAttribute('width', across(c, x + w) - across(c, x));
      e.setAttribute('height', high - low);
      e.setAttribute('y', -high);
    } else {
      e.setAttribute('x', across(c, x));
      e.setAttribute('y', -up(c, -y));
    }
  }
  c.axesGroups.forEach((g, i) => {
    for (const e of [...g.children]) {
      if (e.dataset.own) e.remove();
      else if (/fill:\s*none|font-size:\s*8px/.test(e.getAttribute('style'))) e.style.display = zoomed ? 'none' : '';
    }
    if (zoomed) axes(c, g, i);
  });
};
const axes = (c, g, right) => {
  const [l, b, r, t] = c.rect, own = make('g', {'data-own': 1}, g);
  const line = (x0, y0, x1, y1, colour) =>
    make('path', {d: `M${x0},${y0}L${x1},${y1}`, style: `fill:none;stroke:${colour};stroke-width:0.5`}, own);
  const text = (x, y, anchor, s) => make('text', {x, y: -y, transform: 'scale(1, -1)', 'text-anchor': anchor,
    style: `font-size:8px;fill:${ink}`}, own, s);
  const side = (k, draw) => {
    const a = shown(c, k);
    for (const [v, label] of ticks(a)) {
      const p = placeOf(a, v);
      if (p >= -1e-9 && p <= 1 + 1e-9) draw(p, label);
    }
  };
  const grid = !/picture/.test(c.series.map(s => s.kind).join());
  if (right) {
    side(2, (p, label) => { line(r, b + p * (t - b), r + 4, b + p * (t - b), ink); text(r + 7, b + p * (t - b) - 3, 'start', label); });
    line(r, b, r, t, ink);
    return;
  }
  side(0, (p, label) => {
    const x = l + p * (r - l);
    if (grid) line(x, b, x, t, lines);
    line(x, b, x, b - 4, ink);
    text(x, b - 12, 'middle', label);
  });
  side(1, (p, label) => {
    const y = b + p * (t - b);
    if (grid) line(l, y, r, y, lines);
    line(l, y, l - 4, y, ink);
    text(l - 6, y - 3, 'end', label);
  });
  line(l, b, r, b, ink);
  line(l, b, l, t, ink);
};

// What is said of a place of the data.
const said = (c, x, y, series) => {
  const cells = c.series[0] && c.series[0].cells;
  if (cells && series === undefined) {
    const place = (k, at, i) => {
      const a = c.axes[k];
      return Math.round(valueAt(a, (at - c.rect[i]) / (c.rect[i + 2] - c.rect[i])));
    };
    const column = place(0, x, 0), row = place(1, y, 1), named = (k, n) => (c.axes[k].names || [])[n] || n;
    return named(1, row) + ', ' + named(0, column) + ': ' + (cells[row] || [])[column];
  }
  const value = (k, at, i) => {
    const a = c.axes[k], t = (at - c.rect[i]) / (c.rect[i + 2] - c.rect[i]), v = valueAt(a, t);
    if (a.names) return a.names[Math.round(v)] || '';
    const size = c.rect[i + 2] - c.rect[i];
    if (a.log) return '' + +v.toPrecision(4);
    return written(v, Math.abs(a.max - a.min) / size / 4);
  };
  const s = series === undefined ? null : c.series[series];
  const xs = value(0, x, 0), ys = value(s && s.right ? 2 : 1, y, 1);
  const both = !s && c.axes.length > 2 ? ' and ' + value(2, y, 1) : '';
  return (s && s.label ? s.label + ': ' : '') + (c.axes[0].names ? '' : xs + ', ') + ys + both;
};
const tip = make('g', {style: 'pointer-events:none;display:none'}, svg);
const dot = make('circle', {r: 3, style: `fill:none;stroke:${ink};stroke-width:1.2`}, tip);
const box = make('rect', {rx: 2, style: `fill:${background};stroke:${ink};stroke-width:0.5`}, tip);
const label = make('text', {style: `fill:${ink};font-size:9px`}, tip);
const tell = (x, y, text, marked) => {
  tip.style.display = '';
  dot.style.display = marked ? '' : 'none';
  dot.setAttribute('cx', x);
  dot.setAttribute('cy', H - y);
  label.textContent = '';
  const rows = text.split('\n').map((t, i) => make('tspan', {y: 0, dy: 11 * i}, label, t));
  const w = Math.max(...rows.map(t => t.getComputedTextLength())) + 8, high = 11 * rows.length + 3;
  const left = Math.max(1, Math.min(x + 8 + w > W ? x - 8 - w : x + 8, W - w - 1)), top = Math.max(1, H - y - high - 8);
  for (const [k, v] of [['x', left], ['y', top], ['width', w], ['height', high]]) box.setAttribute(k, v);
  for (const t of rows) {
    t.setAttribute('x', left + 4);
    t.setAttribute('y', top + 10);
  }
};
const at = e => {
  const r = svg.getBoundingClientRect();
  return [(e.clientX - r.left) / r.width * W, H - (e.clientY - r.top) / r.height * H];
};
const chartAt = (x, y) => charts.find(c => x >= c.rect[0] && x <= c.rect[2] && y >= c.rect[1] && y <= c.rect[3]);
const hover = (x, y) => {
  const c = chartAt(x, y);
  svg.classList.toggle('c', !!c);
  tip.style.display = 'none';
  if (!c) return;
  let best = null, least = 400;
  for (const p of c.points) {
    const px = across(c, p[0]), py = up(c, p[1]), d = (px - x) ** 2 + (py - y) ** 2;
    if (d < least && chartAt(px, py) === c) { least = d; best = [px, py, p]; }
  }
  if (best) return tell(best[0], best[1], said(c, best[2][0], best[2][1], best[2][2]), true);
  const wx = c.view[0] + (x - c.rect[0]) / (c.rect[2] - c.rect[0]) * (c.view[2] - c.view[0]);
  const wy = c.view[1] + (y - c.rect[1]) / (c.rect[3] - c.rect[1]) * (c.view[3] - c.view[1]);
  const v = valueAt(c.axes[0], (wx - c.rect[0]) / (c.rect[2] - c.rect[0]));
  for (const s of c.series)
    for (const [from, to, text] of s.spans || [])
      if (v >= from && v < to) return tell(x, y, (s.label ? s.label + ', ' : '') + text, false);
  tell(x, y, said(c, wx, wy), false);
};

// A drag enlarges what it covers: flat ones only across, narrow ones only up.
let drag = null;
svg.addEventListener('pointerdown', e => {
  const [x, y] = at(e), c = e.pointerType !== 'touch' && e.button === 0 && chartAt(x, y);
  if (!c) return;
  drag = {c, x, y, box: make('rect', {style: `fill:${ink};fill-opacity:0.12`}, svg)};
  svg.setPointerCapture(e.pointerId);
  e.preventDefault();
  host.focus({preventScroll: true});
});
const covered = e => {
  let [x, y] = at(e);
  const {c} = drag, r = c.rect;
  x = Math.max(r[0], Math.min(r[2], x));
  y = Math.max(r[1], Math.min(r[3], y));
  const flat = Math.abs(y - drag.y) < 8, narrow = Math.abs(x - drag.x) < 8;
  return [flat && narrow, narrow ? r[0] : Math.min(x, drag.x), flat ? r[1] : Math.min(y, drag.y),
    narrow ? r[2] : Math.max(x, drag.x), flat ? r[3] : Math.max(y, drag.y)];
};
svg.addEventListener('pointermove', e => {
  if (!drag) return hover(...at(e));
  tip.style.display = 'none';
  const [none, l, b, r, t] = covered(e);
  const sides = {x: l, y: H - t, width: none ? 0 : r - l, height: none ? 0 : t - b};
  for (const k in sides) drag.box.setAttribute(k, sides[k]);
});
const end = e => {
  if (!drag) return;
  const [none, ...part] = covered(e), {c} = drag;
  drag.box.remove();
  drag = null;
  if (none || e.type === 'pointercancel') return;
  show(c, part.map((v, i) => c.view[i % 2] + (v - c.rect[i % 2]) / (c.rect[i % 2 + 2] - c.rect[i % 2]) *
    (c.view[i % 2 + 2] - c.view[i % 2])));
};
svg.addEventListener('pointerup', end);
svg.addEventListener('pointercancel', end);
svg.addEventListener('pointerleave', () => { if (!drag) tip.style.display = 'none'; });
svg.addEventListener('dblclick', e => { const c = chartAt(...at(e)); if (c) show(c, [...c.rect]); });

// The same by keys.
let step = -1;
host.addEventListener('keydown', e => {
  const all = charts.flatMap(c => c.points.map(p => [c, p]));
  if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') {
    if (!all.length) return;
    step = Math.max(0, Math.min(all.length - 1, step + (e.key === 'ArrowRight' ? 1 : -1)));
    const [c, p] = all[step], text = said(c, p[0], p[1], p[2]);
    tell(across(c, p[0]), up(c, p[1]), text, true);
    status.textContent = text;
  } else if (e.key === '+') {
    const [c, p] = step < 0 ? [charts[0], [0, 1].map(i => (charts[0].view[i] + charts[0].view[i + 2]) / 2)] : all[step];
    const low = i => Math.max(c.rect[i], Math.min(p[i], c.rect[i + 2]) - (c.view[i + 2] - c.view[i]) / 4);
    const view = [low(0), low(1)];
    show(c, [...view, ...view.map((v, i) => v + (c.view[i + 2] - c.view[i]) / 2)]);
    tip.style.display = 'none';
  } else if (e.key === 'Escape' || e.key === '-') {
    charts.forEach(c => show(c, [...c.rect]));
    tip.style.display = 'none';
  } else return;
  e.preventDefault();
  e.stopPropagation();
});
