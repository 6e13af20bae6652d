// What is known about the row that was picked.

function drawDetail(row) {
  const detail = byId('detail');
  detail.hidden = !row;
  detail.textContent = '';
  if (!row) return;
  const close = element('button', 'close', 'Close');
  close.type = 'button';
  close.addEventListener('click', () => table.pick(state.row));
  detail.append(close, element('p', 'where', row.name));
  if (state.group === 'site') { siteFacts(detail, [...row.sites.keys()][0]); if (sampled) detail.append(stacksButton([...row.sites.keys()][0])); }
  const own = cells.filter((cell) => cell.hit && row.sites.has(cell.site) && String(groups[state.group].key(cell)) === row.key);
  if (state.group !== 'type' && row.types.size > 1) sums(detail, 'Types', own, (cell) => cell.type);
  if (state.group !== 'site') sums(detail, 'Locations', own, (cell) => cell.site.at.label, (cell) => open(cell.site));
  if (own.some((cell) => cell.caller)) sums(detail, 'Callers to blame', own, (cell) => cell.caller ? cell.caller.at.label + ' calls ' + cell.caller.target : '(no tracked call was under way)');
  if (state.group === 'site') siteLists(detail, [...row.sites.keys()][0]);
}
function stacksButton(site) {
  const button = element('button', 'lead', 'Its stacks');
  button.type = 'button';
  button.addEventListener('click', () => { goToPlace([site.type ?? '', site.at.frame].join('\u0001')); byId('search').value = state.q; byId('invert').checked = state.invert === 'on'; byId('view').value = 'stacks'; byId('threads').value = ''; showStackControls(); plantTree(); changed(); byId('flame-title').scrollIntoView({ block: 'start' }); });
  return button;
}
function siteFacts(detail, site) {
  const way = site.kind + (site.type ? ' of ' + site.type : '') + ' at bytecode index ' + site.at.bci;
  detail.append(element('p', 'small', way + ' of ' + site.at.method + site.at.descriptor));
  let line = bytes(site.bytes) + ' in ' + objects(site.count) + ' executed';
  if (site.heapBytes !== null) line += '; reached the heap: ' + bytes(site.heapBytes) + ' in ' + objects(site.heapCount) + ', removed by the JIT: ' + share(site.bytes - site.heapBytes, site.bytes);
  detail.append(element('p', 'small', line));
}
function siteLists(detail, site) {
  if (site.threads.length) {
    list(detail, 'Threads', site.threads.map(([name, count, size]) => ({ name: text[name], count, bytes: size })));
  }
  if (site.lengths.length) {
    detail.append(element('h3', '', 'Array lengths'));
    const most = Math.max(...site.lengths.map((bucket) => bucket[2]), 1);
    const table = element('table');
    for (const [low, high, count] of site.lengths) {
      const tr = element('tr');
      const bar = element('span', 'meter');
      bar.style.width = (100 * Math.max(0, count) / most).toFixed(1) + '%';
      const td = element('td');
      td.append(bar);
      tr.append(element('td', 'n', low === high ? grouped(low) : grouped(low) + ' - ' + grouped(high)), element('td', 'n', objects(count)), td);
      table.append(tr);
    }
    detail.append(table);
  }
}
function sums(detail, title, own, key, action) {
  const found = new Map();
  for (const cell of own) {
    const name = key(cell);
    const entry = found.get(name) || { name, count: 0, bytes: 0, action: action && (() => action(cell)) };
    entry.count += cell.count;
    entry.bytes += cell.bytes;
    found.set(name, entry);
  }
  list(detail, title, [...found.values()]);
}
function list(detail, title, entries) {
  const LIMIT = 50;
  entries.sort((a, b) => amount(b) - amount(a) || (a.name < b.name ? -1 : 1));
  detail.append(element('h3', '', title + ' (' + grouped(entries.length) + ')'));
  const whole = entries.reduce((sum, entry) => sum + amount(entry), 0);
  const table = element('table');
  for (const entry of entries.slice(0, LIMIT)) {
    const tr = element('tr');
    const name = element('td', 'code');
    if (entry.action) {
      const link = element('a', '', entry.name);
      link.href = '#';
      link.addEventListener('click', (event) => { event.preventDefault(); entry.action(); });
      name.append(link);
    } else name.textContent = entry.name;
    tr.append(element('td', 'n', bytes(entry.bytes)), element('td', 'n', objects(entry.count)), element('td', 'n', share(amount(entry), whole)), name);
    table.append(tr);
  }
  detail.append(table);
  if (entries.length > LIMIT) detail.append(element('p', 'small', grouped(entries.length - LIMIT) + ' more'));
}
function open(site) {
  state.group = 'site';
  byId('group').value = 'site';
  state.sort = '';
  state.dir = 'desc';
  state.row = String(site.index);
  table.fill(collect());
  remember();
}
