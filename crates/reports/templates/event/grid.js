// A sortable table of any number of rows; only what is visible is in the document.
//
// column: { id, name, number, code, width, spare, hidden(), value(row) to sort by, show(row) as text, draw(td, row) to add more }

// A figure of each unit that a report's columns have.
const UNITS = {
  text: String, number: String, objects, bytes, shortBytes, amount: short, exactAmount: shown, duration,
  count: (n) => Number.isInteger(n) ? grouped(n) : n.toFixed(1),
  average: (n) => (Math.round(n * 10) / 10).toLocaleString('en-US', { minimumFractionDigits: 1 }) + ' B',
  calls: (n) => scaled(n, ['', 'k', 'M', 'G', 'T'], 1000).trim() + ' calls',
  bytesPerSecond: (n) => shortBytes(n) + '/s',
  share: (n) => share(n, 1),
  moment: (n) => (n / 1e6).toFixed(3) + ' s',
};
// The columns that a report declares for all its forms; a row has its `cells`. `more` adds by title what only a page has.
function declared(more = {}) {
  return data.table.columns.map(({ id, name, tip, unit }, at) => {
    const number = unit !== 'text';
    const cell = (row) => Array.isArray(row.cells[at]) ? row.cells[at][chosen.metric === 'count' ? 0 : 1] : row.cells[at];
    const show = (row) => cell(row) === null ? '-' : cell(row) === '' ? '' : UNITS[unit](cell(row));
    const longest = data.table.rows.reduce((most, cells) => Math.max(most, show({ cells }).length), 0);
    const width = number ? Math.max(80, longest * 8.1 + 24, name.length * 7.2 + 36) : undefined;
    return { id, name, tip, number, show, value: (row) => cell(row) ?? (number ? -1 : ''), width, ...more[id] };
  });
}

// The name of a row: of a site its place.
const nameColumn = { id: 'name', name: 'Name', code: true, value: (row) => row.name, show: (row) => row.name, draw: (td, row) => { if (row.class) placeCell(td, row); } };

function grid(columns, options) {
  const scroll = byId('scroll'), body = byId('body'), head = byId('head');
  const HEIGHT = options.height || 30;
  body.style.setProperty('--row', HEIGHT + 'px');
  choice('sort', '', columns.map((column) => column.id));
  choice('dir', options.dir || 'desc', ['asc', 'desc']);
  let rows = [];
  const sorting = () => chosen.sort || options.sort();

  function order() {
    const column = columns.find((one) => one.id === sorting()) || columns[0];
    const sign = chosen.dir === 'asc' ? 1 : -1;
    rows.sort((a, b) => {
      const x = column.value(a), y = column.value(b);
      const by = column.number ? x - y : (x < y ? -1 : x > y ? 1 : 0);
      return sign * by || b.bytes - a.bytes || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    });
  }
  function drawHead() {
    // A column without a width has what is left, and that must be something.
    byId('table').style.minWidth = shown().reduce((sum, column) => sum + (column.width ?? 280), 0) + 'px';
    head.replaceChildren(...shown().map((column) => {
      const th = element('th', column.number ? 'n' : '');
      th.scope = 'col';
      if (column.width) th.style.width = column.width + 'px';
      th.setAttribute('aria-sort', sorting() === column.id ? (chosen.dir === 'asc' ? 'ascending' : 'descending') : 'none');
      const button = element('button', '', column.name);
      button.type = 'button';
      if (column.tip) button.title = column.tip;
      button.dataset.sort = column.id;
      th.append(button);
      return th;
    }));
  }
  // What the detail of a row says, too, makes room for it, and for names where there is little.
  const isTight = () => !byId('detail').hidden || innerWidth < 700;
  const wanted = (column) => !column.hidden?.() && !(column.spare && isTight() && sorting() !== column.id);
  const shown = () => namesFirst(columns.filter(wanted));
  function drawRow(row, at) {
    const tr = element('tr');
    tr.tabIndex = 0;
    tr.dataset.at = at;
    tr.setAttribute('aria-rowindex', at + 2);
    tr.setAttribute('aria-selected', String(row.key === chosen.row));
    for (const column of shown()) {
      const td = element('td', (column.number ? 'n' : '') + (column.code ? ' code' : ''));
      if (column.show) td.textContent = column.show(row);
      if (column.code && column.show) td.title = column.show(row);
      if (column.draw) column.draw(td, row);
      tr.append(td);
    }
    return tr;
  }
  const drawRows = () => drawRowsOnScreen(scroll, body, { rows, height: HEIGHT, columns: shown().length, draw: drawRow });
  function draw() {
    drawHead();
    byId('table').setAttribute('aria-rowcount', rows.length + 1);
    byId('rows').textContent = grouped(rows.length) + ' ' + options.what(rows.length);
    drawRows();
  }
  function pick(key) {
    choose('row', key === chosen.row ? '' : key);
    options.picked(rows.find((row) => row.key === chosen.row));
    draw();
  }
  head.addEventListener('click', (event) => {
    const id = event.target.dataset.sort;
    if (!id) return;
    const textual = !columns.find((column) => column.id === id).number;
    choose('dir', sorting() === id ? (chosen.dir === 'asc' ? 'desc' : 'asc') : (textual ? 'asc' : 'desc'));
    choose('sort', id);
    order();
    scroll.scrollTop = 0;
    draw();
    document.querySelector(`[data-sort="${id}"]`).focus();
  });
  body.addEventListener('click', (event) => { const tr = event.target.closest('tr[data-at]'); if (tr) pick(rows[Number(tr.dataset.at)].key); });
  body.addEventListener('keydown', (event) => {
    const tr = event.target.closest('tr[data-at]');
    if (!tr) return;
    const at = Number(tr.dataset.at);
    const go = (to) => { const other = body.querySelector(`tr[data-at="${to}"]`); if (other) { other.focus(); other.scrollIntoView({ block: 'nearest' }); } };
    if (event.key === 'Enter' || event.key === ' ') { pick(rows[at].key); go(at); } else if (event.key === 'ArrowDown') go(at + 1); else if (event.key === 'ArrowUp') go(at - 1); else return;
    event.preventDefault();
  });
  let drawing = false;
  scroll.addEventListener('scroll', () => {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => { drawing = false; const at = document.activeElement?.dataset?.at; drawRows(); if (at) body.querySelector(`tr[data-at="${at}"]`)?.focus({ preventScroll: true }); });
  });
  addEventListener('resize', () => { drawHead(); drawRows(); });
  return {
    fill(all) {
      rows = all;
      order();
      scroll.scrollTop = 0;
      const at = rows.findIndex((row) => row.key === chosen.row);
      options.picked(rows[at]);
      draw();
      if (at > 15) { scroll.scrollTop = at * HEIGHT - 120; drawRows(); }
    },
    pick,
  };
}
// A cell with the number and a bar behind it.
function barCell(td, part, whole) {
  td.classList.add('share');
  td.style.setProperty('--w', Math.max(0, Math.min(100, 100 * part / (whole || 1))).toFixed(2) + '%');
}
// The place of a site: short, with its package after it.
function placeCell(td, site) {
  td.title = label(site);
  td.replaceChildren(shortLabel(site), element('span', 'package', packageOf(site.class)));
}
// Name and number, as the detail of a row shows them.
function listing(detail, title, entries, whole) {
  if (!entries.length) return;
  const LIMIT = 40;
  detail.append(element('h3', '', title + ' (' + grouped(entries.length) + ')'));
  const table = element('table');
  for (const entry of entries.slice(0, LIMIT)) {
    const tr = element('tr');
    tr.append(element('td', 'n', bytes(entry.bytes)), element('td', 'n', objects(entry.count)), element('td', 'n', share(amount(entry), whole)), element('td', 'code', entry.name));
    table.append(tr);
  }
  detail.append(table);
  if (entries.length > LIMIT) detail.append(element('p', 'small', grouped(entries.length - LIMIT) + ' more'));
}
// As frames of stacks are called.
const frameName = (site) => site.class + '.' + site.method + (site.line === null ? '' : ':' + site.line);
function detailFor(row) {
  const detail = byId('detail');
  detail.hidden = !row;
  detail.textContent = '';
  if (!row) return null;
  const close = element('button', 'close', 'Close');
  close.type = 'button';
  close.addEventListener('click', () => table.pick(chosen.row));
  detail.append(close, element('p', 'where', row.name));
  if (embedded && row.class) detail.append(leadingButton('Its stacks', { tab: 'report', state: { place: [row.type ?? '', frameName(row)].join('\u0001') } }));
  return detail;
}
