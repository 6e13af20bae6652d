// A heap dump joined with its trace: the dominator tree as treemap and as tree, paths from roots, a table by site or type.

choice('group', 'site', ['site', 'type']);
const whole = () => data.total.bytes;
const madeAt = (made) => made ? 'made at ' + label(made) + (made.caller ? ' <- ' + made.caller : '') : 'maker not known';
const rowsOf = {
  site: data.sites.map((site, at) => ({ ...site, key: 's' + at, name: label(site) })),
  type: data.types.map((type, at) => ({ ...type, key: 't' + at, name: type.type })),
};
[...rowsOf.site, ...rowsOf.type].forEach((row, at) => { row.cells = data.table.rows[at]; });

// The dominator tree.
const nodes = data.dominators.map((node, at) => ({ ...node, at, parts: [] }));
const top = [];
for (const node of nodes) (node.parent === null ? top : nodes[node.parent].parts).push(node);
const byRetained = (a, b) => b.retained - a.retained;
top.sort(byRetained);
nodes.forEach((node) => node.parts.sort(byRetained));
const nodeText = (node) => node.type + (node.count > 1 ? ' x ' + grouped(node.count) : '') + ': retains ' + bytes(node.retained) + ', ' + share(node.retained, whole());
function branch(node) {
  const line = () => {
    const span = element('span');
    span.append(element('code', '', node.type), element('span', 'small', (node.count > 1 ? '  ' + objects(node.count) : '') + '  retains ' + bytes(node.retained) + ' (' + share(node.retained, whole()) + ')  ' + madeAt(node.made)));
    return span;
  };
  if (!node.parts.length) {
    const leaf = element('div', 'leaf');
    leaf.append(line());
    return leaf;
  }
  const made = element('details'), head = element('summary');
  made.id = 'node' + node.at;
  head.append(line());
  made.append(head);
  made.addEventListener('toggle', () => { if (made.open && made.childElementCount === 1) made.append(...node.parts.map(branch)); });
  return made;
}
function drawMap() {
  const groups = top.slice(0, 40).map((node, at) => {
    const items = node.parts.slice(0, 60).map((part) => ({ value: part.retained, key: node.at, name: simple(part.type), text: nodeText(node) + '; of that ' + nodeText(part) }));
    const rest = node.retained - items.reduce((sum, item) => sum + item.value, 0);
    if (rest > 0) items.push({ value: rest, key: node.at, name: node.parts.length ? 'itself and small parts' : simple(node.type), text: nodeText(node) });
    return { name: simple(node.type), colour: colour(at), text: shortBytes, items };
  });
  treemap(byId('map'), groups, (key) => {
    const found = byId('node' + key);
    if (found) { found.open = true; found.scrollIntoView({ block: 'center' }); }
  });
}

// Paths.
function drawPaths() {
  byId('paths').replaceChildren(...data.paths.map((path) => {
    const box = element('div', 'panel path');
    box.append(element('h3', '', objects(path.count) + ', retaining ' + bytes(path.retained) + ' (' + share(path.retained, whole()) + ')'));
    const list = element('ol');
    list.append(element('li', '', path.root.name));
    path.steps.forEach((step, at) => {
      const item = element('li');
      const by = step.by === null || at === 0 ? '' : step.by.startsWith('[') || step.by.startsWith('<') ? step.by + ' ' : '.' + step.by + ' ';
      item.append(element('code', '', by + step.type), element('span', 'small', (step.count > 1 ? '  ' + objects(step.count) : '') + '  age ' + step.age + unusedText(step) + (step.repeats ? ', again and again' : '') + '  ' + madeAt(step.made)));
      list.append(item);
    });
    box.append(list);
    return box;
  }));
}

const columns = [...declared({
  share: { draw: (td, row) => barCell(td, row.retained, whole()) },
  bytes: { spare: true }, objects: { spare: true }, ages: { spare: true, width: 90 },
}), nameColumn];
const table = grid(columns, {
  sort: () => 'retained',
  what: (n) => n === 1 ? chosen.group : chosen.group + 's',
  picked(row) {
    const detail = detailFor(row);
    if (!detail) return;
    detail.append(element('p', 'small', bytes(row.bytes) + ' in ' + objects(row.count) + ', retaining at least ' + bytes(row.retained)));
    if (row.context?.length) listing(detail, 'Callers to blame', row.context.map((one) => ({ ...one, name: one.caller ?? '(caller not known)' })), amount(row));
  },
});
function changed() {
  const hit = matcher(chosen.q), kept = rowsOf[chosen.group].filter((row) => hit((row.name + ' ' + (row.type ?? '')).toLowerCase()));
  byId('matched').textContent = '';
  drawMap();
  table.fill(kept);
}
drawPaths();
byId('tree').replaceChildren(...top.slice(0, 60).map(branch));
searchBox(changed);
radios('metric', changed);
byId('group').value = chosen.group;
byId('group').addEventListener('change', (event) => { choose('group', event.target.value); choose('row', ''); choose('sort', ''); changed(); });
addEventListener('resize', changed);
changed();
document.documentElement.dataset.ready = 'true';
