'use strict';
{
  // nodes: [parent or -1, name, bytes before, bytes after, objects before, objects after]; a parent stands before its children.
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const STEP = 24;
  // The width of a letter in a box.
  const LETTER = 7.25;
  if (embedded) listenToParent((order) => { if (order.theme) document.documentElement.style.colorScheme = order.theme; });
  const numbers = new Intl.NumberFormat('en-US');
  const nodes = data.nodes.map(([parent, name, ...values], at) => ({ at, parent, name: data.strings[name], values, children: [], depth: 0, size: 0, hit: true }));
  for (const node of nodes) if (node.parent >= 0) { const above = nodes[node.parent]; above.children.push(node); node.depth = above.depth + 1; }
  let measure = 0, focus = nodes[0], query = '', onlyChanged = false;
  const before = (node) => node.values[2 * measure];
  const after = (node) => node.values[2 * measure + 1];
  const moved = (node) => Math.abs(after(node) - before(node));
  // As wide as the larger run, or as what lies in it: what vanished keeps its place.
  function weigh() {
    for (let at = nodes.length - 1; at >= 0; at--) {
      const node = nodes[at];
      const own = onlyChanged && !node.children.length ? moved(node) : Math.max(before(node), after(node));
      const below = node.children.reduce((sum, child) => sum + child.size, 0);
      node.size = node.children.length ? (onlyChanged ? below : Math.max(below, own)) : own;
      node.hit = !query || node.name.toLowerCase().includes(query) || node.children.some((child) => child.hit);
      node.children.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
    }
  }
  const kind = (node) => {
    const [old, now] = [before(node), after(node)];
    if (old === now) return 'same';
    if (now === 0) return 'gone';
    if (old === 0) return 'new';
    return now > old ? 'grown' : 'shrunk';
  };
  const unit = () => measure ? ' obj' : ' B';
  const signed = (n) => (n > 0 ? '+' : '') + numbers.format(n) + unit();
  function describe(node) {
    const [old, now] = [before(node), after(node)];
    const ratio = old > 0 ? ', ' + (100 * (now - old) / old).toFixed(1) + ' %' : '';
    return numbers.format(old) + unit() + ' before, ' + numbers.format(now) + unit() + ' after: ' + signed(now - old) + (old > 0 && now === 0 ? ', vanished' : old === 0 && now > 0 ? ', new' : ratio);
  }
  const pathOf = (node) => { const path = []; for (let at = node; at; at = nodes[at.parent]) path.unshift(at.name); return path.join(' > '); };
  const tell = (node) => { byId('told').textContent = pathOf(node) + ': ' + describe(node); };
  function shortName(name) {
    const method = name.lastIndexOf('.');
    const cls = method < 0 ? -1 : name.lastIndexOf('.', method - 1);
    return name.slice(cls + 1);
  }
  function box(node, left, width) {
    const div = document.createElement('div');
    div.textContent = width > 24 ? cutName(shortName(node.name), Math.floor((width - 10) / LETTER)) : '';
    div.node = node;
    div.className = kind(node) + (width < 12 ? ' tiny' : '') + (node.hit ? '' : ' dim');
    div.style.cssText = `left:${left.toFixed(1)}px;width:${width.toFixed(1)}px;top:${node.depth * STEP}px`;
    div.style.setProperty('--much', Math.min(1, moved(node) / Math.max(before(node), after(node), 1)).toFixed(2));
    div.setAttribute('role', 'treeitem');
    div.setAttribute('aria-label', node.name + ', ' + describe(node));
    div.tabIndex = 0;
    return div;
  }
  function draw() {
    const flame = byId('flame');
    const width = flame.clientWidth || 1200;
    const part = document.createDocumentFragment();
    let deepest = focus.depth;
    for (let at = nodes[focus.parent]; at; at = nodes[at.parent]) part.append(box(at, 0, width));
    const place = (node, left, size) => {
      if (size < 1.5) return;
      deepest = Math.max(deepest, node.depth);
      part.append(box(node, left, size));
      let x = left;
      for (const child of node.children) {
        const own = node.size > 0 ? size * child.size / node.size : 0;
        place(child, x, own);
        x += own;
      }
    };
    place(focus, 0, width);
    flame.style.height = (deepest + 1) * STEP + 'px';
    flame.replaceChildren(part);
    byId('reset').disabled = focus === nodes[0];
  }
  const again = () => { weigh(); draw(); };
  const zoom = (node) => { focus = node; draw(); tell(node); };
  byId('flame').addEventListener('click', (event) => { if (event.target.node) zoom(event.target.node); });
  for (const when of ['mouseover', 'focusin']) byId('flame').addEventListener(when, (event) => { if (event.target.node) tell(event.target.node); });
  byId('flame').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.node) zoom(event.target.node);
    if (event.key === 'Escape') zoom(nodes[0]);
  });
  byId('reset').addEventListener('click', () => zoom(nodes[0]));
  byId('search').addEventListener('input', (event) => { query = event.target.value.trim().toLowerCase(); again(); });
  byId('measure').addEventListener('change', (event) => { measure = Number(event.target.value); again(); });
  byId('changed').addEventListener('change', (event) => { onlyChanged = event.target.checked; again(); });
  addEventListener('resize', draw);
  again();
  document.documentElement.dataset.ready = 'true';
}
