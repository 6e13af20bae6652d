'use strict';
(() => {
  // ---- data -------------------------------------------------------------------------------------------------
  const data = JSON.parse(document.getElementById('data').textContent);
  const text = data.strings;
  const byId = (id) => document.getElementById(id);
  const numbers = new Intl.NumberFormat('en-US');
  const grouped = (n) => numbers.format(n);
  const bytes = (n) => grouped(n) + ' B';
  const objects = (n) => grouped(n) + ' obj';
  const share = (part, whole) => {
    if (!(whole > 0)) return '-';
    const p = 100 * part / whole;
    if (part < whole && p >= 99.95) return '>99.9 %';
    if (part > 0 && p < 0.05) return '<0.1 %';
    return p.toFixed(1) + ' %';
  };
  const packageOf = (name) => name.slice(0, Math.max(0, name.lastIndexOf('.')));
  const simple = (name) => name.slice(name.lastIndexOf('.') + 1);

  const place = ([cls, method, descriptor, bci, line, file]) => {
    const at = { cls: text[cls], method: text[method], descriptor: text[descriptor], bci };
    at.source = line < 0 ? '@' + bci : (file < 0 ? 'line ' + line : text[file] + ':' + line);
    at.label = at.cls + '.' + at.method + '(' + at.source + ')';
    return at;
  };
  const callers = data.callers.map((row) => ({ at: place(row), target: text[row[6]] }));
  const sites = data.sites.map((row, index) => ({
    index, at: place(row), type: row[6] < 0 ? null : text[row[6]], kind: text[row[7]], count: row[8], bytes: row[9],
    heapCount: row[10], heapBytes: row[11], threads: row[13], lengths: row[14], cells: row[12].length,
  }));
  // The smallest parts that numbers are known for: (site, type, caller). Every sum below is over cells.
  const cells = [];
  data.sites.forEach((row, index) => {
    for (const [type, caller, count, size] of row[12]) {
      cells.push({ site: sites[index], type: text[type], caller: caller < 0 ? null : callers[caller], count, bytes: size, hit: true, hay: null });
    }
  });

  // ---- state, kept in the address so that a view can be shared ------------------------------------------------
  const given = new URLSearchParams(location.hash.slice(1));
  const state = {
    q: given.get('q') || '', metric: given.get('metric') || data.sort, group: given.get('group') || 'site',
    sort: given.get('sort') || '', dir: given.get('dir') || 'desc', row: given.get('row') || '',
    zoom: given.get('zoom') || '', blame: given.get('blame') ? given.get('blame') === 'on' : callers.length > 0,
    theme: given.get('theme') || stored('ducktrack-theme') || '',
  };
  if (state.metric !== 'count') state.metric = 'bytes';
  function stored(key) { try { return localStorage.getItem(key); } catch { return null; } }
  function remember() {
    const out = new URLSearchParams();
    for (const [key, value] of Object.entries(state)) {
      if (key === 'blame') { if (value !== callers.length > 0) out.set(key, value ? 'on' : 'off'); }
      else if (value && key !== 'theme') out.set(key, value);
    }
    try { history.replaceState(null, '', '#' + out); } catch { /* a file viewer may forbid it */ }
  }
  const amount = (thing) => state.metric === 'count' ? thing.count : thing.bytes;
  const shown = (n) => state.metric === 'count' ? objects(n) : bytes(n);
  const element = (name, className, content) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (content !== undefined) made.textContent = content;
    return made;
  };
  const hueOf = (name) => { let h = 7; for (const c of name) h = (h * 31 + c.codePointAt(0)) % 3600; return h / 10; };

  // ---- search: words that must all be there; field:word; -word ---------------------------------------------------
  function parse(query) {
    return query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
      const not = word.length > 1 && word.startsWith('-');
      const bare = not ? word.slice(1) : word;
      const named = /^(kind|type|class|method|package|caller|thread):(.+)$/.exec(bare);
      return named ? { not, field: named[1], word: named[2] } : { not, field: '', word: bare };
    });
  }
  const inPackage = (name, word) => name === word || name.startsWith(word + '.');
  const fields = {
    '': (cell, word) => haystack(cell).includes(word),
    kind: (cell, word) => cell.site.kind.toLowerCase() === word,
    type: (cell, word) => cell.type.toLowerCase() === word || simple(cell.type).toLowerCase() === word,
    class: (cell, word) => cell.site.at.cls.toLowerCase().includes(word),
    method: (cell, word) => cell.site.at.method.toLowerCase().includes(word),
    package: (cell, word) => inPackage(packageOf(cell.site.at.cls).toLowerCase(), word)
      || (cell.caller !== null && inPackage(packageOf(cell.caller.at.cls).toLowerCase(), word)),
    caller: (cell, word) => cell.caller !== null && cell.caller.at.label.toLowerCase().includes(word),
    thread: (cell, word) => cell.site.threads.some(([name]) => text[name].toLowerCase().includes(word)),
  };
  function haystack(cell) {
    if (cell.hay === null) {
      const caller = cell.caller ? ' ' + cell.caller.at.label + ' ' + cell.caller.target : '';
      cell.hay = (cell.site.at.label + ' ' + cell.site.at.descriptor + ' ' + cell.type + ' ' + cell.site.kind + caller).toLowerCase();
    }
    return cell.hay;
  }
  function search() {
    const terms = parse(state.q);
    for (const cell of cells) cell.hit = terms.every((term) => fields[term.field](cell, term.word) !== term.not);
  }

  // ---- table ---------------------------------------------------------------------------------------------------
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
  const columns = [
    { id: 'bytes', name: 'Bytes', number: true, width: 150, value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
    { id: 'share', name: 'Share', number: true, width: 92, value: (row) => amount(row), show: (row) => share(amount(row), total()) },
    { id: 'count', name: 'Objects', number: true, width: 140, value: (row) => row.count, show: (row) => objects(row.count) },
    { id: 'average', name: 'Average', number: true, width: 95, value: (row) => row.count ? row.bytes / row.count : 0, show: (row) => row.count ? (row.bytes / row.count).toFixed(1) + ' B' : '-' },
    { id: 'heap', name: 'On heap', number: true, width: 140, heap: true, value: (row) => row.heapBytes ?? -1, show: (row) => row.heapBytes === null ? '-' : bytes(row.heapBytes) },
    { id: 'eliminated', name: 'Eliminated', number: true, width: 100, heap: true, value: (row) => row.heapBytes === null ? -1 : (row.bytes - row.heapBytes) / (row.bytes || 1), show: (row) => row.heapBytes === null ? '-' : share(row.bytes - row.heapBytes, row.bytes) },
    { id: 'type', name: 'Type', width: 230, of: 'site', code: true, value: (row) => row.type, show: (row) => row.type },
    { id: 'name', name: 'Location', code: true, value: (row) => row.label, show: (row) => row.label },
    { id: 'kind', name: 'Way', width: 130, of: 'site', value: (row) => row.kind, show: (row) => row.kind },
    { id: 'sites', name: 'Sites', number: true, width: 80, notOf: 'site', value: (row) => row.sites.size, show: (row) => grouped(row.sites.size) },
  ];
  const wanted = () => columns.filter((column) => (!column.of || column.of === state.group) && column.notOf !== state.group && (!column.heap || data.heap));
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
    for (const row of rows) { row.type = typeOf(row); row.heapBytes = heapOf(row); }
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
    const scroll = byId('scroll'), body = byId('body');
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - 8);
    const last = Math.min(rows.length, first + Math.ceil((scroll.clientHeight || 700) / ROW) + 16);
    const part = document.createDocumentFragment();
    part.append(pad(first * ROW));
    for (let at = first; at < last; at++) part.append(drawRow(rows[at], at));
    part.append(pad((rows.length - last) * ROW));
    body.replaceChildren(part);
  }
  function pad(height) {
    const tr = element('tr', 'pad');
    tr.setAttribute('aria-hidden', 'true');
    const td = element('td');
    td.colSpan = wanted().length;
    td.style.height = height + 'px';
    tr.append(td);
    return tr;
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

  // ---- detail of a row --------------------------------------------------------------------------------------------
  function drawDetail() {
    const detail = byId('detail');
    const row = rows.find((candidate) => candidate.key === state.row);
    detail.hidden = !row;
    detail.textContent = '';
    if (!row) return;
    const close = element('button', 'close', 'Close');
    close.type = 'button';
    close.addEventListener('click', () => select(''));
    detail.append(close, element('p', 'where', row.label));
    if (state.group === 'site') siteFacts(detail, [...row.sites.keys()][0]);
    const own = cells.filter((cell) => cell.hit && row.sites.has(cell.site) && String(groups[state.group].key(cell)) === row.key);
    if (state.group !== 'type' && row.types.size > 1) sums(detail, 'Types', own, (cell) => cell.type);
    if (state.group !== 'site') sums(detail, 'Locations', own, (cell) => cell.site.at.label, (cell) => open(cell.site));
    if (own.some((cell) => cell.caller)) sums(detail, 'Callers to blame', own, (cell) => cell.caller ? cell.caller.at.label + ' calls ' + cell.caller.target : '(no tracked call was under way)');
    if (state.group === 'site') siteLists(detail, [...row.sites.keys()][0]);
  }
  function siteFacts(detail, site) {
    const way = site.kind + (site.type ? ' of ' + site.type : '') + ' at bytecode index ' + site.at.bci;
    detail.append(element('p', 'small', way + ' of ' + site.at.method + site.at.descriptor));
    let line = bytes(site.bytes) + ' in ' + objects(site.count) + ' executed';
    if (site.heapBytes !== null) line += '; on the heap ' + bytes(site.heapBytes) + ' in ' + objects(site.heapCount) + ', eliminated ' + share(site.bytes - site.heapBytes, site.bytes);
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
    collect();
    select(String(site.index));
    const at = rows.findIndex((row) => row.key === state.row);
    byId('scroll').scrollTop = Math.max(0, at * ROW - 120);
    drawTable();
  }
  function select(key) {
    state.row = key === state.row ? '' : key;
    remember();
    drawDetail();
    drawRows();
  }

  // ---- flame graph --------------------------------------------------------------------------------------------------
  const STEP = 23;
  const trees = {};
  let root, focus, current;

  function frames(cell, blame) {
    const at = cell.site.at;
    const made = cell.type + ' (' + cell.site.kind + ' @' + at.bci + ')';
    const caller = blame ? cell.caller : null;
    const top = caller ? caller.at : at;
    const names = [packageOf(top.cls) || '(unnamed package)', simple(top.cls), top.method + top.descriptor];
    if (!caller) return [...names, at.source + ' ' + made];
    return [...names, top.source + ' calls ' + caller.target, at.label + ' ' + made];
  }
  function tree(blame) {
    if (trees[blame]) return trees[blame];
    const node = (name, parent) => ({ name, parent, depth: parent ? parent.depth + 1 : 0, count: 0, bytes: 0, below: new Map(), hitCount: 0, hitBytes: 0, hue: 0, order: null });
    const top = node('all', null);
    for (const cell of cells) {
      const path = frames(cell, blame);
      let at = top;
      add(at, cell);
      for (const name of path) {
        let next = at.below.get(name);
        if (!next) {
          at.below.set(name, next = node(name, at));
          next.hue = next.depth === 1 ? hueOf(name) : (at.hue + (hueOf(name) % 16) - 8 + 360) % 360;
        }
        add(next, cell);
        at = next;
      }
      (at.cells ||= []).push(cell);
    }
    return trees[blame] = top;
  }
  function add(node, cell) { node.count += Math.max(0, cell.count); node.bytes += Math.max(0, cell.bytes); }
  function mark(node) {
    node.hitCount = 0;
    node.hitBytes = 0;
    for (const cell of node.cells || []) if (cell.hit) { node.hitCount += Math.max(0, cell.count); node.hitBytes += Math.max(0, cell.bytes); }
    for (const below of node.below.values()) { mark(below); node.hitCount += below.hitCount; node.hitBytes += below.hitBytes; }
  }
  const children = (node) => {
    if (!node.order || node.orderOf !== state.metric) {
      node.order = [...node.below.values()].sort((a, b) => amount(b) - amount(a) || (a.name < b.name ? -1 : 1));
      node.orderOf = state.metric;
    }
    return node.order;
  };
  const pathOf = (node) => { const path = []; for (let at = node; at.parent; at = at.parent) path.unshift(at.name); return path; };
  const depthOf = (node) => { let deepest = node.depth; for (const below of node.below.values()) deepest = Math.max(deepest, depthOf(below)); return deepest; };
  const hits = (node) => state.metric === 'count' ? node.hitCount : node.hitBytes;

  function plantTree() {
    root = tree(state.blame);
    root.deepest ??= depthOf(root);
    focus = root;
    if (state.zoom) for (const name of state.zoom.split('\u0001')) { const next = focus.below.get(name); if (!next) break; focus = next; }
    current = focus;
  }
  function drawFlame() {
    const flame = byId('flame');
    const width = flame.clientWidth || 1200;
    const part = document.createDocumentFragment();
    for (let at = focus.parent; at; at = at.parent) part.append(frame(at, 0, width, 'path'));
    const draw = (node, left, size) => {
      if (size < 1.5) return;
      part.append(frame(node, left, size, ''));
      let x = left;
      for (const below of children(node)) {
        const own = amount(node) > 0 ? size * amount(below) / amount(node) : 0;
        if (own < 1.5) break;
        draw(below, x, own);
        x += own;
      }
    };
    draw(focus, 0, width);
    flame.style.height = (root.deepest + 1) * STEP + 'px';
    flame.replaceChildren(part);
    byId('reset').disabled = focus === root;
  }
  function frame(node, left, width, extra) {
    const div = element('div', extra, width > 24 ? node.name : '');
    div.node = node;
    node.drawn = div;
    div.style.cssText = `left:${left.toFixed(1)}px;width:${width.toFixed(1)}px;top:${node.depth * STEP}px`;
    div.style.setProperty('--h', node.hue.toFixed(0));
    if (!node.parent) div.classList.add('all');
    if (width < 12) div.classList.add('tiny');
    if (state.q && hits(node) === 0) div.classList.add('dim');
    div.setAttribute('role', 'treeitem');
    div.setAttribute('aria-level', node.depth + 1);
    div.setAttribute('aria-label', node.name + ', ' + describe(node));
    div.tabIndex = node === current ? 0 : -1;
    return div;
  }
  const describe = (node) => bytes(node.bytes) + ' in ' + objects(node.count) + ', ' + share(amount(node), amount(root))
    + (state.q ? ', of these found ' + shown(hits(node)) : '');
  function tell(node) { byId('frame').textContent = (pathOf(node).join(' > ') || 'all') + ': ' + describe(node); }
  function zoom(node) {
    focus = current = node;
    state.zoom = pathOf(node).join('\u0001');
    remember();
    drawFlame();
    tell(node);
  }
  function move(key) {
    if (key === 'ArrowUp') return current.parent;
    if (key === 'ArrowDown') return children(current)[0];
    const beside = current.parent ? children(current.parent) : [current];
    return beside[beside.indexOf(current) + (key === 'ArrowRight' ? 1 : -1)];
  }

  // ---- ways of allocating --------------------------------------------------------------------------------------------
  function drawKinds() {
    const sums = new Map();
    let all = 0;
    for (const cell of cells) { const n = Math.max(0, amount(cell)); sums.set(cell.site.kind, (sums.get(cell.site.kind) || 0) + n); all += n; }
    const bar = document.createDocumentFragment(), legend = document.createDocumentFragment();
    const order = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    order.forEach(([kind, n], at) => {
      const hue = String((210 + at * 137.5) % 360);
      const block = element('span', 'kind-color');
      block.style.cssText = `flex:${n} 0 0;--h:${hue}`;
      block.title = kind + ' ' + share(n, all);
      bar.append(block);
      const button = element('button');
      button.type = 'button';
      const dot = element('i', 'kind-color');
      dot.style.setProperty('--h', hue);
      button.append(dot, kind + ' ' + share(n, all));
      button.addEventListener('click', () => { byId('search').value = state.q = 'kind:' + kind; changed(); });
      legend.append(button);
    });
    byId('kindbar').replaceChildren(bar);
    byId('kindlegend').replaceChildren(legend);
  }

  // ---- together --------------------------------------------------------------------------------------------------------
  function changed() {
    search();
    mark(root);
    const found = cells.reduce((sum, cell) => sum + (cell.hit ? amount(cell) : 0), 0);
    byId('matched').textContent = state.q ? 'found ' + share(found, total()) + ', ' + shown(found) : '';
    collect();
    byId('scroll').scrollTop = 0;
    drawTable();
    drawDetail();
    drawFlame();
    remember();
  }
  function applyTheme() {
    const dark = state.theme ? state.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    if (state.theme) document.documentElement.dataset.theme = state.theme;
    byId('theme').textContent = dark ? 'Light' : 'Dark';
    return dark;
  }
  function listen() {
    let waiting = 0;
    byId('search').addEventListener('input', (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { state.q = event.target.value.trim(); changed(); }, 80);
    });
    for (const radio of document.querySelectorAll('input[name=metric]')) {
      radio.checked = radio.value === state.metric;
      radio.addEventListener('change', () => { state.metric = radio.value; state.sort = ''; state.dir = 'desc'; drawKinds(); changed(); });
    }
    byId('group').value = state.group;
    byId('group').addEventListener('change', (event) => { state.group = event.target.value; state.row = ''; state.sort = ''; state.dir = 'desc'; changed(); });
    byId('head').addEventListener('click', (event) => {
      const id = event.target.dataset.sort;
      if (!id) return;
      const same = (state.sort || state.metric) === id;
      const textual = !columns.find((column) => column.id === id).number;
      state.dir = same ? (state.dir === 'asc' ? 'desc' : 'asc') : (textual ? 'asc' : 'desc');
      state.sort = id;
      order();
      byId('scroll').scrollTop = 0;
      drawTable();
      remember();
      document.querySelector(`[data-sort="${id}"]`).focus();
    });
    const pick = (event) => { const tr = event.target.closest('tr[data-at]'); if (tr) select(rows[Number(tr.dataset.at)].key); };
    byId('body').addEventListener('click', pick);
    byId('body').addEventListener('keydown', (event) => {
      const tr = event.target.closest('tr[data-at]');
      if (!tr) return;
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        const at = tr.dataset.at;
        pick(event);
        document.querySelector(`tr[data-at="${at}"]`)?.focus();
      }
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        const next = Number(tr.dataset.at) + (event.key === 'ArrowDown' ? 1 : -1);
        const other = document.querySelector(`tr[data-at="${next}"]`);
        if (other) { other.focus(); other.scrollIntoView({ block: 'nearest' }); }
      }
    });
    let drawing = false;
    byId('scroll').addEventListener('scroll', () => {
      if (drawing) return;
      drawing = true;
      requestAnimationFrame(() => { drawing = false; const at = document.activeElement?.dataset?.at; drawRows(); if (at) document.querySelector(`tr[data-at="${at}"]`)?.focus({ preventScroll: true }); });
    });
    const flame = byId('flame');
    flame.addEventListener('click', (event) => { if (event.target.node) zoom(event.target.node); });
    flame.addEventListener('mouseover', (event) => { if (event.target.node) tell(event.target.node); });
    flame.addEventListener('focusin', (event) => { if (event.target.node) { current = event.target.node; tell(current); } });
    flame.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') zoom(root);
      else if (event.key === 'Enter' || event.key === ' ') zoom(current);
      else if (event.key.startsWith('Arrow')) {
        const next = move(event.key);
        if (next?.drawn?.isConnected) current = next;
      } else return;
      event.preventDefault();
      current.drawn?.focus();
    });
    byId('reset').addEventListener('click', () => zoom(root));
    byId('blame').checked = state.blame;
    byId('blame-label').hidden = callers.length === 0;
    byId('blame').addEventListener('change', (event) => { state.blame = event.target.checked; state.zoom = ''; plantTree(); changed(); });
    byId('theme').addEventListener('click', () => {
      state.theme = applyTheme() ? 'light' : 'dark';
      try { localStorage.setItem('ducktrack-theme', state.theme); } catch { /* not kept, then */ }
      applyTheme();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === '/' && !/^(INPUT|SELECT)$/.test(document.activeElement?.tagName || '')) { event.preventDefault(); byId('search').focus(); }
    });
    let resizing = 0;
    addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(() => { drawFlame(); drawRows(); }, 100); });
  }

  applyTheme();
  byId('search').value = state.q;
  plantTree();
  listen();
  drawKinds();
  changed();
  if (state.row) { const at = rows.findIndex((row) => row.key === state.row); if (at > 20) { byId('scroll').scrollTop = at * ROW - 120; drawRows(); } }
  document.documentElement.dataset.ready = 'true';
})();
