// What the kernel charges a process and its container, part by part.

const parts = data.parts.map((row, at) => ({ ...row, key: String(at), rank: at, count: 0 }));
parts.push({ key: 'rest', rank: parts.length, name: 'in no part (shared memory, or read a moment later)', bytes: data.notInParts, what: null, makers: [], count: 0 });
parts.forEach((row, at) => { row.cells = data.table.rows[at]; });
const most = Math.max(...parts.map((row) => row.bytes), 1);
const narrow = innerWidth < 700;
const text = (show) => (td, row) => td.replaceChildren(element('span', 'wrapped', show(row)));
const columns = [
  { id: 'rank', name: 'No.', number: true, hidden: () => narrow, width: 60, value: (row) => row.rank, show: (row) => grouped(row.rank + 1) },
  ...declared({
    bytes: { draw: (td, row) => barCell(td, Math.max(0, row.bytes), most) }, share: { spare: true },
    part: { id: 'name', draw: text((row) => row.name) },
  }),
  { id: 'what', name: 'What to do', spare: true, hidden: () => narrow, value: (row) => row.what ?? '', draw: text((row) => row.what ?? '') },
];
function describe(row) {
  const detail = detailFor(row);
  if (!detail) return;
  detail.append(element('p', 'small', `${bytes(row.bytes)}, ${share(Math.max(0, row.bytes), data.charged)} of what is charged`));
  if (row.what) detail.append(element('p', '', row.what));
  if (row.makers.length) listing(detail, 'Made by', row.makers.map((one) => ({ ...one.live, name: one.kind + ': ' + one.place })), row.bytes);
}
const table = grid(columns, { sort: () => 'rank', dir: 'asc', height: narrow ? 62 : 46, what: (n) => n === 1 ? 'part' : 'parts', picked: describe });

function changed() {
  const hit = matcher(chosen.q);
  table.fill(parts.filter((row) => hit(row.name.toLowerCase())));
}
searchBox(changed);
changed();
document.documentElement.dataset.ready = 'true';
