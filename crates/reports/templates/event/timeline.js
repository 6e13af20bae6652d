// The heap over time: what lives by type or site, what the spaces hold, pauses, the allocation rate. One time axis for all.

choice('by', 'type', ['type', 'site', 'space']);
choice('from', '');
choice('to', '');
const KIND_COLOURS = { young: 0, mixed: 1, full: 3, cleanup: 4 };
const kindColour = (kind) => colour(KIND_COLOURS[kind] ?? 5);
const seconds = (micros) => micros / 1e6;
const axisTime = (micros, span) => seconds(micros).toFixed(span < 2e5 ? 3 : span < 2e6 ? 2 : span < 2e7 ? 1 : 0) + ' s';
const collections = data.collections.map((one, at) => ({ ...one, at, cells: data.table.rows[at], key: 'c' + one.number, name: `collection ${one.number} (${one.kind})`, count: one.live?.count ?? 0, bytes: one.live?.bytes ?? 0 }));
const moments = data.moments;
const end = Math.max(data.endMicros ?? 0, ...moments.map((one) => one.micros), ...collections.map((one) => one.startMicros + one.pauseMicros), 1);
const low = () => Number(chosen.from || 0), high = () => Number(chosen.to || end);
const values = (one) => chosen.metric === 'count' ? one.counts : one.sizes;

// Two points a collection: what the spaces held before and after it.
function spaceLayers() {
  const kinds = [...new Set(collections.flatMap((one) => [...one.before, ...one.after].map((space) => space.kind)))];
  const used = (spaces, kind) => spaces.find((space) => space.kind === kind)?.used ?? 0;
  const order = ['old', 'tenured', 'humongous', 'survivor', 'eden'];
  kinds.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return {
    xs: collections.flatMap((one) => [one.startMicros, one.startMicros + one.pauseMicros]),
    all: kinds.map((kind, at) => ({ name: kind, values: collections.flatMap((one) => [used(one.before, kind), used(one.after, kind)]), colour: colour(at) })),
    metric: 'bytes',
  };
}
function layers() {
  if (chosen.by === 'space') return spaceLayers();
  const byType = chosen.by === 'type';
  const all = (byType ? data.types : data.sites).map((one, at) => ({ name: byType ? one.type : shortLabel(one) + '  ' + typeOf(one), values: values(one), colour: colour(at) }));
  if (!byType && data.unattributed) all.push({ name: 'made by the VM or JNI', values: values(data.unattributed), colour: 'var(--soft)' });
  const rest = values(byType ? data.otherTypes : data.otherSites);
  if (rest.some((value) => value > 0)) all.push({ name: 'all others', values: rest, colour: 'var(--rest)' });
  return { xs: moments.map((one) => one.micros), all, metric: chosen.metric };
}
function drawLegend(all, at, format) {
  byId('layers').replaceChildren(...all.map((one, index) => {
    const entry = element('div', 'entry'), dot = element('i');
    dot.style.background = one.colour;
    entry.append(dot, element('span', 'code', one.name), element('span', 'n', format(one.values[at] ?? 0)));
    const faint = (on) => byId('heap').querySelectorAll('.area').forEach((area) => area.classList.toggle('faint', on && Number(area.dataset.series) !== index));
    entry.addEventListener('pointerenter', () => faint(true));
    entry.addEventListener('pointerleave', () => faint(false));
    return entry;
  }));
  fitNames(byId('layers').querySelectorAll('.code'));
}
const span = () => high() - low();
const xAxis = () => ({ low: low(), high: high() });
function drawHeap() {
  byId('heap-title').textContent = chosen.by === 'space' ? 'What the spaces hold before and after collections' : 'Live heap after collections';
  const { xs, all, metric } = layers();
  const format = metric === 'count' ? shortObjects : shortBytes;
  const visible = xs.map((x, at) => at).filter((at) => (xs[at + 1] ?? xs[at]) >= low() && (xs[at - 1] ?? xs[at]) <= high());
  const sums = visible.map((at) => all.reduce((sum, one) => sum + one.values[at], 0));
  const chart = frame(byId('heap'), { height: 380, ...xAxis(), top: Math.max(...sums, 1) * 1.06, format });
  stack(chart, visible.map((at) => xs[at]), all.map((one) => ({ ...one, values: visible.map((at) => one.values[at]) })));
  drawLegend(all, visible.at(-1) ?? 0, format);
  return { chart, xs, all, format };
}
function drawPauses(seen) {
  const top = Math.max(...seen.map((one) => one.pauseMicros), 1);
  const chart = frame(byId('pauses'), { height: 120, ...xAxis(), top: top * 1.08, format: duration });
  const width = Math.max(1.5, Math.min(6, (chart.width - LEFT - RIGHT) / Math.max(1, seen.length) * 0.8));
  bars(chart, seen.map((one) => ({ at: one.startMicros, until: one.startMicros + one.pauseMicros, value: one.pauseMicros, part: one.walkMicros, colour: kindColour(one.kind), title: `collection ${one.number}, ${one.kind}: ${duration(one.pauseMicros)}` })), width);
  const kinds = [...new Set(collections.map((one) => one.kind))];
  byId('kinds').replaceChildren(...kinds.map((kind) => { const entry = element('span', 'entry'), dot = element('i'); dot.style.background = kindColour(kind); entry.append(dot, kind + ' ' + grouped(collections.filter((one) => one.kind === kind).length)); return entry; }),
    ...(collections.some((one) => one.walkMicros > 0) ? [(() => { const entry = element('span', 'entry'), dot = element('i', 'part-dot'); entry.append(dot, 'of it the tracing agent'); return entry; })()] : []));
  return chart;
}
function drawRate(rates) {
  const top = Math.max(...rates.map((one) => one.rate), 1);
  const chart = frame(byId('rate'), { height: 140, ...xAxis(), top: top * 1.08, format: (n) => (chosen.metric === 'count' ? shortObjects(n) : shortBytes(n)) + '/s', xLabel: 'since the start of the JVM', xFormat: (n) => axisTime(n, span()) });
  const steps = rates.flatMap((one) => [[one.from, one.rate], [one.to, one.rate]]);
  if (steps.length) {
    chart.plot.append(svg('path', { d: path([[steps[0][0], 0], ...steps, [steps.at(-1)[0], 0]].map(([x, y]) => [chart.x(x), chart.y(y)])) + 'Z', class: 'rate-area' }));
    line(chart, steps, 'rate-line');
  }
  return chart;
}
const rates = () => collections.filter((one) => one.mutatorMicros > 0).map((one) => {
  const bytesToo = chosen.metric === 'count' ? one.allocated.count : one.allocated.bytes + one.gapBytes;
  return { from: one.startMicros - one.mutatorMicros, to: one.startMicros, rate: bytesToo / seconds(one.mutatorMicros) };
}).filter((one) => one.to >= low() && one.from <= high());
function draw() {
  const seen = collections.filter((one) => one.startMicros + one.pauseMicros >= low() && one.startMicros <= high());
  const rated = rates();
  const heap = drawHeap();
  const charts = [heap.chart, drawPauses(seen), drawRate(rated)];
  byId('zoom-out').disabled = !chosen.from;
  crosshair(charts, { nearest: (x) => nearestTo(heap.xs, x), tell: (found) => tell(found, heap, rated), zoom: (a, b) => { choose('from', a === null ? '' : Math.round(a)); choose('to', b === null ? '' : Math.round(b)); draw(); tellStretch(); } });
}
// The stretch is the same for all pages of `ducktrack ui`.
function tellStretch() { if (embedded) lead({ from: chosen.from, to: chosen.to }); }
function nearestTo(xs, x) {
  if (!xs.length) return null;
  let best = 0;
  for (let at = 1; at < xs.length; at++) if (Math.abs(xs[at] - x) < Math.abs(xs[best] - x)) best = at;
  return { index: best, at: xs[best], x };
}
function tell({ index, at }, heap, rated) {
  const out = [], one = (name, value, fill) => { const row = element('div', 'entry'), dot = element('i'); dot.style.background = fill || 'transparent'; row.append(dot, element('span', 'code', name), element('span', 'n', value)); out.push(row); };
  const moment = chosen.by === 'space' ? null : moments[index];
  const near = collections.find((candidate) => moment ? candidate.number === moment.collection : candidate.startMicros <= at && at <= candidate.startMicros + candidate.pauseMicros);
  out.push(element('strong', '', axisTime(at, span()) + (moment ? ', after collection ' + grouped(moment.collection) : '')));
  const sum = heap.all.reduce((all, layer) => all + layer.values[index], 0);
  one('in the heap', heap.format(sum), 'var(--text)');
  heap.all.map((layer) => [layer, layer.values[index]]).filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]).slice(0, 8).forEach(([layer, value]) => one(layer.name, heap.format(value), layer.colour));
  if (near) one(`collection ${near.number}, ${near.kind}: ${near.cause}`, duration(near.pauseMicros), kindColour(near.kind));
  const rate = rated.find((candidate) => candidate.from <= at && at <= candidate.to);
  if (rate) one('allocation rate', short(rate.rate) + '/s', 'var(--accent)');
  drawLegend(heap.all, index, heap.format);
  return out;
}
const columns = declared({
  kind: { width: 100, draw: (td, row) => { const dot = element('i', 'dot'); dot.style.background = kindColour(row.kind); td.prepend(dot); } },
  pause: { draw: (td, row) => barCell(td, row.pauseMicros, longest) },
  rate: { spare: true }, moved: { spare: true }, promoted: { spare: true },
});
const longest = Math.max(...collections.map((one) => one.pauseMicros), 1);
const table = grid(columns, { sort: () => 'number', dir: 'asc', what: (n) => n === 1 ? 'collection' : 'collections', picked(row) {
  const detail = detailFor(row);
  if (!detail) return;
  const facts = element('dl'), amounts = (one) => one ? `${shortBytes(one.bytes)} in ${objects(one.count)}` : 'not known';
  for (const [name, text] of [['pause', `${duration(row.pauseMicros)}, of it the agent ${duration(row.walkMicros)}`], ['cause', row.cause], ['allocated before', amounts(row.allocated)], ['died', amounts(row.died)], ['promoted', amounts(row.promoted)], ['live afterwards', amounts(row.live)]]) facts.append(element('dt', '', name), element('dd', '', text));
  detail.append(facts);
  if (embedded) detail.append(leadingButton('The heap after it', { tab: 'heap', at: row.number }));
  else detail.append(element('p', 'small code', `ducktrack heap ${data.run.trace} --at ${row.number}`));
} });
function changed() {
  draw();
  const hit = matcher(chosen.q);
  table.fill(collections.filter((one) => hit((one.number + ' ' + one.kind + ' ' + one.cause).toLowerCase())));
}
searchBox(changed);
radios('metric', changed);
radios('by', draw);
byId('zoom-out').addEventListener('click', () => { choose('from', ''); choose('to', ''); draw(); tellStretch(); });
listenToParent((order) => { if (order.from !== undefined) { choose('from', order.from); choose('to', order.to); draw(); } });
let resizing = 0;
addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(draw, 100); });
changed();
document.documentElement.dataset.ready = 'true';
