// The table: rows of any grouping, sorted; only what is visible is in the document.

const groups = {
  site: { one: 'site', key: (cell) => cell.site.index, label: (cell) => cell.site.at.label },
  type: { one: 'type', key: (cell) => cell.type, label: (cell) => cell.type },
  blame: { one: 'line', key: (cell) => (cell.caller ? cell.caller.at : cell.site.at).label, label: (cell) => (cell.caller ? cell.caller.at : cell.site.at).label },
  method: { one: 'method', key: (cell) => cell.site.at.cls + '.' + cell.site.at.method + cell.site.at.descriptor, label: (cell) => cell.site.at.cls + '.' + cell.site.at.method + cell.site.at.descriptor },
  class: { one: 'class', key: (cell) => cell.site.at.cls, label: (cell) => cell.site.at.cls },
  package: { one: 'package', key: (cell) => packageOf(cell.site.at.cls), label: (cell) => packageOf(cell.site.at.cls) || '(unnamed package)' },
  kind: { one: 'way', key: (cell) => cell.site.kind, label: (cell) => cell.site.kind },
};
if (!groups[state.group]) state.group = 'site';
// Pixels for a number of this length.
const fitting = (longest) => Math.max(90, Math.ceil(longest.length * 8.1) + 22);
const columns = [
  { id: 'bytes', name: 'Bytes', number: true, width: fitting(bytes(data.bytes)), value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
  { id: 'share', name: 'Share', number: true, width: 88, value: (row) => amount(row), show: (row) => share(amount(row), total()) },
  { id: 'count', name: 'Objects', number: true, width: fitting(objects(data.count)), value: (row) => row.count, show: (row) => objects(row.count) },
  { id: 'average', name: 'Average', number: true, width: 115, spare: true, value: (row) => row.count ? row.bytes / row.count : 0, show: (row) => row.count ? averages.format(row.bytes / row.count) + ' B' : '-' },
  { id: 'heap', name: 'On heap', number: true, width: fitting(bytes(data.bytes)), heap: true, spare: true, value: (row) => row.heapBytes ?? -1, show: (row) => row.heapBytes === null ? '-' : bytes(row.heapBytes) },
  { id: 'eliminated', name: 'Removed by the JIT', number: true, width: 150, heap: true, spare: true, value: (row) => row.heapBytes === null ? -1 : (row.bytes - row.heapBytes) / (row.bytes || 1), show: (row) => row.heapBytes === null ? '-' : share(row.bytes - row.heapBytes, row.bytes) },
  { id: 'type', name: 'Type', width: 210, of: 'site', code: true, value: (row) => row.type, show: (row) => row.type },
  { id: 'name', name: 'Location', code: true, value: (row) => row.label, show: (row) => row.label },
  { id: 'kind', name: 'Way', width: 130, of: 'site', spare: true, value: (row) => row.kind, show: (row) => row.kind },
  { id: 'sites', name: 'Sites', number: true, width: 80, notOf: 'site', value: (row) => row.sites.size, show: (row) => grouped(row.sites.size) },
];
const wanted = () => namesFirst(columns.filter((column) => (!column.of || column.of === state.group) && column.notOf !== state.group && (!column.heap || data.heap)
  && !(column.spare && (!byId('detail').hidden || innerWidth < 700) && (state.sort || state.metric) !== column.id))); // the detail says it, too
const total = () => state.metric === 'count' ? data.count : data.bytes;
const ROW = 28;
let rows = [];

function collect() {
  const group = groups[state.group];
  const found = new Map();
  for (const cell of cells) {
    if (!cell.hit) continue;
    const key = group.key(cell);
    let row = found.get(key);
    if (!row) found.set(key, row = { key: String(key), label: group.label(cell), count: 0, bytes: 0, sites: new Map(), types: new Set(), kind: cell.site.kind });
    row.count += cell.count;
    row.bytes += cell.bytes;
    row.sites.set(cell.site, (row.sites.get(cell.site) || 0) + 1);
    row.types.add(cell.type);
  }
  rows = [...found.values()];
  for (const row of rows) {
    row.type = typeOf(row);
    row.heapBytes = heapOf(row);
    row.place = state.group === 'site' ? row.sites.keys().next().value.at : null;
  }
  order();
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
function order() {
  const id = state.sort || state.metric;
  const column = wanted().find((candidate) => candidate.id === id) || columns[0];
  const sign = state.dir === 'asc' ? 1 : -1;
  rows.sort((a, b) => {
    const x = column.value(a), y = column.value(b);
    const by = column.number ? x - y : (x < y ? -1 : x > y ? 1 : 0);
    return sign * by || amount(b) - amount(a) || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0);
  });
}
function drawHead() {
  const head = byId('head');
  head.textContent = '';
  // A column without a width has what is left, and that must be something.
  byId('table').style.minWidth = wanted().reduce((sum, column) => sum + (column.width ?? 280), 0) + 'px';
  for (const column of wanted()) {
    const th = element('th', column.number ? 'n' : '');
    th.scope = 'col';
    if (column.width) th.style.width = column.width + 'px';
    const active = (state.sort || state.metric) === column.id;
    th.setAttribute('aria-sort', active ? (state.dir === 'asc' ? 'ascending' : 'descending') : 'none');
    const button = element('button', '', column.id === 'name' && state.group !== 'site' ? 'Name' : column.name);
    button.type = 'button';
    button.dataset.sort = column.id;
    th.append(button);
    head.append(th);
  }
}
function drawRows() {
  drawRowsOnScreen(byId('scroll'), byId('body'), { rows, height: ROW, columns: wanted().length, draw: drawRow });
}
function drawRow(row, at) {
  const tr = element('tr');
  tr.tabIndex = 0;
  tr.dataset.at = at;
  tr.setAttribute('aria-rowindex', at + 2);
  tr.setAttribute('aria-selected', String(row.key === state.row));
  for (const column of wanted()) {
    const td = element('td', (column.number ? 'n' : '') + (column.code ? ' code' : ''), column.show(row));
    if (column.id === 'share') {
      td.classList.add('share');
      td.style.setProperty('--w', Math.max(0, Math.min(100, 100 * amount(row) / (total() || 1))).toFixed(2) + '%');
    }
    if (column.code) td.title = column.show(row);
    if (column.id === 'name' && row.place) td.replaceChildren(row.place.short, element('span', 'package', packageOf(row.place.cls)));
    tr.append(td);
  }
  return tr;
}
function drawTable() {
  drawHead();
  byId('table').setAttribute('aria-rowcount', rows.length + 1);
  const name = groups[state.group].one;
  byId('rows').textContent = grouped(rows.length) + ' ' + (rows.length === 1 ? name : name === 'class' ? 'classes' : name + 's');
  drawRows();
}
