// Whole stacks: rows of (stack, type, thread), as a tree from the first frame of threads or from the types up.

const sampled = data.stacks;
const stackRows = sampled ? sampled.rows.map(([node, type, thread, count, size]) => ({
  node, type: text[type], thread: thread < 0 ? '(thread not known)' : text[thread], count, bytes: size, hit: true, hay: null,
})) : [];
const threadNames = [...new Set(stackRows.map((row) => row.thread))].sort();
const whole = () => sampled && state.view !== 'package';

function stackOf(row) {
  const names = [];
  for (let at = row.node; at >= 0; at = sampled.nodes[at][0]) names.push(text[sampled.frames[sampled.nodes[at][1]]]);
  names.reverse();
  names.push(row.type);
  return names;
}
const stackPath = (row) => state.invert === 'on' ? stackOf(row).reverse() : stackOf(row);
const wantedThread = (row) => !state.thread || row.thread === state.thread;
function searchStacks(terms) {
  for (const row of stackRows) {
    row.hay ??= (stackOf(row).join('\n') + '\n' + row.thread).toLowerCase();
    row.hit = terms.every((term) => row.hay.includes(term.word) !== term.not);
  }
}
// The stacks that end at a place: inverted, zoomed to it. Without stacks of it, the place is searched for.
function goToPlace(place) {
  const [type, frame] = place.split('\u0001');
  Object.assign(state, { view: '', invert: 'on', zoom: '', thread: '', q: '' });
  const types = sampled ? tree(state.blame).below : new Map();
  const found = [...types.values()].find((node) => (!type || node.name === type) && node.below.has(frame));
  if (found) { state.zoom = [found.name, frame].join('\u0001'); return; }
  state.invert = '';
  state.q = frame.replace(/:\d+$/, '');
}
const typeNames = new Set(stackRows.map((row) => row.type));
// `com.acme.Main.run:12` is shown as `Main.run:12`: the end is what tells frames apart.
function shortFrame(name) {
  if (typeNames.has(name)) return simple(name);
  if (name.startsWith('(')) return name.slice(0, name.indexOf(')') + 1);
  // A descriptor may follow.
  const end = name.indexOf('('), method = name.lastIndexOf('.', end < 0 ? name.length : end);
  const cls = method < 0 ? -1 : name.lastIndexOf('.', method - 1);
  return name.slice(cls + 1);
}
