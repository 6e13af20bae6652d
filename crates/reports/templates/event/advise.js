// The changes that save allocations.

const changes = data.advice.map((row, at) => ({
  ...row, key: String(at), rank: at + 1, bci: '?', source_file: null, type: null, name: row.class + '.' + row.method + (row.line === null ? '' : ':' + row.line), count: row.objects,
}));
const most = Math.max(...changes.map((row) => row.bytes), 1);
const certainty = (row) => row.interval ? `${row.sure}, ${shortBytes(row.interval.bytes[0])} to ${shortBytes(row.interval.bytes[1])}` : row.sure;
// Where there is little room, the change is below its place.
const narrow = innerWidth < 700;
function drawPlace(td, row) {
  if (narrow) td.replaceChildren(element('span', 'at', shortLabel(row)), element('span', 'wrapped', row.what));
  else placeCell(td, row);
}
const sentence = (show) => (td, row) => td.replaceChildren(element('span', 'wrapped', show(row)));
const columns = [
  { id: 'rank', name: 'No.', number: true, hidden: () => narrow, width: 60, value: (row) => row.rank, show: (row) => grouped(row.rank) },
  { id: 'name', name: 'Place', code: !narrow, value: (row) => row.name, show: (row) => row.name, draw: drawPlace },
  { id: 'what', name: 'Change', hidden: () => narrow, value: (row) => row.what, draw: sentence((row) => row.what) },
  { id: 'bytes', name: 'Saves', number: true, width: narrow ? 130 : 160, value: (row) => row.bytes, show: (row) => bytes(row.bytes), draw: (td, row) => barCell(td, row.bytes, most) },
  { id: 'objects', name: 'Objects', number: true, spare: true, width: 110, value: (row) => row.objects, show: (row) => grouped(row.objects) },
  { id: 'share', name: 'Of the run', number: true, spare: true, width: 100, value: (row) => row.share, show: (row) => share(row.share, 1) },
  { id: 'sure', name: 'Certainty', spare: true, width: 130, value: (row) => row.sure, draw: sentence(certainty) },
  { id: 'heap', name: 'Reach the heap', number: true, spare: true, width: 140, value: (row) => row.reachesHeap ?? -1, show: (row) => row.reachesHeap === null ? 'not known' : grouped(row.reachesHeap) },
];
function describe(row) {
  const detail = detailFor(row);
  if (!detail) return;
  const heap = row.reachesHeap === null ? 'how many reach the heap is not known' : objects(row.reachesHeap) + ' reach the heap';
  const all = row.together;
  const sum = all ? `; together with ${all.with.map((other) => 'No. ' + other).join(', ')} ${certainty(all)}: ${bytes(all.bytes)} in ${objects(all.objects)}` : '';
  detail.append(element('p', '', row.what), element('p', 'small', `saves ${bytes(row.bytes)} in ${objects(row.objects)}, ${share(row.share, 1)} of the run (${certainty(row)}); ${heap}${sum}`));
}
const table = grid(columns, { sort: () => 'rank', dir: 'asc', height: narrow ? 92 : 62, what: (n) => n === 1 ? 'change' : 'changes', picked: describe });

function changed() {
  const hit = matcher(chosen.q);
  table.fill(changes.filter((row) => hit((row.name + ' ' + row.what).toLowerCase())));
}
searchBox(changed);
changed();
document.documentElement.dataset.ready = 'true';
