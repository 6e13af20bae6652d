// What the page carries, unpacked: `sites`, `callers`, and `cells`, the smallest parts that numbers are known for.

const data = JSON.parse(document.getElementById('data').textContent);
const text = data.strings;

const place = ([cls, method, descriptor, bci, line, file]) => {
  const at = { cls: text[cls], method: text[method], descriptor: text[descriptor], bci };
  at.source = line < 0 ? '@' + bci : (file < 0 ? 'line ' + line : text[file] + ':' + line);
  at.frame = at.cls + '.' + at.method + (line < 0 ? '' : ':' + line);
  at.label = at.cls + '.' + at.method + '(' + at.source + ')';
  at.short = simple(at.cls) + '.' + at.method + (line < 0 ? '' : ':') + (line < 0 ? at.source : line);
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
