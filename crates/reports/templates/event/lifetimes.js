// Lifetimes: how long objects live, overall and by site.

// Entry k of a list counts objects that died after k collections; entry 31 stands for all beyond, too.
const CLASSES = [[0, 0, 'before the first'], [1, 1, 'after 1'], [2, 2, 'after 2'], [3, 5, 'after 3 - 5'], [6, 14, 'after 6 - 14'], [15, 30, 'after 15 - 30'], [31, 31, 'after 31 or more']];
const died = (row) => chosen.metric === 'count' ? row.died : row.diedBytes;
// Objects of whose fate anything is known; the others were made, or alive, where the heap was not known.
const told = (row) => amount(row) - amount(row.unknownFate);
const classed = (row) => CLASSES.map(([low, high, name], at) => ({
  value: died(row).reduce((sum, value, survived) => sum + (survived >= low && survived <= high ? value : 0), 0), colour: `var(--a${at})`, name,
}));
// With `young` off, those that died before their first collection are left out of the bars.
choice('young', 'on', ['on', 'off']);
const barred = (row) => amount(row) - (chosen.young === 'on' ? 0 : first(row));
const parts = (row) => [
  ...classed(row).slice(chosen.young === 'on' ? 0 : 1).map((part) => ({ ...part, title: `died ${part.name}: ${shown(part.value)}, ${share(part.value, told(row))}` })),
  { value: amount(row.alive), colour: 'var(--alive)', title: `alive at the last collection: ${shown(amount(row.alive))}, ${share(amount(row.alive), amount(row))}` },
  { value: amount(row.notYetCollected), colour: 'var(--rest)', title: `allocated after the last collection: ${shown(amount(row.notYetCollected))}` },
  { value: amount(row.unknownFate), colour: 'color-mix(in srgb, var(--rest) 40%, var(--panel))', title: `fate unknown, the heap was not known: ${shown(amount(row.unknownFate))}` },
];
const first = (row) => died(row)[0] ?? 0;
const sites = data.sites.map((site, at) => ({ ...site, key: 's' + at, name: label(site) }));
if (data.unattributed) sites.push({ class: '', method: '', descriptor: '', bci: 0, line: null, source_file: null, type: null, kind: '', ...data.unattributed, key: 'without', name: '(without an event: made by the VM or JNI)', hay: '(without an event: made by the vm or jni)' });
sites.forEach((row, at) => { row.cells = data.table.rows[at]; });
const whole = () => amount(data.selected);
const columns = [...declared({
  objects: { spare: true }, alive: { spare: true }, 'medium-lived': { spare: true }, 'half died within': { spare: true },
  type: { spare: true, code: true, width: 190 },
}), { ...nameColumn, name: 'Site' }];
columns.splice(2, 0, { id: 'lives', name: 'Died: after 0, 1, 2, ...; alive', number: true, width: 240, value: (row) => 1 - first(row) / (told(row) || 1), draw: (td, row) => { if (barred(row) > 0) td.append(partBar(parts(row), barred(row))); } });
const table = grid(columns, {
  sort: () => chosen.metric === 'count' ? 'objects' : 'bytes',
  what: (n) => n === 1 ? 'site' : 'sites',
  picked(row) {
    const detail = detailFor(row);
    if (!detail) return;
    if (row.class) detail.append(element('p', 'small', row.kind + ' of ' + typeOf(row) + ' at bytecode index ' + row.bci + ' of ' + row.method + row.descriptor));
    const host = element('div');
    detail.append(element('h3', '', 'Still alive after a number of collections'), host);
    survival(host, row, 150);
    if (row.context?.length) listing(detail, 'Callers to blame', row.context.map((one) => ({ ...one, name: callOf(one) + ': ' + share(first(one), told(one)) + ' died young' + (amount(one.diedPromoted) ? ', ' + shown(amount(one.diedPromoted)) + ' medium-lived' : '') })), amount(row));
    listing(detail, 'Died after', row.died.map((count, survived) => ({ count, bytes: row.diedBytes[survived] ?? 0, name: survived === 0 ? 'none: before the first collection' : survived >= 31 ? '31 or more' : grouped(survived) })).filter((part) => part.count), amount(row));
    const rest = [['alive at the last collection', row.alive], ['not yet collected', row.notYetCollected], ['fate unknown: made, or alive, where the heap was not known', row.unknownFate], ['promoted to an old space', row.promoted], ['promoted, and dead later', row.diedPromoted]];
    listing(detail, 'And', rest.filter(([, one]) => one.count).map(([name, one]) => ({ ...one, name })), amount(row));
  },
});
// Which share is still alive after n collections: all at birth, then less by those that died after having survived n - 1.
function survival(host, row, height) {
  const list = died(row), last = Math.max(2, list.length);
  const all = list.reduce((sum, value) => sum + value, 0) + amount(row.alive) || 1;
  const steps = [[0, 100]];
  let left = all;
  list.forEach((value, survived) => { steps.push([survived + 1, 100 * left / all]); left -= value; steps.push([survived + 1, 100 * left / all]); });
  steps.push([last + 0.5, 100 * left / all]);
  const chart = frame(host, { height, low: 0, high: last + 0.5, top: 100, format: (n) => n + ' %', xLabel: 'collections', whole: true, xFormat: grouped });
  const area = [[0, 0], ...steps, [last + 0.5, 0]].map(([x, y]) => [chart.x(x), chart.y(y)]);
  chart.plot.append(svg('path', { d: path(area) + 'Z', class: 'survival' }));
  line(chart, steps, 'survival-line');
}
function drawLegend() {
  const all = data.selected;
  const entries = [...classed(all).map((part) => [part.colour, 'died ' + part.name + (part.name === 'before the first' ? ' collection' : ''), part.value]), ['var(--alive)', 'alive', amount(all.alive)], ['var(--rest)', 'allocated after the last collection', amount(all.notYetCollected)], ['color-mix(in srgb, var(--rest) 40%, var(--panel))', 'fate unknown', amount(all.unknownFate)]];
  byId('legend').replaceChildren(...entries.filter(([, , value]) => value > 0).map(([fill, name, value]) => {
    const entry = element('span', 'entry'), dot = element('i');
    dot.style.background = fill;
    entry.append(dot, name + ': ' + share(value, amount(all)));
    return entry;
  }));
  byId('livesbar').replaceChildren(partBar(parts(all), barred(all), 'kindbar'));
}
function drawDeaths() {
  const all = data.selected.bytesUntilDeath;
  const from = Math.max(0, all.findIndex((count) => count > 0));
  byId('deaths').hidden = all.length === 0;
  if (!all.length) return;
  const chart = frame(byId('deathchart'), { height: 230, low: from - 0.6, high: all.length - 0.4, top: Math.max(...all, 1), format: shortObjects, xLabel: 'less than this', whole: true, xFormat: (at) => at >= from && at < all.length ? shortBytes(2 ** at) : '' });
  const width = Math.max(3, Math.min(60, (chart.width - LEFT - RIGHT) / (all.length - from) * 0.8));
  bars(chart, all.map((count, at) => ({ at, value: count, colour: 'var(--a2)', title: `${at ? shortBytes(2 ** (at - 1)) + ' to ' : 'less than '}${shortBytes(2 ** at)}: ${objects(count)}` })).filter((bar) => bar.value > 0), width);
}
function changed() {
  const hit = matcher(chosen.q), kept = sites.filter((site) => hit(hayOf(site)));
  byId('matched').textContent = chosen.q ? 'found ' + share(kept.reduce((sum, site) => sum + amount(site), 0), whole()) : '';
  drawLegend();
  survival(byId('survival'), data.selected, 230);
  drawDeaths();
  table.fill(kept);
}
searchBox(changed);
byId('young').checked = chosen.young === 'off';
byId('young').addEventListener('change', (event) => { choose('young', event.target.checked ? 'off' : 'on'); changed(); });
radios('metric', changed);
addEventListener('resize', changed);
changed();
document.documentElement.dataset.ready = 'true';
