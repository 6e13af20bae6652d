// Deaths: exact lifetimes by site and type, survival, age of the live heap, references.

choice('rows', 'sites', ['sites', 'types']);
const age = { bytes: shortBytes, calls: (n) => scaled(n, ['', 'k', 'M', 'G', 'T'], 1000).trim() + ' calls', micros: duration }[data.clock];
const unit = { bytes: 'bytes allocated', calls: 'methods entered', micros: 'time' }[data.clock];
const placeName = (place) => (place.class || place.method ? (place.class ? place.class + '.' : '') + place.method : '(site not known)') + (place.line === null ? '' : place.source_file ? `(${place.source_file}:${place.line})` : `(line ${place.line})`);
const row = (one, key, name) => ({ ...one, count: one.objects, key, name, hay: (name + ' ' + one.type).toLowerCase() });
const sites = data.sites.map((site, at) => row(site, 's' + at, placeName(site)));
const types = data.types.map((type, at) => row({ ...type, context: [] }, 't' + at, type.type));
[...sites, ...types].forEach((one, at) => { one.cells = data.table.rows[at]; });
const bySite = () => chosen.rows === 'sites';
const spare = { spare: true };
const columns = [...declared({
  bytes: { draw: (td, one) => barCell(td, one.bytes, data.selected.bytes) },
  objects: spare, alive: spare, 'lifetime max': spare, 'drag p90': spare,
  type: { spare: true, code: true, width: 180, hidden: () => !bySite() },
}), { ...nameColumn, draw: (td, one) => { if (one.class) td.replaceChildren(one.name.slice(one.class.length + 1), element('span', 'package', one.class)); } }];
const table = grid(columns, {
  sort: () => chosen.metric === 'count' ? 'objects' : 'bytes',
  what: (n) => (bySite() ? 'site' : 'type') + (n === 1 ? '' : 's'),
  picked(one) {
    const detail = detailFor(one);
    if (!detail) return;
    const facts = element('dl');
    const add = (name, text) => facts.append(element('dt', '', name), element('dd', '', text));
    add('type', one.type);
    for (const [name, found] of [['lifetime', one.lifetime], ['drag', one.drag], ['unreachable to collected', one.floating]]) if (found) add(name, `p50 ${age(found.p50)}, p90 ${age(found.p90)}, max ${age(found.max)}`);
    add('alive at the end', objects(one.alive.count) + ' in ' + bytes(one.alive.bytes));
    detail.append(facts);
    listing(detail, 'Callers', one.context.map((caller) => ({ ...caller, count: caller.objects, name: placeName(caller) + (caller.lifetime ? ': lifetime p50 ' + age(caller.lifetime.p50) : '') })), amount(one));
  },
});
const classEnd = (at) => 2 ** at;
function drawSurvival() {
  const points = data.survival, from = points.findIndex((point) => point.died.count + point.alive.count > 0);
  if (from < 0) return;
  const steps = [[from - 1, 100], ...points.slice(from).map((point, at) => [from + at, 100 * (chosen.metric === 'count' ? point.objects : point.bytes)])];
  const chart = frame(byId('survival'), { height: 240, low: from - 1, high: Math.max(from + 1, points.length - 1), top: 100, format: (n) => n + ' %', xLabel: 'age: ' + unit, whole: true, xFormat: (at) => age(classEnd(at)) });
  const area = [[steps[0][0], 0], ...steps, [steps.at(-1)[0], 0]].map(([x, y]) => [chart.x(x), chart.y(y)]);
  chart.plot.append(svg('path', { d: path(area) + 'Z', class: 'survival' }));
  line(chart, steps, 'survival-line');
}
// Age classes are put together so that eight colours are enough.
function drawDemographics() {
  const moments = data.demographics;
  if (moments.length < 2) { byId('demographics').textContent = 'The run is too short.'; return; }
  const values = (moment) => chosen.metric === 'count' ? moment.counts : moment.sizes;
  const last = Math.max(...moments.map((moment) => moment.counts.length));
  const first = Math.min(...moments.map((moment) => { const at = moment.counts.findIndex((n) => n > 0); return at < 0 ? last : at; }));
  const step = Math.max(1, Math.ceil((last - first) / 8)), bands = [];
  for (let at = first; at < last; at += step) bands.push([at, Math.min(last, at + step)]);
  const series = bands.map(([low, high], at) => ({ colour: `var(--a${at})`, name: 'younger than ' + age(classEnd(high - 1)), values: moments.map((moment) => values(moment).slice(low, high).reduce((sum, n) => sum + n, 0)) }));
  const top = Math.max(1, ...moments.map((_, at) => series.reduce((sum, one) => sum + one.values[at], 0)));
  const chart = frame(byId('demographics'), { height: 240, low: moments[0].at, high: moments.at(-1).at, top, format: short, xLabel: unit, xFormat: age });
  stack(chart, moments.map((moment) => moment.at), series);
  byId('ages').replaceChildren(...series.map((one) => entry(one.colour, one.name)));
}
function entry(fill, name) {
  const made = element('span', 'entry'), dot = element('i');
  dot.style.background = fill;
  made.append(dot, name);
  return made;
}
function drawStores() {
  // Without records of stores: what dead objects held at last.
  const stores = data.shape.stores ?? data.shape.atDeath;
  byId('stores').hidden = !stores;
  if (!stores) return;
  if (!data.shape.stores) byId('stores-title').textContent = 'References that dead objects held, by distance of the births';
  const length = Math.max(stores.toOlder.length, stores.toYounger.length, 2);
  const chart = frame(byId('storechart'), { height: 220, low: -0.6, high: length - 0.4, top: Math.max(1, ...stores.toOlder, ...stores.toYounger), format: (n) => scaled(n, ['', 'k', 'M', 'G'], 1000).trim(), xLabel: 'bytes allocated between the births', whole: true, xFormat: (at) => at >= 0 ? shortBytes(classEnd(at)) : '' });
  const width = Math.max(2, (chart.width - LEFT - RIGHT) / length * 0.4);
  [[stores.toOlder, 'var(--c0)', 'to older', -0.21], [stores.toYounger, 'var(--c1)', 'to younger', 0.21]].forEach(([list, fill, name, shift]) => bars(chart, list.map((value, at) => ({ at: at + shift, value, colour: fill, title: `${name}, closer than ${shortBytes(classEnd(at))}: ${grouped(value)}` })).filter((bar) => bar.value), width));
  byId('storelegend').replaceChildren(entry('var(--c0)', 'to an older object'), entry('var(--c1)', 'to a younger object'));
}
function drawGroups() {
  const groups = data.shape.groups;
  byId('groups').hidden = !groups || !groups.sizes.length;
  if (!groups || !groups.sizes.length) return;
  const chart = frame(byId('groupchart'), { height: 220, low: 0.4, high: Math.max(2, groups.sizes.length) - 0.4, top: Math.max(1, ...groups.sizes), format: (n) => scaled(n, ['', 'k', 'M', 'G'], 1000).trim(), xLabel: 'objects of the group', whole: true, xFormat: (at) => at < 1 ? '' : at === 1 ? '1' : grouped(classEnd(at - 1)) + ' -' });
  bars(chart, groups.sizes.map((value, at) => ({ at, value, colour: 'var(--a2)', title: `groups of ${grouped(classEnd(at - 1))} to ${grouped(classEnd(at) - 1)}: ${grouped(value)}` })).filter((bar) => bar.value), Math.max(3, Math.min(60, (chart.width - LEFT - RIGHT) / groups.sizes.length * 0.8)));
}
function changed() {
  const hit = matcher(chosen.q), kept = (bySite() ? sites : types).filter((one) => hit(one.hay));
  byId('matched').textContent = chosen.q ? 'found ' + share(kept.reduce((sum, one) => sum + amount(one), 0), chosen.metric === 'count' ? data.selected.objects : data.selected.bytes) : '';
  drawSurvival();
  drawDemographics();
  drawStores();
  drawGroups();
  table.fill(kept);
}
searchBox(changed);
radios('metric', changed);
radios('rows', changed);
addEventListener('resize', changed);
changed();
document.documentElement.dataset.ready = 'true';
