// What every page about an event trace needs: its data, numbers with units, colours, the address.

const data = JSON.parse(document.getElementById('data').textContent);
const bytes = (n) => grouped(n) + ' B';
const objects = (n) => grouped(n) + ' obj';
const scaled = (n, units, step) => {
  let at = 0;
  while (Math.abs(n) >= step * 0.99995 && at < units.length - 1) { n /= step; at++; }
  return (at === 0 || Math.abs(n) >= 100 ? n.toFixed(0) : n.toFixed(1)) + ' ' + units[at];
};
const shortBytes = (n) => scaled(n, ['B', 'kB', 'MB', 'GB', 'TB', 'PB'], 1000);
const shortObjects = (n) => scaled(n, ['obj', 'k obj', 'M obj', 'G obj', 'T obj'], 1000);
const duration = (micros) => micros < 1000 ? micros.toFixed(0) + ' us' : micros < 1e6 ? (micros / 1e3).toFixed(micros < 1e5 ? 1 : 0) + ' ms' : (micros / 1e6).toFixed(2) + ' s';
const share = (part, whole) => {
  if (!(whole > 0)) return '-';
  const p = 100 * part / whole;
  if (part < whole && p >= 99.95) return '>99.9 %';
  if (part > 0 && p < 0.05) return '<0.1 %';
  return p.toFixed(1) + ' %';
};
const unusedText = (step) => step.staleness === null ? '' : step.staleness === 0 ? '  in use' : '  unused for ' + step.staleness;
// Pixels for a number of this length.
const fitting = (longest) => Math.max(95, Math.ceil(longest.length * 8.1) + 24);
const packageOf = (name) => name.slice(0, Math.max(0, name.lastIndexOf('.')));
const simple = (name) => name.slice(name.lastIndexOf('.') + 1);
const source = (site) => site.line === null ? '@' + site.bci : (site.source_file === null ? 'line ' : site.source_file + ':') + site.line;
const label = (site) => site.class + '.' + site.method + '(' + source(site) + ')';
const shortLabel = (site) => simple(site.class) + '.' + site.method + (site.line === null ? '@' + site.bci : ':' + site.line);
const typeOf = (site) => site.type === null ? '(several types)' : site.type;

const given = new URLSearchParams(givenState());
const chosen = {};
function choice(key, fallback, allowed) {
  const value = given.get(key);
  chosen[key] = value !== null && (!allowed || allowed.includes(value)) ? value : fallback;
  return chosen[key];
}
function choose(key, value) {
  chosen[key] = value;
  try { history.replaceState(null, '', '#' + new URLSearchParams(Object.entries(chosen).filter(([, one]) => one !== ''))); } catch { /* a file viewer may forbid it */ }
}
choice('q', '');
choice('row', '');
choice('metric', data.filter.sort, ['bytes', 'count']);
const amount = (thing) => chosen.metric === 'count' ? thing.count : thing.bytes;
const shown = (n) => chosen.metric === 'count' ? objects(n) : bytes(n);
const short = (n) => chosen.metric === 'count' ? shortObjects(n) : shortBytes(n);

// Sixteen colours that stay apart in both themes; what is beyond them is grey.
const PALETTE = 16;
const colour = (at) => at >= 0 && at < PALETTE ? `var(--c${at})` : 'var(--rest)';

function radios(name, onChange) {
  for (const radio of document.querySelectorAll(`input[name=${name}]`)) {
    radio.checked = radio.value === chosen[name];
    radio.addEventListener('change', () => { choose(name, radio.value); onChange(); });
  }
}
function searchBox(onChange) {
  const box = byId('search');
  box.value = chosen.q;
  let waiting = 0;
  box.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(() => { choose('q', box.value.trim()); onChange(); }, 80); });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|SELECT)$/.test(document.activeElement?.tagName || '')) { event.preventDefault(); box.focus(); }
  });
}
// Words that must all be in the text; `-word` must not.
function matcher(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => word.length > 1 && word[0] === '-' ? [word.slice(1), false] : [word, true]);
  return (hay) => words.every(([word, wanted]) => hay.includes(word) === wanted);
}
const callOf = (caller) => caller.class === null ? '(no tracked call was under way)' : label(caller) + ' calls ' + caller.target;
const hayOf = (site) => site.hay ??= [label(site), site.descriptor, typeOf(site), site.kind, ...(site.context ?? []).map(callOf)].join(' ').toLowerCase();

const theme = given.get('theme') || stored('ducktrack-theme') || '';
function applyTheme(wanted) {
  const dark = wanted ? wanted === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  if (wanted) document.documentElement.dataset.theme = wanted;
  byId('theme').textContent = dark ? 'Light' : 'Dark';
  byId('theme').onclick = () => {
    try { localStorage.setItem('ducktrack-theme', dark ? 'light' : 'dark'); } catch { /* not kept, then */ }
    applyTheme(dark ? 'light' : 'dark');
  };
}
applyTheme(theme);
listenToParent((order) => { if (order.theme) applyTheme(order.theme); });
