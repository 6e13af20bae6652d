// Growth: the live objects of each site over the collections, and what they look like.

const verdicts = ['growing', 'periodic', 'bounded', 'unknown'];
choice('verdict', 'all', ['all', ...verdicts]);
const values = (row) => chosen.metric === 'count' ? row.counts : row.sizes;
choice('rows', 'sites', ['sites', 'types']);
const sites = data.sites.map((site, at) => ({ ...site, key: 's' + at, name: label(site) }));
if (data.unattributed) sites.push({ class: '', ...data.unattributed, type: null, key: 'without', name: '(without an event: made by the VM or JNI)', hay: '(without an event: made by the vm or jni)' });
const types = data.types.map((row, at) => ({ ...row, key: 't' + at, name: row.type, hay: row.type.toLowerCase() }));
const bySite = () => chosen.rows === 'sites';
const all = () => bySite() ? sites : types;
const change = (row) => (values(row).at(-1) ?? 0) - (values(row)[0] ?? 0);
const signed = (n) => (n > 0 ? '+' : '') + short(n);
const columns = [
  { id: 'verdict', name: 'Verdict', width: 120, value: (row) => verdicts.indexOf(row.verdict), draw: (td, row) => td.append(element('span', 'badge ' + row.verdict, row.verdict)) },
  { id: 'confidence', spare: true, name: 'Confidence', number: true, width: 105, value: (row) => row.confidence, show: (row) => row.verdict === 'unknown' ? '-' : share(row.confidence, 1), draw: (td, row) => barCell(td, row.confidence, 1) },
  { id: 'shape', name: 'Live over the collections', width: 240, value: (row) => change(row), draw: (td, row) => td.append(sparkline(values(row), 220, 34, row.verdict)) },
  { id: 'bytes', name: 'Live at the end', number: true, width: 130, value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
  { id: 'count', spare: true, name: 'Objects', number: true, width: 120, value: (row) => row.count, show: (row) => objects(row.count) },
  { id: 'slope', name: 'Per collection', tip: 'per collection', number: true, width: 130, value: (row) => row.bytesPerCollection, show: (row) => signed(chosen.metric === 'count' ? row.objectsPerCollection : row.bytesPerCollection) },
  { id: 'type', spare: true, name: 'Type', code: true, width: 180, hidden: () => !bySite(), value: typeOf, show: typeOf },
  { id: 'name', name: 'Name', code: true, value: (row) => row.name, show: (row) => row.name, draw: (td, row) => { if (row.class) placeCell(td, row); } },
];
const table = grid(columns, {
  height: 42,
  sort: () => 'verdict',
  dir: 'asc',
  what: (n) => (bySite() ? 'site' : 'type') + (n === 1 ? '' : 's'),
  picked(row) {
    const detail = detailFor(row);
    if (!detail) return;
    if (row.class) detail.append(element('p', 'small', row.kind + ' of ' + typeOf(row) + ' at bytecode index ' + row.bci + ' of ' + row.method + row.descriptor));
    if (row.context?.length) listing(detail, 'Callers to blame for what is alive at the end', row.context.map((one) => ({ ...one, name: callOf(one) })), amount(row));
    const host = element('div');
    detail.append(host);
    const points = values(row).map((value, at) => [row.at[at], value]);
    if (!points.length) return;
    const chart = frame(host, { height: 230, low: points[0][0], high: points.at(-1)[0], top: Math.max(...values(row), 1) * 1.05, format: short, xLabel: 'collection', whole: true, xFormat: grouped });
    // No line across a gap in which the heap was not known.
    const parts = row.stretches?.map((one) => points.filter(([at]) => at >= one.since && at <= one.until)).filter((part) => part.length) ?? [points];
    for (const part of parts) {
      chart.plot.append(svg('path', { d: path([[part[0][0], 0], ...part, [part.at(-1)[0], 0]].map(([x, y]) => [chart.x(x), chart.y(y)])) + 'Z', class: 'spark-area ' + row.verdict }));
      line(chart, part, 'spark-line ' + row.verdict);
    }
    const facts = element('dl');
    for (const [name, text] of [['first', short(values(row)[0])], ['last', short(values(row).at(-1))], ['most', short(Math.max(...values(row)))], ['per collection', signed(chosen.metric === 'count' ? row.objectsPerCollection : row.bytesPerCollection)]]) facts.append(element('dt', '', name), element('dd', '', text));
    for (const one of row.stretches ?? []) facts.append(element('dt', '', `collections ${grouped(one.since)} to ${grouped(one.until)}`), element('dd', '', one.verdict));
    detail.append(facts);
  },
});
function drawLegend() {
  const buttons = ['all', ...verdicts.filter((verdict) => all().some((row) => row.verdict === verdict))].map((verdict) => {
    const kept = verdict === 'all' ? all() : all().filter((row) => row.verdict === verdict);
    const button = element('button', 'badge ' + verdict + (chosen.verdict === verdict ? ' on' : ''), `${verdict} ${grouped(kept.length)}`);
    button.type = 'button';
    button.setAttribute('aria-pressed', String(chosen.verdict === verdict));
    button.addEventListener('click', () => { choose('verdict', verdict); changed(); });
    return button;
  });
  byId('legend').replaceChildren(...buttons);
}
function changed() {
  drawLegend();
  const hit = matcher(chosen.q);
  const kept = all().filter((row) => hit(hayOf(row)) && (chosen.verdict === 'all' || row.verdict === chosen.verdict));
  byId('matched').textContent = chosen.q ? 'found ' + grouped(kept.length) : '';
  table.fill(kept);
}
searchBox(changed);
radios('metric', changed);
radios('rows', changed);
byId('method').textContent = data.method;
changed();
document.documentElement.dataset.ready = 'true';
