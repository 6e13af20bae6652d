// The run over time: what collections left alive, with marks. A stretch and a collection can be chosen.

const STRIP = 74, FOOT = 15;
const strip = { from: null };
const spanOf = () => Math.max(1, run.endMicros);
const stripX = (micros, width) => width * Math.min(1, Math.max(0, micros / spanOf()));
const collectionAt = (micros) => run.collections.reduce((best, one) => !best || Math.abs(one.micros - micros) < Math.abs(best.micros - micros) ? one : best, null);
const chosenCollection = () => run.collections.find((one) => String(one.number) === chosen.at) || null;
const inStretch = (one) => (!chosen.from || one.micros >= Number(chosen.from)) && (!chosen.to || one.micros <= Number(chosen.to));

function drawStrip() {
  byId('strip-part').hidden = !run.collections.length;
  const host = byId('strip'), width = Math.max(240, host.clientWidth - 2), base = STRIP - FOOT;
  if (!run.collections.length) return;
  const root = svg('svg', { viewBox: `0 0 ${width} ${STRIP}`, height: STRIP, role: 'img', 'aria-label': 'bytes after each collection' });
  const top = Math.max(1, ...run.collections.map((one) => one.bytes)), x = (one) => stripX(one.micros, width), y = (one) => 4 + (base - 4) * (1 - one.bytes / top);
  const points = run.collections.map((one) => `${x(one).toFixed(1)} ${y(one).toFixed(1)}`);
  root.append(svg('path', { class: 'live-area', d: `M${x(run.collections[0]).toFixed(1)} ${base}L${points.join('L')}L${x(run.collections.at(-1)).toFixed(1)} ${base}Z` }), svg('path', { class: 'live-line', d: `M${points.join('L')}` }));
  if (chosen.from) root.append(svg('rect', { class: 'shade', x: stripX(Number(chosen.from), width), width: Math.max(1, stripX(Number(chosen.to), width) - stripX(Number(chosen.from), width)), y: 0, height: base }));
  for (const mark of run.marks) {
    const at = stripX(mark.micros, width), right = at > width - 90;
    root.append(svg('line', { class: 'mark', x1: at, x2: at, y1: 0, y2: base }), svg('text', { x: right ? at - 4 : at + 4, y: 12, 'text-anchor': right ? 'end' : 'start' }, cutName(mark.name, 18)));
  }
  const one = chosenCollection();
  if (one) root.append(svg('line', { class: 'at', x1: x(one), x2: x(one), y1: 0, y2: base }));
  for (const part of [0, 0.25, 0.5, 0.75, 1]) root.append(svg('text', { x: 2 + (width - 4) * part, y: STRIP - 3, 'text-anchor': part === 0 ? 'start' : part === 1 ? 'end' : 'middle' }, time(spanOf() * part)));
  host.replaceChildren(root);
  tellChosen();
}
function tellChosen() {
  const one = chosenCollection(), steps = [], parts = [];
  if (chosen.from) {
    const within = run.collections.filter(inStretch);
    parts.push(`from ${time(Number(chosen.from))} to ${time(Number(chosen.to))}: ${grouped(within.length)} collection${within.length === 1 ? '' : 's'}`);
    for (const id of ['timeline', 'leaks']) if (hasTab(id)) steps.push(button(tabName(id) + ' of it', () => openTab(id)));
  }
  if (one) {
    parts.push(`collection ${grouped(one.number)} (${one.kind}) at ${time(one.micros)}: ${shortBytes(one.bytes)} afterwards`);
    if (hasTab('heap')) steps.push(button('Its heap', () => openTab('heap')));
  }
  if (!parts.length) parts.push('Bytes after each collection. Click one for its heap, drag for a stretch of time.');
  else steps.push(button('Whole run', () => { choose({ from: '', to: '', at: '' }); choiceChanged(); }));
  byId('chosen').textContent = parts.join('; ');
  byId('steps').replaceChildren(...steps);
}
function choiceChanged() {
  drawStrip();
  if (['timeline', 'leaks', 'heap', 'stale'].includes(chosen.tab)) openTab(chosen.tab);
}
function chooseCollection(one) {
  if (!one) return;
  choose({ at: String(one.number) });
  drawStrip();
}
function chooseStretch(from, to) {
  const [a, b] = [from, to].sort((p, q) => p - q).map(Math.round);
  const last = run.collections.filter((one) => one.micros >= a && one.micros <= b).at(-1);
  choose({ from: String(Math.max(0, a)), to: String(Math.min(spanOf(), b)), at: last ? String(last.number) : '' });
  choiceChanged();
}
function listenToStrip() {
  const host = byId('strip');
  const microsAt = (event) => { const box = host.getBoundingClientRect(); return spanOf() * (event.clientX - box.left) / box.width; };
  host.addEventListener('pointerdown', (event) => { if (event.button === 0) { strip.from = microsAt(event); host.setPointerCapture?.(event.pointerId); } });
  host.addEventListener('pointermove', (event) => {
    if (strip.from === null) return;
    const [a, b] = [strip.from, microsAt(event)].sort((p, q) => p - q);
    if (b - a > spanOf() / 150) { choose({ from: String(Math.round(Math.max(0, a))), to: String(Math.round(Math.min(spanOf(), b))) }); drawStrip(); }
  });
  host.addEventListener('pointerup', (event) => {
    if (strip.from === null) return;
    const from = strip.from, to = microsAt(event);
    strip.from = null;
    if (Math.abs(to - from) > spanOf() / 150) { chooseStretch(from, to); return; }
    chooseCollection(collectionAt(to));
    if (hasTab('heap')) openTab('heap');
  });
  host.addEventListener('dblclick', () => { choose({ from: '', to: '', at: '' }); choiceChanged(); });
  host.addEventListener('keydown', (event) => {
    const at = run.collections.findIndex((one) => String(one.number) === chosen.at);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const next = run.collections[at < 0 ? (step > 0 ? 0 : run.collections.length - 1) : Math.max(0, Math.min(run.collections.length - 1, at + step))];
      if (event.shiftKey && at >= 0) { const start = strip.anchor ??= run.collections[at]; const [a, b] = [start, next].sort((p, q) => p.micros - q.micros); choose({ from: String(a.micros), to: String(b.micros), at: String(next.number) }); drawStrip(); } else { strip.anchor = null; chooseCollection(next); }
    } else if (event.key === 'Enter') choiceChanged.call(null, chosen.from || !hasTab('heap') ? null : openTab('heap'));
    else if (event.key === 'Escape') { strip.anchor = null; choose({ from: '', to: '', at: '' }); choiceChanged(); } else return;
    event.preventDefault();
  });
}
