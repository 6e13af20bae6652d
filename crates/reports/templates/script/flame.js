// The flame graph: whole stacks; or package, class, method, site; or below the caller to blame.

const STEP = 25;
// The width of a letter in a box.
const LETTER = 7.25;
const trees = {};
let root, focus, current, deepestDrawn = 0;

function frames(cell, blame) {
  const at = cell.site.at;
  const made = cell.type + ' (' + cell.site.kind + ' @' + at.bci + ')';
  const caller = blame ? cell.caller : null;
  const top = caller ? caller.at : at;
  const names = [packageOf(top.cls) || '(unnamed package)', simple(top.cls), top.method + top.descriptor];
  if (!caller) return [...names, made + ' ' + at.source];
  return [...names, top.source + ' calls ' + caller.target, made + ' ' + at.label];
}
const parts = () => whole() ? stackRows.filter(wantedThread) : cells;
function tree(blame) {
  const key = whole() ? ['stacks', state.invert, state.thread, state.fold].join() : String(blame);
  if (trees[key]) return trees[key];
  const node = (name, parent) => ({ name, parent, depth: parent ? parent.depth + 1 : 0, count: 0, bytes: 0, below: new Map(), hitCount: 0, hitBytes: 0, hue: 0, order: null });
  const top = node('all', null);
  for (const cell of parts()) {
    const path = whole() ? stackPath(cell) : frames(cell, blame);
    let at = top;
    add(at, cell);
    for (const name of path) {
      let next = at.below.get(name);
      if (!next) {
        at.below.set(name, next = node(name, at));
        next.hue = next.depth === 1 || whole() ? hueOf(whole() ? packageOf(packageOf(name)) || name : name) : (at.hue + (hueOf(name) % 16) - 8 + 360) % 360;
      }
      add(next, cell);
      at = next;
    }
    (at.cells ||= []).push(cell);
  }
  return trees[key] = whole() && state.fold !== 'off' ? foldChains(top) : top;
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
// A method is shown without its descriptor, which the aria-label and the line below have.
const shortName = (node) => whole() ? shortFrame(node.name) : node.depth === 3 ? node.name.slice(0, node.name.lastIndexOf('(')) : node.name;
const hits = (node) => state.metric === 'count' ? node.hitCount : node.hitBytes;

function plantTree() {
  root = tree(state.blame);
  focus = root;
  if (state.zoom) for (const name of state.zoom.split('\u0001')) { const next = focus.below.get(name); if (!next) break; focus = next; }
  current = focus;
}
function drawFlame() {
  const flame = byId('flame');
  const width = flame.clientWidth || 1200;
  const part = document.createDocumentFragment();
  deepestDrawn = focus.depth;
  for (let at = focus.parent; at; at = at.parent) part.append(frame(at, 0, width, 'path'));
  const draw = (node, left, size) => {
    if (size < 1.5) return;
    deepestDrawn = Math.max(deepestDrawn, node.depth);
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
  const height = (deepestDrawn + 1) * STEP;
  // The root of a flame is at the bottom, that of an icicle at the top.
  if (state.shape === 'flame') for (const div of part.children) div.style.top = height - (div.node.depth + 1) * STEP + 'px';
  const board = element('div', 'board');
  board.style.height = height + 'px';
  board.append(part);
  flame.replaceChildren(board);
  if (state.shape === 'flame') flame.scrollTop = flame.scrollHeight;
  byId('reset').disabled = focus === root;
}
function frame(node, left, width, extra) {
  const div = element('div', extra, width > 24 ? cutName(shortName(node), Math.floor((width - 10) / LETTER)) : '');
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
  const [toParent, toChild] = state.shape === 'flame' ? ['ArrowDown', 'ArrowUp'] : ['ArrowUp', 'ArrowDown'];
  if (key === toParent) return current.parent;
  if (key === toChild) return children(current)[0];
  const beside = current.parent ? children(current.parent) : [current];
  return beside[beside.indexOf(current) + (key === 'ArrowRight' ? 1 : -1)];
}
