// Elements, numbers, and tables of which only the rows on screen are drawn.

const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en-US');
const grouped = (n) => numbers.format(n);
const element = (name, className, content) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  return made;
};
function stored(key) { try { return localStorage.getItem(key); } catch { return null; } }
// A row as high as all those that are not drawn.
function emptyRow(height, columns) {
  const tr = element('tr', 'pad'), td = element('td');
  tr.setAttribute('aria-hidden', 'true');
  td.colSpan = columns;
  td.style.height = height + 'px';
  tr.append(td);
  return tr;
}
// `height`: of one row. `draw`: makes a row.
function drawRowsOnScreen(scroll, body, { rows, height, columns, draw }) {
  const first = Math.max(0, Math.floor(scroll.scrollTop / height) - 8);
  // Before its first rows the element is flat; then as high as its style lets it be.
  const room = Math.max(scroll.clientHeight, Math.min(0.68 * innerHeight, 900));
  const last = Math.min(rows.length, first + Math.ceil(room / height) + 16);
  const part = document.createDocumentFragment();
  part.append(emptyRow(first * height, columns));
  for (let at = first; at < last; at++) part.append(draw(rows[at], at));
  part.append(emptyRow((rows.length - last) * height, columns));
  body.replaceChildren(part);
  fitNames(body.querySelectorAll('td.code'));
}
