// The table: rows of any grouping.

const groups = {
  site: { one: 'site', key: (cell) => cell.site.index, label: (cell) => cell.site.at.label },
  type: { one: 'type', key: (cell) => cell.type, label: (cell) => cell.type },
  blame: { one: 'line', key: (cell) => (cell.caller ? cell.caller.at : cell.site.at).label, label: (cell) => (cell.caller ? cell.caller.at : cell.site.at).label },
  method: { one: 'method', key: (cell) => cell.site.at.cls + '.' + cell.site.at.method + cell.site.at.descriptor, label: (cell) => cell.site.at.cls + '.' + cell.site.at.method + cell.site.at.descriptor },
  class: { one: 'class', key: (cell) => cell.site.at.cls, label: (cell) => cell.site.at.cls },
  package: { one: 'package', key: (cell) => packageOf(cell.site.at.cls) || '(unnamed package)', label: (cell) => packageOf(cell.site.at.cls) || '(unnamed package)' },
  kind: { one: 'way', key: (cell) => cell.site.kind, label: (cell) => cell.site.kind },
};
if (!groups[state.group]) state.group = 'site';
const bySite = () => state.group === 'site';
const spare = { spare: true };
const columns = [...declared({
  bytes: { width: fitting(bytes(data.bytes)) },
  share: { width: 90, draw: (td, row) => barCell(td, amount(row), total()) },
  objects: { id: 'count', width: fitting(objects(data.count)) },
  average: { width: 115, spare: true },
  'reached the heap': { width: fitting(bytes(data.bytes)), spare: true },
  'removed by the JIT': { width: 170, spare: true },
}),
{ id: 'type', name: 'Type', width: 210, code: true, hidden: () => !bySite(), value: (row) => row.type, show: (row) => row.type },
{ ...nameColumn, draw: (td, row) => { if (row.place) td.replaceChildren(row.place.short, element('span', 'package', packageOf(row.place.cls))); } },
{ id: 'kind', name: 'Way', width: 130, spare: true, hidden: () => !bySite(), value: (row) => row.kind, show: (row) => row.kind },
{ id: 'sites', name: 'Sites', number: true, width: 80, hidden: bySite, value: (row) => row.sites.size, show: (row) => grouped(row.sites.size) },
];
const total = () => state.metric === 'count' ? data.count : data.bytes;
const table = grid(columns, {
  sort: () => state.metric,
  height: 28,
  what: (n) => n === 1 ? groups[state.group].one : state.group === 'class' ? 'classes' : groups[state.group].one + 's',
  picked: drawDetail,
});

function collect() {
  const group = groups[state.group];
  const found = new Map();
  for (const cell of cells) {
    if (!cell.hit) continue;
    const key = group.key(cell);
    let row = found.get(key);
    if (!row) found.set(key, row = { key: String(key), name: group.label(cell), count: 0, bytes: 0, sites: new Map(), types: new Set(), kind: cell.site.kind });
    row.count += cell.count;
    row.bytes += cell.bytes;
    row.sites.set(cell.site, (row.sites.get(cell.site) || 0) + 1);
    row.types.add(cell.type);
  }
  for (const row of found.values()) {
    row.type = typeOf(row);
    row.heapBytes = heapOf(row);
    row.place = bySite() ? row.sites.keys().next().value.at : null;
    row.cells = [row.bytes, amount(row) / total(), row.count, row.count ? row.bytes / row.count : null, row.heapBytes, row.heapBytes === null ? null : (row.bytes - row.heapBytes) / (row.bytes || 1)];
  }
  return [...found.values()];
}
// The heap's numbers are known per site only: shown when all cells of the sites are in the row.
function heapOf(row) {
  let sum = 0;
  for (const [site, number] of row.sites) {
    if (site.heapBytes === null || number !== site.cells) return null;
    sum += site.heapBytes;
  }
  return sum;
}
const typeOf = (row) => row.types.size === 1 ? row.types.values().next().value : row.types.size + ' types';
