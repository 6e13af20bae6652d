// What every page about an event trace needs: its data, numbers with units, colours, the address.

const data = JSON.parse(document.getElementById('data').textContent);
const unusedText = (step) => step.staleness === null ? '' : step.staleness === 0 ? '  in use' : '  unused for ' + step.staleness;
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
choice('metric', data.filter?.sort ?? 'bytes', ['bytes', 'count']);

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
