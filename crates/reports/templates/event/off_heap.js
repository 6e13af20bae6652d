// Memory outside of the heap that Java code owns, by the line that made it.

const placeOf = (one) => one.class + (one.method ? '.' + one.method : '') + (one.line === null ? '' : ':' + one.line);
const made = data.rows.map((row, at) => ({ ...row, cells: data.table.rows[at], key: String(at), name: placeOf(row), bytes: row.live.bytes, count: row.live.count }));
const most = Math.max(...made.map((row) => row.bytes), 1);
const narrow = innerWidth < 700;
function drawLine(td, row) {
  if (narrow) td.replaceChildren(element('span', 'at', row.kind), element('span', 'wrapped', row.name));
}
const columns = declared({
  live: { draw: (td, row) => barCell(td, row.bytes, most) },
  blocks: { spare: true }, made: { spare: true }, 'blocks made': { spare: true },
  kind: { hidden: () => narrow, width: 140 },
  line: { id: 'name', code: !narrow, draw: drawLine },
});
function describe(row) {
  const detail = detailFor(row);
  if (!detail) return;
  const kind = data.kinds.find((one) => one.kind === row.kind);
  detail.append(element('p', '', `${bytes(row.live.bytes)} live in ${grouped(row.live.count)} of ${grouped(row.made.count)} blocks made`));
  if (kind?.note) detail.append(element('p', 'small', kind.note));
  for (const stack of row.stacks.slice(0, 4)) {
    const frames = element('ol');
    frames.append(...stack.frames.map((frame) => element('li', 'small', placeOf(frame))));
    const box = element('div', 'path');
    box.append(element('p', 'small', `${bytes(stack.live.bytes)} in ${grouped(stack.live.count)} blocks from this stack`), frames);
    detail.append(box);
  }
}
const table = grid(columns, { sort: () => 'live', height: narrow ? 62 : 30, what: (n) => n === 1 ? 'line' : 'lines', picked: describe });

function changed() {
  const hit = matcher(chosen.q);
  table.fill(made.filter((row) => hit((row.kind + ' ' + row.name).toLowerCase())));
}
searchBox(changed);
changed();
document.documentElement.dataset.ready = 'true';
