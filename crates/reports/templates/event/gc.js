// Garbage collection: what each site and type costs, in pauses, copies and promotions.

choice('rows', 'sites', ['sites', 'types']);
const WITHOUT = '(without an event: made by the VM or JNI)';
const sites = data.sites.map((site, at) => ({ ...site, key: 's' + at, name: label(site) }));
if (data.unattributed) sites.push({ class: '', ...data.unattributed, type: null, key: 'without', name: WITHOUT, hay: WITHOUT.toLowerCase() });
const types = data.types.map((row, at) => ({ ...row, key: 't' + at, name: row.type, hay: row.type.toLowerCase() }));
const bySite = () => chosen.rows === 'sites';
[...sites, ...types].forEach((row, at) => { row.cells = data.table.rows[at]; });
const all = () => bySite() ? sites : types;
const pauses = data.pauses.reduce((sum, one) => sum + one.pauseMicros, 0);
const stops = data.pauses.filter((one) => one.kind !== 'concurrent cycle').reduce((sum, one) => sum + one.count, 0);
const range = ([low, high]) => duration(low) + ' to ' + duration(high);
const most = Math.max(1, ...[...sites, ...types].map((row) => row.pauseMicros));
const spare = { spare: true };
const columns = [...declared({
  [data.table.columns[0].id]: { draw: (td, row) => barCell(td, row.pauseMicros, most) },
  from: spare, to: spare, promoted: spare, 'soon dead': spare, allocated: spare,
  type: { spare: true, code: true, width: 170, hidden: () => !bySite() },
}), nameColumn];
const table = grid(columns, {
  sort: () => 'a run without it saves',
  what: (n) => (bySite() ? 'site' : 'type') + (n === 1 ? '' : 's'),
  picked(row) {
    const detail = detailFor(row);
    if (!detail) return;
    if (row.class) detail.append(element('p', 'small', row.kind + ' of ' + typeOf(row) + ' at bytecode index ' + row.bci + ' of ' + row.method + row.descriptor));
    const facts = element('dl');
    for (const [name, text] of [
      ['share of the pauses', `${duration(row.pauseMicros)}, ${share(row.pauseMicros, pauses)} (${range(row.pauseInterval)})`],
      ['brings on', `${row.collections.toFixed(1)} of ${grouped(stops)} collections`],
      ['a run without it saves', `${duration(row.without.pauseMicros)} (${range(row.without.pauseInterval)}) of pauses`],
      ['allocated', `${bytes(row.bytes)} in ${objects(row.count)}`],
      ['copied', `${bytes(row.copied.bytes)}, ${share(row.copiedInVain, row.copied.bytes)} of it for objects that died young`],
      ['promoted', `${bytes(row.promoted.bytes)} in ${objects(row.promoted.count)}`],
      ['promoted and soon dead', `${bytes(row.promotedSoonDead.bytes)} in ${objects(row.promotedSoonDead.count)}`],
      ['marked by concurrent cycles', bytes(row.marked)],
    ]) facts.append(element('dt', '', name), element('dd', '', text));
    detail.append(facts);
    if (row.context?.length) listing(detail, 'Callers to blame', row.context.map((one) => ({ ...one, name: callOf(one) + ': ' + duration(one.pauseMicros) + ', ' + shortBytes(one.copied.bytes) + ' copied' })), amount(row));
  },
});
// The most expensive rows: a bar for the share, a line for what a run without it saves.
function drawCosts(kept) {
  const first = [...kept].sort((a, b) => b.without.pauseMicros - a.without.pauseMicros).slice(0, 12).filter((row) => row.without.pauseMicros > 0);
  const widest = Math.max(1, ...first.map((row) => Math.max(row.pauseMicros, row.without.pauseInterval[1])));
  const percent = (micros) => (100 * micros / widest).toFixed(2) + '%';
  byId('costs-title').textContent = `Pause time by ${bySite() ? 'site' : 'type'}, and what a run without it saves`;
  byId('costs').replaceChildren(...first.map((row) => {
    const entry = element('button', 'cost'), track = element('span', 'track'), fill = element('i', 'fill'), whisker = element('i', 'whisker');
    const [low, high] = row.without.pauseInterval;
    entry.type = 'button';
    entry.title = `${row.name}: ${duration(row.pauseMicros)} of pauses; a run without it saves ${range([low, high])}`;
    fill.style.width = percent(row.pauseMicros);
    whisker.style.left = percent(low);
    whisker.style.width = percent(high - low);
    track.append(fill, whisker);
    entry.append(element('span', 'code', row.class ? shortLabel(row) + '  ' + typeOf(row) : row.name), track, element('span', 'n', duration(row.pauseMicros)));
    entry.addEventListener('click', () => table.pick(row.key));
    return entry;
  }));
  fitNames(byId('costs').querySelectorAll('.code'));
}
function drawAges() {
  const ages = data.selected.copiedByAge;
  const chart = frame(byId('ages'), { height: 230, low: -0.6, high: Math.max(1, ages.length - 0.4), top: Math.max(...ages, 1) * 1.06, format: shortBytes, xLabel: 'collections survived before', whole: true, xFormat: (n) => grouped(n + 0) });
  const width = Math.max(3, Math.min(60, (chart.width - LEFT - RIGHT) / Math.max(1, ages.length) * 0.8));
  bars(chart, ages.map((value, at) => ({ at, value, colour: 'var(--a2)', title: `survived ${at} before: ${bytes(value)} copied` })).filter((bar) => bar.value > 0), width);
}
function drawPauses() {
  const facts = [];
  for (const one of data.pauses) {
    const work = one.workBytes > 0 ? `: ${duration(one.constantMicros)} each and ${duration(one.microsPerMegabyte)} per MB of ${shortBytes(one.workBytes)}` : '';
    facts.push(element('dt', '', grouped(one.count) + ' ' + one.kind), element('dd', '', duration(one.pauseMicros) + work + (one.asked ? `; ${grouped(one.asked)} asked for` : '')));
  }
  byId('pauses').replaceChildren(...facts);
}
function changed() {
  const hit = matcher(chosen.q), kept = all().filter((row) => hit(hayOf(row)));
  byId('matched').textContent = chosen.q ? 'found ' + share(kept.reduce((sum, row) => sum + row.pauseMicros, 0), pauses) : '';
  drawCosts(kept);
  drawAges();
  drawPauses();
  table.fill(kept);
}
searchBox(changed);
radios('metric', changed);
radios('rows', changed);
byId('method').textContent = data.method;
addEventListener('resize', changed);
changed();
document.documentElement.dataset.ready = 'true';
