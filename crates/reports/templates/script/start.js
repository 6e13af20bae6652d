// Everything together: what a change draws, and what listens to whom.

function changed() {
  search();
  mark(root);
  const found = cells.reduce((sum, cell) => sum + (cell.hit ? amount(cell) : 0), 0);
  byId('matched').textContent = state.q ? 'found ' + share(found, total()) + ', ' + shown(found) : '';
  table.fill(collect());
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
  listenToStacks();
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
  addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(drawFlame, 100); });
}

function listenToStacks() {
  const replant = () => { state.zoom = ''; showStackControls(); plantTree(); changed(); };
  byId('view').value = whole() ? 'stacks' : 'package';
  byId('view').addEventListener('change', (event) => { state.view = event.target.value === 'stacks' ? '' : 'package'; replant(); });
  for (const [id, key, on] of [['invert', 'invert', 'on'], ['shape', 'shape', 'flame']]) {
    byId(id).checked = state[key] === on;
    byId(id).addEventListener('change', (event) => { state[key] = event.target.checked ? on : ''; replant(); });
  }
  byId('fold').checked = state.fold !== 'off';
  byId('fold').addEventListener('change', (event) => { state.fold = event.target.checked ? '' : 'off'; replant(); });
  const threads = byId('threads');
  for (const name of threadNames) threads.append(new Option(name, name));
  threads.value = state.thread;
  threads.addEventListener('change', (event) => { state.thread = event.target.value; replant(); });
  showStackControls();
}
function showStackControls() {
  for (const id of ['invert-label', 'fold-label', 'threads-label', 'stacks-note']) byId(id).hidden = !whole();
  byId('view-label').hidden = !sampled;
  byId('blame-label').hidden = whole() || callers.length === 0;
  byId('flame-title').textContent = whole()
    ? (state.invert === 'on' ? 'Whole stacks: types, the places that make them, their callers' : 'Whole stacks: callers contain what they call')
    : 'By package, class, method, place';
}

applyTheme();
listenToParent((order) => { if (order.theme) { state.theme = order.theme; applyTheme(); } });
if (given.get('place')) goToPlace(given.get('place'));
byId('search').value = state.q;
plantTree();
listen();
drawKinds();
changed();
document.documentElement.dataset.ready = 'true';
