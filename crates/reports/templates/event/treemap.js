// A treemap of two levels (squarified: Bruls, Huizing, van Wijk 2000): groups, and what is in them.

function squarify(items, box) {
  const out = [];
  let rest = items.filter((item) => item.value > 0).sort((a, b) => b.value - a.value);
  let { x, y, w, h } = box;
  let left = rest.reduce((sum, item) => sum + item.value, 0);
  while (rest.length && w > 0.5 && h > 0.5) {
    const short = Math.min(w, h), scale = (w * h) / left;
    const row = [];
    let sum = 0, worst = Infinity;
    for (const item of rest) {
      const next = sum + item.value, side = next * scale / short;
      const large = row.length ? row[0].value : item.value;
      const ratio = Math.max(large * scale / (side * side), side * side / (item.value * scale));
      if (row.length && ratio > worst) break;
      row.push(item);
      sum = next;
      worst = ratio;
    }
    const depth = sum * scale / short;
    let along = 0;
    for (const item of row) {
      const length = item.value / sum * short;
      out.push(w >= h ? { item, x, y: y + along, w: depth, h: length } : { item, x: x + along, y, w: length, h: depth });
      along += length;
    }
    if (w >= h) { x += depth; w -= depth; } else { y += depth; h -= depth; }
    left -= sum;
    rest = rest.slice(row.length);
  }
  return out;
}
// groups: [{ name, colour, items: [{ value, name, text, key }] }]
function treemap(host, groups, onPick) {
  const width = Math.max(320, host.clientWidth), height = 380, HEAD = 20;
  const drawn = document.createDocumentFragment();
  for (const group of groups) group.value = group.items.reduce((sum, item) => sum + Math.max(0, item.value), 0);
  for (const { item: group, x, y, w, h } of squarify(groups, { x: 0, y: 0, w: width, h: height })) {
    const outer = element('div', 'map-group');
    outer.style.cssText = `left:${x}px;top:${y}px;width:${w}px;height:${h}px;--fill:${group.colour}`;
    const headed = h > 44 && w > 70;
    if (headed) outer.append(element('p', 'map-head', group.name + '  ' + group.text(group.value)));
    const inner = { x: 0, y: headed ? HEAD : 0, w: w - 2, h: h - 2 - (headed ? HEAD : 0) };
    const items = group.items.filter((item) => item.value > 0).slice(0, 400);
    for (const cell of squarify(items, inner)) {
      if (cell.w < 1.5 || cell.h < 1.5) continue;
      const made = element('button', 'map-cell');
      if (cell.w > 54 && cell.h > 16) made.append(element('span', '', cell.item.name));
      made.type = 'button';
      made.title = cell.item.text;
      made.setAttribute('aria-label', cell.item.text);
      made.style.cssText = `left:${cell.x}px;top:${cell.y}px;width:${cell.w}px;height:${cell.h}px`;
      made.addEventListener('click', () => onPick(cell.item.key));
      outer.append(made);
    }
    drawn.append(outer);
  }
  host.style.height = height + 'px';
  host.replaceChildren(drawn);
  fitNames(host.querySelectorAll('.map-head, .map-cell span'));
}
