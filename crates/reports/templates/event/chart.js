// Small SVG charts: axes with round numbers, stacked areas, bars, a line, and a cross-hair that all charts of a page share.

const LEFT = 76, RIGHT = 14;
function roundStep(span, most) {
  const raw = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(raw || 1));
  return power * ([1, 2, 2.5, 5, 10].find((step) => step * power >= raw * 0.9999) || 10);
}
function ticks(low, high, most, whole) {
  if (!(high > low)) return [low];
  const round = roundStep(high - low, most), step = whole ? Math.ceil(round) : round, out = [];
  for (let at = Math.ceil(low / step); at * step <= high * (1 + 1e-9) && out.length < 50; at++) out.push(at * step);
  return out;
}
// A frame with its two axes. `x` and `y` map values to pixels; `whole`: only whole numbers on the x axis.
function frame(host, { height, low, high, top, format, xLabel, xFormat, whole }) {
  const width = Math.max(320, host.clientWidth), bottom = height - (xLabel ? 34 : 8), upper = 10;
  const root = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', class: 'chart' });
  const x = (value) => LEFT + (width - LEFT - RIGHT) * (value - low) / ((high - low) || 1);
  const y = (value) => bottom - (bottom - upper) * value / (top || 1);
  const axes = svg('g', { class: 'axes' });
  for (const tick of ticks(0, top, height < 130 ? 2 : height < 220 ? 3 : 6)) {
    axes.append(svg('line', { x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick) }), svg('text', { x: LEFT - 8, y: y(tick) + 4, 'text-anchor': 'end' }, format(tick)));
  }
  if (xLabel) {
    const step = ticks(low, high, Math.floor((width - LEFT) / (whole ? 64 : 110)), whole);
    for (const tick of step) axes.append(svg('line', { x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 4 }), svg('text', { x: x(tick), y: bottom + 17, 'text-anchor': x(tick) > width - 30 ? 'end' : 'middle' }, xFormat(tick)));
    axes.append(svg('text', { x: width - RIGHT, y: bottom + 31, 'text-anchor': 'end', class: 'axis-name' }, xLabel));
  }
  const clip = 'clip' + frame.number++;
  const plane = svg('clipPath', { id: clip });
  plane.append(svg('rect', { x: LEFT, y: 0, width: Math.max(1, width - LEFT - RIGHT), height: bottom + 1 }));
  const plot = svg('g', { 'clip-path': `url(#${clip})` });
  root.append(plane, axes, plot);
  host.replaceChildren(root);
  return { root, plot, x, y, low, high, width, height, bottom, upper };
}
frame.number = 0;
const path = (points) => points.map(([x, y], at) => (at ? 'L' : 'M') + x.toFixed(1) + ' ' + y.toFixed(1)).join('');

// Series one on top of the other; `series`: [{ values, colour, name }], drawn at `xs`.
function stack(chart, xs, series) {
  const base = xs.map(() => 0);
  series.forEach((one, index) => {
    const upper = xs.map((x, at) => [chart.x(x), chart.y(base[at] + one.values[at])]);
    const lower = xs.map((x, at) => [chart.x(x), chart.y(base[at])]).reverse();
    one.values.forEach((value, at) => { base[at] += value; });
    const area = svg('path', { d: path([...upper, ...lower]) + 'Z', fill: one.colour, class: 'area', 'data-series': index });
    area.append(svg('title', {}, one.name));
    chart.plot.append(area);
  });
}
function line(chart, points, className) {
  chart.plot.append(svg('path', { d: path(points.map(([x, y]) => [chart.x(x), chart.y(y)])), class: className, fill: 'none' }));
}
// Bars from 0: [{ at, until, value, colour, part, title }]; `part` of the value is drawn darker. They are `least` wide; from `at`
// to `until` if that is given and wider, else around `at`.
function bars(chart, all, least) {
  for (const { at, until, value, colour: fill, part, title } of all) {
    const bar = svg('g', {});
    const width = until === undefined ? least : Math.max(least, chart.x(until) - chart.x(at));
    const y = chart.y(value), left = until === undefined ? chart.x(at) - width / 2 : chart.x(at);
    bar.append(svg('rect', { x: left, y, width, height: Math.max(1, chart.bottom - y), fill }));
    if (part > 0) bar.append(svg('rect', { x: left, y, width, height: Math.max(0, chart.y(value - part) - y), class: 'part' }));
    bar.append(svg('title', {}, title));
    chart.plot.append(bar);
  }
}
// One cross-hair over all charts of a page: `read(x)` gives the nearest { at, html parts } or null.
function crosshair(charts, { nearest, tell, zoom }) {
  const tip = byId('tip');
  const hairs = charts.map((chart) => { const hair = svg('line', { class: 'hair', y1: 0, y2: chart.bottom }); chart.root.append(hair); return hair; });
  const valueAt = (chart, event) => {
    const box = chart.root.getBoundingClientRect();
    const pixel = (event.clientX - box.left) * chart.width / box.width;
    return chart.low + (pixel - LEFT) / (chart.width - LEFT - RIGHT) * (chart.high - chart.low);
  };
  const hide = () => { hairs.forEach((hair) => hair.classList.remove('on')); tip.hidden = true; };
  charts.forEach((chart) => {
    let from = null;
    const shade = svg('rect', { class: 'shade', y: 0, height: chart.bottom, width: 0, x: 0 });
    chart.root.append(shade);
    chart.root.addEventListener('pointermove', (event) => {
      const value = valueAt(chart, event), found = nearest(value);
      if (found === null) { hide(); return; }
      hairs.forEach((hair, at) => { const x = charts[at].x(found.at); hair.setAttribute('x1', x); hair.setAttribute('x2', x); hair.classList.add('on'); });
      tip.replaceChildren(...tell(found));
      tip.hidden = false;
      const left = event.clientX + 18 + tip.offsetWidth > innerWidth ? event.clientX - 18 - tip.offsetWidth : event.clientX + 18;
      tip.style.left = Math.max(4, left) + 'px';
      tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + 'px';
      if (from !== null) { const [a, b] = [chart.x(from), chart.x(value)].sort((p, q) => p - q); shade.setAttribute('x', a); shade.setAttribute('width', b - a); }
    });
    chart.root.addEventListener('pointerleave', hide);
    chart.root.addEventListener('pointerdown', (event) => { if (zoom && event.button === 0) { from = valueAt(chart, event); event.preventDefault(); } });
    chart.root.addEventListener('pointerup', (event) => {
      if (from === null) return;
      const [a, b] = [from, valueAt(chart, event)].sort((p, q) => p - q);
      from = null;
      shade.setAttribute('width', 0);
      if (b - a > (chart.high - chart.low) / 200) zoom(Math.max(a, chart.low), Math.min(b, chart.high));
    });
    if (zoom) chart.root.addEventListener('dblclick', () => zoom(null, null));
  });
}
// A line in a cell, from 0 to its largest value.
function sparkline(values, width, height, className) {
  const root = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, class: 'spark ' + (className || ''), 'aria-hidden': 'true' });
  const top = Math.max(...values, 1), last = Math.max(1, values.length - 1);
  const points = values.map((value, at) => [1 + (width - 2) * at / last, height - 2 - (height - 4) * value / top]);
  if (points.length === 1) points.push([width - 1, points[0][1]]);
  if (points.length) root.append(svg('path', { d: path([[points[0][0], height - 1], ...points, [points.at(-1)[0], height - 1]]) + 'Z', class: 'spark-area' }), svg('path', { d: path(points), class: 'spark-line', fill: 'none' }));
  return root;
}
// One bar cut in parts: [{ value, colour, title }].
function partBar(parts, whole, className) {
  const bar = element('span', className || 'partbar');
  for (const part of parts) {
    if (!(part.value > 0)) continue;
    const block = element('span');
    block.style.cssText = `flex:${part.value} 0 0;background:${part.colour}`;
    block.title = part.title;
    bar.append(block);
  }
  const sum = parts.reduce((all, part) => all + Math.max(0, part.value), 0);
  if (whole > sum) { const rest = element('span', 'void'); rest.style.flex = `${whole - sum} 0 0`; bar.append(rest); }
  return bar;
}
