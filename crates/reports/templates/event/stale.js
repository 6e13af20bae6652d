// How long objects have not been used: the heap by level over time, and a table by site or type.

choice('group', 'site', ['site', 'type']);
const WITHOUT = { class: '', method: '', descriptor: '', bci: 0, line: null, source_file: null, type: null, kind: '', context: [], types: [] };
const sites = data.sites.map((site, at) => ({ ...site, key: 's' + at, name: label(site) }));
if (data.unattributed) sites.push({ ...WITHOUT, ...data.unattributed, key: 'without', name: '(without an event: made by the VM or JNI)' });
const types = data.types.map((row) => ({ ...row, key: 't' + row.type, name: row.type }));
[...sites, ...types].forEach((row, at) => { row.cells = data.table.rows[at]; });
const bySite = () => chosen.group === 'site';

// From used lately, calm, to never used, loud.
const LEVEL_COLOURS = ['var(--a0)', 'var(--a1)', 'var(--a2)', 'var(--a3)', 'var(--a4)', 'var(--a5)', 'var(--a6)', 'var(--a7)'];
const levelColour = (at) => LEVEL_COLOURS[Math.min(at, LEVEL_COLOURS.length - 1)];
const levelText = (name) => name === '0' ? 'used since the collection before' : name + (name === '1' ? ' collection' : ' collections') + ' without a use';
const parts = (row) => row.staleness.map((one, at) => ({ value: amount(one), colour: levelColour(at), title: levelText(one.level) + ': ' + shown(amount(one)) }));
const STALE = data.staleness.map((one) => Number(one.level.split('-')[0])).findIndex((from) => from >= data.staleFrom);
const stale = (row) => STALE < 0 ? 0 : row.staleness.slice(STALE).reduce((sum, one) => sum + amount(one), 0);

const points = data.points.map((one, at) => ({ ...one, at }));
const deepest = points.reduce((best, one) => one.staleness.length > best.length ? one.staleness : best, data.staleness).map((one) => one.level);
const layers = () => deepest.map((name, level) => ({ name: levelText(name), values: points.map((one) => one.staleness[level] ? amount(one.staleness[level]) : 0), colour: levelColour(level) })).reverse();
function drawLegend(all, at) {
  byId('layers').replaceChildren(...all.map((one) => {
    const entry = element('div', 'entry'), dot = element('i');
    dot.style.background = one.colour;
    entry.append(dot, element('span', '', one.name), element('span', 'n', short(one.values[at] ?? 0)));
    return entry;
  }));
}
function draw() {
  const all = layers();
  const sums = points.map((_, at) => all.reduce((sum, one) => sum + one.values[at], 0));
  const xs = points.map((one) => one.collection);
  // One point has no width: it is drawn as a step.
  const wide = xs.length > 1 ? xs : [xs[0] - 1, xs[0]];
  const layered = xs.length > 1 ? all : all.map((one) => ({ ...one, values: [one.values[0], one.values[0]] }));
  const chart = frame(byId('levels'), { height: 320, low: wide[0], high: wide.at(-1), top: Math.max(...sums, 1) * 1.06, format: short, xLabel: 'collection', xFormat: grouped, whole: true });
  stack(chart, wide, layered);
  drawLegend(all, points.length - 1);
  crosshair([chart], {
    nearest: (x) => {
      if (!points.length) return null;
      const best = points.reduce((a, b) => Math.abs(b.collection - x) < Math.abs(a.collection - x) ? b : a);
      return { at: best.collection, index: best.at };
    },
    tell: ({ index }) => {
      drawLegend(all, index);
      const point = points[index];
      const out = [element('strong', '', 'after collection ' + grouped(point.collection) + (point.micros === null ? '' : ', ' + (point.micros / 1e6).toFixed(3) + ' s'))];
      all.filter((one) => one.values[index] > 0).forEach((one) => { const row = element('div', 'entry'), dot = element('i'); dot.style.background = one.colour; row.append(dot, element('span', '', one.name), element('span', 'n', short(one.values[index]))); out.push(row); });
      return out;
    },
  });
}
const columns = [...declared({ objects: { spare: true } }),
  { id: 'levels', name: 'By level', width: 180, value: (row) => stale(row) / (amount(row) || 1), number: true, draw: (td, row) => td.append(partBar(parts(row))) },
  { id: 'type', name: 'Type', code: true, width: 230, hidden: () => !bySite(), value: typeOf, show: typeOf },
  nameColumn,
];
const table = grid(columns, {
  sort: () => 'stale',
  what: (n) => (bySite() ? 'site' : 'type') + (n === 1 ? '' : 's'),
  picked(row) {
    const detail = detailFor(row);
    if (!detail) return;
    detail.append(element('p', 'small', bytes(row.bytes) + ' in ' + objects(row.count) + ', ' + shown(stale(row)) + ` not used for ${data.staleFrom} collections or more`));
    listing(detail, 'Collections without a use', row.staleness.map((one) => ({ ...one, name: levelText(one.level) })), amount(row));
    if (row.types?.length) listing(detail, 'Types', row.types.map((one) => ({ ...one, name: one.type })), amount(row));
    if (row.context?.length) listing(detail, 'Callers to blame', row.context.map((one) => ({ ...one, name: callOf(one) })), amount(row));
  },
});
function changed() {
  draw();
  const hit = matcher(chosen.q);
  const rows = bySite() ? sites : types;
  table.fill(rows.filter((row) => hit((row.name + ' ' + (row.type ?? '')).toLowerCase())));
}
searchBox(changed);
radios('metric', changed);
byId('group').value = chosen.group;
byId('group').addEventListener('change', () => { choose('group', byId('group').value); changed(); });
let resizing = 0;
addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(draw, 100); });
changed();
document.documentElement.dataset.ready = 'true';
