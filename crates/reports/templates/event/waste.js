// What live bytes are wasted on, by kind and by the field that holds it.

const lineOf = (line) => line === null ? 'not known' : line.class + '.' + line.method + (line.line === null ? '' : ':' + line.line) + (line.calls ? ' (by ' + line.calls + ')' : '');
const wasted = data.waste.map((row, at) => ({ ...row, cells: data.table.rows[at], key: String(at), name: row.holder || '(holder not known)', count: row.objects, made: lineOf(row.class === null ? null : row) }));
const most = Math.max(...wasted.map((row) => row.bytes), 1);
const narrow = innerWidth < 700;
function drawHolder(td, row) {
  if (narrow) td.replaceChildren(element('span', 'at', row.kind), element('span', 'wrapped', row.name));
}
const columns = [...declared({
  bytes: { draw: (td, row) => barCell(td, row.bytes, most) },
  share: { spare: true }, objects: { spare: true }, 'also elsewhere': { spare: true },
  kind: { hidden: () => narrow, width: 210 },
  'held by': { id: 'name', code: !narrow, draw: drawHolder },
}), { id: 'made', name: 'Made by', code: true, spare: true, hidden: () => narrow, value: (row) => row.made, show: (row) => row.made }];
function describe(row) {
  const detail = detailFor(row);
  if (!detail) return;
  detail.append(element('p', '', row.what));
  if (row.detail) detail.append(element('p', 'small', row.detail));
  const overlap = row.overlap === 0 ? '' : `; ${bytes(row.overlap)} of it are in another row, too`;
  detail.append(element('p', 'small', `${row.kind}: saves ${bytes(row.bytes)} in ${objects(row.objects)}, ${share(row.bytes, data.liveBytes)} of the live heap${overlap}`));
  if (row.table !== null) detail.append(element('p', 'small', 'its table by ' + lineOf(row.table)));
  if (row.makers.length) listing(detail, 'Made by', row.makers.map((one) => ({ ...one, name: lineOf(one), count: one.objects })), row.bytes);
}
const table = grid(columns, { sort: () => 'bytes', height: narrow ? 62 : 30, what: (n) => n === 1 ? 'row' : 'rows', picked: describe });

function changed() {
  const hit = matcher(chosen.q);
  table.fill(wasted.filter((row) => hit([row.kind, row.name, row.made, row.what].join(' ').toLowerCase())));
}
searchBox(changed);
changed();
document.documentElement.dataset.ready = 'true';
