// The live heap: a treemap, the spaces, the ages, and a table by site, type, thread, class or package.

const WITHOUT = { class: '', method: '', descriptor: '', bci: 0, line: null, source_file: null, type: null, kind: '', name: '(without an event: made by the VM or JNI)' };
const sites = data.sites.map((site, at) => ({ ...site, key: 's' + at, name: label(site) }));
if (data.unattributed) sites.push({ ...WITHOUT, ...data.unattributed, key: 'without', hay: WITHOUT.name.toLowerCase() });
const whole = () => amount(data.selected);
const groupings = {
  site: { one: 'site', rows: (kept) => kept },
  type: { one: 'type', rows: () => named(data.types, (row) => row.type) },
  thread: { one: 'thread', rows: () => named(data.threads, (row) => row.name) },
  class: { one: 'class', rows: (kept) => summed(kept, (site) => site.class) },
  package: { one: 'package', rows: (kept) => summed(kept, (site) => packageOf(site.class) || '(unnamed package)') },
};
const named = (rows, name) => rows.map((row) => ({ ...row, key: 'n' + name(row), name: name(row) })).filter((row) => matcher(chosen.q)(row.name.toLowerCase()));
function summed(kept, name) {
  const found = new Map();
  for (const site of kept) {
    const key = name(site);
    const row = found.get(key) || { key: 'n' + key, name: key, count: 0, bytes: 0, sites: [] };
    row.count += site.count;
    row.bytes += site.bytes;
    row.sites.push(site);
    found.set(key, row);
  }
  return [...found.values()];
}
choice('group', 'site', Object.keys(groupings));
choice('map', 'type', ['type', 'package', 'kind']);

// Entry k of `ages` counts objects that survived k collections; entry 31 stands for all beyond, too.
const ageName = (age) => age >= 31 ? '31 or more' : String(age);
const ageColour = (age) => `var(--a${age < 3 ? age : age < 6 ? 3 : age < 10 ? 4 : age < 15 ? 5 : age < 31 ? 6 : 7})`;
const ageParts = (ages) => ages.map((count, age) => ({ value: count, colour: ageColour(age), title: 'survived ' + ageName(age) + ': ' + objects(count) }));
const meanAge = (row) => row.ages.reduce((sum, count, age) => sum + age * count, 0) / (row.count || 1);
const bySite = () => chosen.group === 'site';
const columns = [...declared({
  bytes: { width: fitting(bytes(data.selected.bytes)) },
  share: { width: 90, draw: (td, row) => barCell(td, amount(row), whole()) },
  objects: { id: 'count', spare: true, width: fitting(objects(data.selected.count)) },
  'collections survived': { id: 'age', spare: true, width: 180, hidden: () => !bySite() || !data.ages.length, show: null, draw: (td, row) => td.append(partBar(ageParts(row.ages))) },
  type: { code: true, width: 230, hidden: () => !bySite() },
}), nameColumn];
const cellsOf = (row) => [row.bytes, whole() ? amount(row) / whole() : null, row.count, row.ages ? meanAge(row) : null, typeOf(row)];
const table = grid(columns, {
  sort: () => chosen.metric,
  what: (n) => n === 1 ? groupings[chosen.group].one : chosen.group === 'class' ? 'classes' : groupings[chosen.group].one + 's',
  picked(row) {
    const detail = detailFor(row);
    if (!detail) return;
    detail.append(element('p', 'small', bytes(row.bytes) + ' in ' + objects(row.count) + ', ' + share(amount(row), whole()) + ' of the heap shown'));
    if (row.descriptor) detail.append(element('p', 'small', row.kind + ' of ' + typeOf(row) + ' at bytecode index ' + row.bci + ' of ' + row.method + row.descriptor));
    if (row.types) listing(detail, 'Types', row.types.map((one) => ({ ...one, name: one.type })), amount(row));
    if (row.context?.length) listing(detail, 'Callers to blame', row.context.map((one) => ({ ...one, name: callOf(one) })), amount(row));
    if (row.ages?.length) { const host = element('div'); detail.append(element('h3', '', 'Collections survived'), host); agesChart(host, row.ages, 150); }
    if (row.sites) listing(detail, 'Sites', row.sites, amount(row));
  },
});
function drawMap(kept) {
  const found = new Map();
  const name = { type: (site) => site.types.length === 1 ? site.types[0].type : typeOf(site), package: (site) => packageOf(site.class) || (site.class ? '(unnamed package)' : '(the VM or JNI)'), kind: (site) => site.kind || '(the VM or JNI)' }[chosen.map];
  for (const site of kept) {
    const key = name(site);
    if (!found.has(key)) found.set(key, { name: chosen.map === 'type' ? simple(key) || key : key, items: [], text: short });
    found.get(key).items.push({ value: amount(site), key: site.key, name: site.class ? shortLabel(site) : 'the VM or JNI', text: site.name + ', ' + typeOf(site) + ': ' + shown(amount(site)) + ', ' + share(amount(site), whole()) });
  }
  const groups = [...found.values()].sort((a, b) => b.items.reduce((sum, item) => sum + item.value, 0) - a.items.reduce((sum, item) => sum + item.value, 0));
  groups.forEach((group, at) => { group.colour = colour(at); });
  treemap(byId('map'), groups, (key) => { if (!bySite()) { choose('group', 'site'); byId('group').value = 'site'; changed(); } table.pick(key); byId('table-title').scrollIntoView({ block: 'start' }); });
}
const SPACE_COLOURS = { eden: 0, survivor: 1, young: 0, old: 2, humongous: 3, archive: 4 };
function drawSpaces() {
  byId('spaces').hidden = data.spaces.length === 0;
  const most = Math.max(...data.spaces.map((space) => Math.max(space.used, space.bytes)), 1);
  byId('spacelist').replaceChildren(...data.spaces.flatMap((space, at) => {
    const fill = colour(SPACE_COLOURS[space.kind] ?? 5 + at);
    const bar = element('span');
    bar.append(partBar([
      { value: space.bytes, colour: fill, title: 'live: ' + bytes(space.bytes) + ' in ' + objects(space.count) },
      { value: Math.max(0, space.used - space.bytes), colour: `color-mix(in srgb, ${fill} 25%, var(--panel))`, title: 'used, but not by live objects: ' + bytes(Math.max(0, space.used - space.bytes)) },
    ], most));
    return [element('span', '', space.kind + (space.areas > 1 ? ' (' + grouped(space.areas) + ')' : '')), bar, element('span', 'small', shortBytes(space.bytes) + ' live of ' + shortBytes(space.used))];
  }));
}
function agesChart(host, ages, height) {
  const last = ages.length;
  const chart = frame(host, { height, low: -0.6, high: last - 0.4, top: Math.max(...ages, 1), format: shortObjects, xLabel: 'collections', whole: true, xFormat: (age) => age >= 0 && age < last ? ageName(age) : '' });
  const width = Math.max(3, Math.min(60, (chart.width - LEFT - RIGHT) / last * 0.72));
  bars(chart, ages.map((count, age) => ({ at: age, value: count, colour: ageColour(age), title: 'survived ' + ageName(age) + ': ' + objects(count) })).filter((bar) => bar.value > 0), width);
}
function drawAges() {
  byId('ages').hidden = data.ages.length === 0;
  if (data.ages.length) agesChart(byId('agechart'), data.ages, 210);
}
function changed() {
  const hit = matcher(chosen.q), kept = sites.filter((site) => hit(hayOf(site)));
  byId('matched').textContent = chosen.q ? 'found ' + share(kept.reduce((sum, site) => sum + amount(site), 0), whole()) : '';
  drawMap(kept);
  drawSpaces();
  drawAges();
  table.fill(groupings[chosen.group].rows(kept).map((row) => ({ ...row, cells: cellsOf(row) })));
}
searchBox(changed);
radios('metric', changed);
for (const id of ['group', 'map-by']) {
  const key = id === 'group' ? 'group' : 'map';
  byId(id).value = chosen[key];
  byId(id).addEventListener('change', (event) => { choose(key, event.target.value); choose('row', ''); choose('sort', ''); changed(); });
}
addEventListener('resize', changed);
changed();
document.documentElement.dataset.ready = 'true';
