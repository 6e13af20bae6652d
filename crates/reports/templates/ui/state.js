// What is chosen, kept in the address; numbers and times.

const held = JSON.parse(byId('held').textContent);
let run = JSON.parse(byId('data').textContent);
const isServed = run.served;
const given = new URLSearchParams(location.hash.slice(1));
const chosen = { tab: given.get('tab') || run.tabs[0]?.id || '', at: given.get('at') || '', from: given.get('from') || '', to: given.get('to') || '', by: given.get('by') || 'sites', sort: given.get('sort') || 'bytes-rate' };
function choose(values) {
  Object.assign(chosen, values);
  const kept = Object.entries(chosen).filter(([, value]) => value !== '');
  try { history.replaceState(null, '', '#' + new URLSearchParams(kept)); } catch { /* a file viewer may forbid it */ }
}
const scaled = (n, units) => {
  let at = 0;
  while (Math.abs(n) >= 999.95 && at < units.length - 1) { n /= 1000; at++; }
  return (at === 0 || Math.abs(n) >= 100 ? n.toFixed(0) : n.toFixed(1)) + units[at];
};
const shortBytes = (n) => scaled(n, [' B', ' kB', ' MB', ' GB', ' TB', ' PB']);
const shortNumber = (n) => scaled(n, ['', ' k', ' M', ' G', ' T']);
const time = (micros) => (micros / 1e6).toFixed(micros < 1e8 ? 2 : 1) + ' s';
const button = (text, action) => {
  const made = element('button', '', text);
  made.type = 'button';
  made.addEventListener('click', action);
  return made;
};
const isDark = () => getComputedStyle(document.documentElement).colorScheme === 'dark' || (!document.documentElement.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
function applyTheme(wanted) {
  if (wanted) document.documentElement.dataset.theme = wanted;
  byId('theme').textContent = isDark() ? 'Light' : 'Dark';
}
