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
  { id: 'unseen', spare: true, name: 'Not yet collected', tip: 'in old spaces, where no full collection has looked since', number: true, width: 140, value: (row) => row.notYetCollected.bytes, show: (row) => row.notYetCollected.count ? short(amount(row.notYetCollected)) : '-' },
  { id: 'slope', name: 'Per second', tip: 'per second', number: true, width: 130, value: (row) => row.bytesPerSecond, show: (row) => signed(chosen.metric === 'count' ? row.objectsPerSecond : row.bytesPerSecond) },
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
    facts.append(element('dt', '', 'per second'), element('dd', '', signed(chosen.metric === 'count' ? row.objectsPerSecond : row.bytesPerSecond)));
    if (row.droppedAfter) facts.append(element('dt', '', 'dropped'), element('dd', '', `after collection ${grouped(row.droppedAfter)}, as the program ended`));
    if (row.mayGrow) facts.append(element('dt', '', 'may grow'), element('dd', '', 'if all in the old space is alive: no collection has looked'));
    for (const one of row.stretches ?? []) facts.append(element('dt', '', `collections ${grouped(one.since)} to ${grouped(one.until)}`), element('dd', '', one.verdict));
    detail.append(facts);
  },
});
function drawLegend() {
  // Of all rows, also of those that this page leaves out.
  const counts = bySite() ? data.verdicts : data.typeVerdicts;
  const whole = verdicts.reduce((sum, verdict) => sum + counts[verdict], 0);
  const buttons = ['all', ...verdicts.filter((verdict) => counts[verdict] > 0)].map((verdict) => {
    const button = element('button', 'badge ' + verdict + (chosen.verdict === verdict ? ' on' : ''), `${verdict} ${grouped(verdict === 'all' ? whole : counts[verdict])}`);
    button.type = 'button';
    button.setAttribute('aria-pressed', String(chosen.verdict === verdict));
    button.addEventListener('click', () => { choose('verdict', verdict); changed(); });
    return button;
  });
  if (whole > all().length) buttons.push(element('span', 'small', `this page has the first ${grouped(all().length)}`));
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
byId('groups-title').hidden = !data.groups.length;
byId('groups').replaceChildren(...data.groups.slice(0, 8).map((group) => {
  const entry = element('li'), key = sites.find((row) => row.class && row.name === label(group.driver) && row.type === group.driver.type)?.key;
  const button = element('button', 'link code', shortLabel(group.driver) + '  ' + typeOf(group.driver));
  button.type = 'button';
  button.title = label(group.driver);
  button.addEventListener('click', () => { if (key) table.pick(key); });
  const others = group.sites.filter((site) => label(site) !== label(group.driver) || site.bci !== group.driver.bci);
  entry.append(button, element('span', '', `  ${signed(chosen.metric === 'count' ? group.objectsPerSecond : group.bytesPerSecond)} per second`));
  if (others.length) entry.append(element('p', 'small', 'with each: ' + others.slice(0, 4).map((site) => site.objectsEach.toFixed(1) + ' ' + typeOf(site) + ' at ' + shortLabel(site)).join(', ') + (others.length > 4 ? `, ${grouped(others.length - 4)} more sites` : '')));
  return entry;
}));
changed();
document.documentElement.dataset.ready = 'true';
