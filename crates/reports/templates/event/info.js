// What is in a trace: sizes, quality after rotations, files.

const files = data.files.map((file, at) => ({ ...file, cells: data.table.rows[at], key: file.name, count: file.blocks }));
const most = Math.max(...files.map((file) => file.bytes), 1);
const columns = declared({ file: { id: 'name', code: true }, size: { draw: (td, row) => barCell(td, row.bytes, most) } });
const table = grid(columns, { sort: () => 'number', dir: 'asc', what: (n) => n === 1 ? 'file' : 'files', picked: () => {} });

function drawSizes() {
  const all = data.compression;
  const other = Math.max(0, all.plainBytes - all.eventBytes - all.moveBytes - all.syncBytes);
  const kinds = [['events', all.eventBytes, colour(0)], ['moves', all.moveBytes, colour(1)], ['synchronization points', all.syncBytes, colour(2)], ['collections and the rest', other, 'var(--rest)']];
  const largest = Math.max(...kinds.map(([, value]) => value), 1);
  byId('sizes').replaceChildren(...kinds.flatMap(([name, value, fill]) => {
    const bar = element('span');
    bar.append(partBar([{ value, colour: fill, title: name + ': ' + bytes(value) }], largest));
    return [element('span', '', name), bar, element('span', 'small', shortBytes(value) + ', ' + share(value, all.plainBytes))];
  }));
}
// One line per rotation: from the synchronization point over the collections that follow.
function drawQuality() {
  const all = data.quality.rotations;
  byId('quality').hidden = all.length === 0;
  if (!all.length) return;
  const chart = frame(byId('qualitychart'), { height: 230, low: 0, high: Math.max(1, ...all.map((one) => one.quality.length - 1)), top: 100, format: (n) => n + ' %', xLabel: 'collections after the rotation', whole: true, xFormat: grouped });
  all.forEach((one, at) => {
    const points = one.quality.map((quality, after) => [after, quality.percent]);
    line(chart, points, 'spark-line');
    for (const [x, y] of points) {
      const dot = svg('circle', { cx: chart.x(x), cy: chart.y(y), r: 3, fill: colour(at % PALETTE) });
      dot.append(svg('title', {}, `file ${one.file}, ${x} collections after it: ${y.toFixed(2)} %`));
      chart.plot.append(dot);
    }
  });
}
function changed() {
  const hit = matcher(chosen.q);
  drawSizes();
  drawQuality();
  table.fill(files.filter((file) => hit(file.name.toLowerCase())));
}
searchBox(changed);
addEventListener('resize', changed);
changed();
document.documentElement.dataset.ready = 'true';
