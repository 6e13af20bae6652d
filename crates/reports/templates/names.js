// Names that are longer than their place lose their middle: both ends tell names apart.

// On a narrow screen, names come right after the first number: the rest of a table is scrolled to.
function namesFirst(columns) {
  const name = columns.find((column) => column.id === 'name');
  if (!name || innerWidth >= 700) return columns;
  const [first, ...rest] = columns.filter((column) => column !== name);
  return first ? [first, name, ...rest] : columns;
}
function cutName(name, most) {
  if (name.length <= most) return name;
  if (most < 4) return '';
  const end = Math.ceil((most - 1) * 0.65);
  return name.slice(0, most - 1 - end) + '\u2026' + name.slice(-end);
}
// For elements that hide what does not fit. All is measured before anything is changed: one layout.
function fitNames(elements) {
  const measured = [...elements].map((one) => ({ one, pad: 2 * parseFloat(getComputedStyle(one).paddingLeft), room: one.clientWidth, needed: one.scrollWidth }));
  for (const { one, pad, room, needed } of measured) {
    if (needed <= room || room <= pad) continue;
    const most = Math.floor(one.textContent.length * (room - pad) / (needed - pad)), beside = one.querySelector('.package');
    one.title ||= one.textContent;
    if (!beside) { one.textContent = cutName(one.textContent, most); continue; }
    // A place with its package: the package makes room first. It stays in the page, and the title shows it.
    const place = one.firstChild.textContent;
    beside.hidden = most - place.length - 4 < beside.textContent.length;
    if (beside.hidden) one.firstChild.textContent = cutName(place, most);
  }
}
