// Numbers with their units; `chosen.metric` says whether amounts are objects or bytes.

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
// Pixels for a number of this length.
const fitting = (longest) => Math.max(95, Math.ceil(longest.length * 8.1) + 24);
const packageOf = (name) => name.slice(0, Math.max(0, name.lastIndexOf('.')));
const simple = (name) => name.slice(name.lastIndexOf('.') + 1);
const amount = (thing) => chosen.metric === 'count' ? thing.count : thing.bytes;
const shown = (n) => chosen.metric === 'count' ? objects(n) : bytes(n);
const short = (n) => chosen.metric === 'count' ? shortObjects(n) : shortBytes(n);
