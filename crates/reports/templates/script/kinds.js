// Ways of allocating, as a bar and a legend that searches.

function drawKinds() {
  const sums = new Map();
  let all = 0;
  for (const cell of cells) { const n = Math.max(0, amount(cell)); sums.set(cell.site.kind, (sums.get(cell.site.kind) || 0) + n); all += n; }
  const bar = document.createDocumentFragment(), legend = document.createDocumentFragment();
  const order = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  order.forEach(([kind, n], at) => {
    const hue = String((210 + at * 137.5) % 360);
    const block = element('span', 'kind-color');
    block.style.cssText = `flex:${n} 0 0;--h:${hue}`;
    block.title = kind + ' ' + share(n, all);
    bar.append(block);
    const button = element('button');
    button.type = 'button';
    const dot = element('i', 'kind-color');
    dot.style.setProperty('--h', hue);
    button.append(dot, kind + ' ' + share(n, all));
    button.addEventListener('click', () => { byId('search').value = state.q = 'kind:' + kind; changed(); });
    legend.append(button);
  });
  byId('kindbar').replaceChildren(bar);
  byId('kindlegend').replaceChildren(legend);
}
