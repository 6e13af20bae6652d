// The verdict, the curve of kept bytes with the line that was fitted, and each candidate with its cohorts and its chain of holders.

const perCent = (value) => (100 * value).toFixed(value >= 0.9995 ? 0 : 1) + ' %';
const longTime = (seconds) => seconds < 1.5 ? 'about a second' : seconds < 120 ? seconds.toFixed(0) + ' seconds' : seconds < 7200 ? (seconds / 60).toFixed(0) + ' minutes' : seconds < 172800 ? (seconds / 3600).toFixed(0) + ' hours' : (seconds / 86400).toFixed(0) + ' days';
const perMb = (value) => shortBytes(Math.max(0, Math.round(value))) + ' of each MB allocated';
const factLine = (name, text) => {
  const row = element('p', 'fact');
  row.append(element('span', 'small', name), element('span', '', brief(text)));
  return row;
};
// A method without a table of lines is known by its descriptor, which has no place on a page.
const brief = (text) => text.replace(/\([^()]*\):[^()\s]+(?=\(@\d+\))/g, '');
// Of a dump that the JVM did not finish.
const atLeast = data.dumpCutAt === null ? '' : 'at least ';
byId('dump-note').textContent = data.dumpNote ?? '';

// Kept bytes of a candidate at the end of each cell, with the straight line through its second half, up to where that reaches the heap's room; where the curve bends, with its bound.
function drawCurve(row) {
  const ends = [0];
  for (const cell of data.clock) ends.push(ends[ends.length - 1] + cell.bytes);
  const span = ends[ends.length - 1], base = Math.max(0, row.curve[row.curve.length - 1] - row.keptBytes);
  const kept = [base, ...row.curve], last = kept[kept.length - 1];
  // The bound is that of the objects of the first site: what rises with them keeps its proportion.
  const bound = row.verdict === 'fills' && row.level !== null && row.bytes > 0 ? base + row.keptBytes * row.level / row.bytes : null;
  const slope = bound === null && !row.slows ? row.bytesPerMb.value / 1048576 : 0, room = data.maxHeap === null ? null : Math.max(0, data.maxHeap - data.liveBytes);
  const full = room === null || !(slope > 0) ? null : span + room / slope, isNear = full !== null && full < 4 * span;
  const far = isNear ? full * 1.05 : span * 1.5;
  const top = Math.max(...kept, (isNear ? last + room : bound ?? last + slope * (far - span))) * 1.12;
  const chart = frame(byId('curve'), { height: 280, low: 0, high: far, top: top || 1, format: shortBytes, xLabel: 'allocated by the program', xFormat: shortBytes });
  const at = (x, y) => [chart.x(x), chart.y(y)];
  const name = (x, y, text) => chart.root.append(svg('text', { x: chart.x(x) - 10, y: chart.y(y) - 9, 'text-anchor': 'end', class: 'under' }, text));
  chart.plot.append(svg('path', { d: path([...ends.map((x, cell) => at(x, kept[cell])), at(span, 0), at(0, 0)]) + 'Z', class: 'rate-area' }));
  chart.plot.append(svg('path', { d: path(ends.map((x, cell) => at(x, kept[cell]))), class: 'rate-line', fill: 'none' }));
  if (bound !== null) {
    chart.plot.append(svg('path', { d: path([at(0, bound), at(far, bound)]), class: 'fitted', fill: 'none' }));
    name(far, bound, 'towards ' + shortBytes(Math.round(bound)));
  } else if (slope > 0) {
    // It starts where it is zero.
    const from = Math.max(0, span - last / slope);
    chart.plot.append(svg('path', { d: path([at(from, last + slope * (from - span)), at(far, last + slope * (far - span))]), class: 'fitted', fill: 'none' }));
  }
  if (isNear) {
    chart.plot.append(svg('circle', { cx: chart.x(full), cy: chart.y(last + room), r: 5, class: 'full' }));
    name(full, last + room, 'the heap is full');
  }
  const dashed = bound !== null ? ' Dashed: the bound to which the curve bends.' : slope > 0 ? ' Dashed: the line that was fitted' + (full === null ? '.' : isNear ? ', up to where the heap is full.' : '; the heap is full after ' + shortBytes(full - span) + ' more.') : '';
  byId('curve-note').textContent = row.target + ', with what rises with it: of what is alive at the last look, how much was there when.' + dashed;
}

// What stays of each piece of the run: the whole bar is what was made, the filled part what stays.
function cohorts(row) {
  const host = element('div', 'cohorts'), most = Math.max(1, ...row.stays.map((one) => one.born));
  row.stays.forEach((one, at) => {
    const bar = element('span', 'cohort'), kept = element('i');
    bar.style.height = Math.max(4, 46 * one.born / most) + 'px';
    kept.style.height = (one.born ? 100 * one.kept / one.born : 0) + '%';
    bar.title = 'piece ' + (at + 1) + ': ' + grouped(one.kept) + ' of ' + grouped(one.born) + ' stay';
    bar.append(kept);
    host.append(bar);
  });
  return host;
}

// From the root to what is held; the steps between those that stand out are folded.
function chain(row, steps = row.path) {
  const list = element('ol', 'chain'), standsOut = new Set(row.shown);
  list.append(element('li', 'own', row.root.name));
  let folded = null;
  steps.forEach((step, at) => {
    const item = element('li', step.own ? 'own' : '');
    const by = step.by === null || at === 0 ? '' : /^[[<]/.test(step.by) ? step.by + ' ' : '.' + step.by + ' ';
    // The field belongs to the class of the step before.
    if (by) item.append(element('code', steps[at - 1].own ? 'field' : '', by));
    const about = [step.count > 1 ? grouped(step.count) + ' objects' : '', unusedText(step).trim() + (step.staleness ? ' collections' : ''), step.made ? 'made at ' + label(step.made) : ''];
    item.append(element('code', '', step.type + (step.repeats ? ' (again and again)' : '')), element('span', 'small', about.filter(Boolean).map((text) => ', ' + text).join('')));
    if (standsOut.has(at)) {
      folded = null;
      list.append(item);
      return;
    }
    if (folded === null) {
      const holder = element('li', 'foreign'), details = element('details');
      folded = { list: element('ol'), name: element('summary', 'small') };
      details.append(folded.name, folded.list);
      holder.append(details);
      list.append(holder);
    }
    folded.list.append(item);
    const many = folded.list.children.length;
    folded.name.textContent = (many === 1 ? '1 step' : many + ' steps') + ' between';
  });
  return list;
}

// What a person would change: the field that holds the structure, and the line that adds to it.
function change(row) {
  const box = element('div', 'change');
  const line = (name, text) => {
    const fact = element('p', 'fact');
    fact.append(element('span', 'small', name), element('code', '', brief(text)));
    box.append(fact);
  };
  if (row.structure) line('structure', (row.structure.field ?? '(in no class of the program\u2019s own)') + ': what it holds retains ' + atLeast + bytes(row.structure.retained) + ' (' + share(row.structure.retained, data.liveBytes) + ')');
  const added = row.addedBy ?? row.caller ?? row.made;
  if (added) line('added by', added);
  line('to do', row.toDo);
  return box;
}

// The bytes of the leak, as the text of `ducktrack leaks` has them.
function size(row) {
  const retained = row.structure?.retained ?? row.retained, kept = row.released ? row.bytes : Math.max(row.keptBytes, row.bytes);
  const whole = retained === null ? Math.max(row.keptBytes, row.bytes) : Math.max(retained, kept);
  const part = whole > data.liveBytes ? 'dropped since' : share(whole, data.liveBytes) + ' of what is alive';
  return (retained === null ? '' : atLeast) + bytes(whole) + ' (' + part + '), with ' + grouped(row.objects) + (row.objects === 1 ? ' object' : ' objects');
}

function bend(row) {
  if (row.verdict === 'fills') return 'the curve bends (' + perCent(row.bends) + ')';
  if (row.slows) return 'the curve bends, but towards no bound';
  return row.bends >= 0.95 ? 'ever more slowly' : row.bends <= 0.05 ? 'ever faster' : 'evenly';
}

function candidate(row, at) {
  const box = element('div', 'panel path' + (at > 0 ? ' lesser' : ''));
  const title = row.alarm ? 'leaks' + (row.slows ? ', ever more slowly' : '') : row.softly ? 'fills, held by soft references only' : row.verdict === 'leaks' ? 'becomes more, too slowly for an alarm after this run' : row.reason === 'starting' ? 'becomes more while the program starts' : row.reason === 'weak table' ? 'leaks if the keys of these entries are alive' : row.reason === 'late' ? 'leaks if it goes on: it began late' : row.reason === 'few looks' ? 'leaks if it goes on as its births do' : row.reason === 'oldest gone' ? 'leaks, unless it replaces its oldest' : row.verdict === 'not known' ? 'leaks if what is in the old space is alive' : row.verdict;
  const head = element('h3');
  head.append(element('span', '', (at + 1) + '. ' + (row.source ? row.source + ' \u2192 ' : '') + row.target), element('span', 'small', title));
  box.append(head);
  box.append(change(row));
  box.append(factLine('size', size(row)));
  box.append(factLine('made at', (row.made ?? 'not known') + (row.loaders > 1 ? ' (its class from ' + row.loaders + ' loaders)' : '') + (row.caller ?? row.holderMade ? ', for ' + (row.caller ?? row.holderMade) : '')));
  box.append(factLine('rate', perMb(row.bytesPerMb.value) + ' (' + shortBytes(Math.max(0, row.bytesPerMb.low)) + ' to ' + shortBytes(Math.max(0, row.bytesPerMb.high)) + '), ' + shortBytes(Math.max(0, row.bytesPerSecond)) + ' per second of work' + (row.secondsUntilFull === null ? '' : '; alone it fills the heap in ' + longTime(row.secondsUntilFull))));
  box.append(factLine('sure', perCent(row.sure) + ' that it rises, since ' + (row.sinceMicros / 1e6).toFixed(1) + ' s after the start; ' + bend(row) + (row.released ? '; it was dropped before the run ended' : '')));
  box.append(factLine('stays', perCent(row.share.value) + ' of what is made there; ' + row.cohorts + ' of ' + row.ofCohorts + ' pieces of the run keep some. Each bar is a piece: what was made, filled as far as it stays'), cohorts(row));
  for (const [name, rows] of [['with each', row.with.filter((one) => one.each > 0)], ['also in it', row.with.filter((one) => one.each === 0)]])
    if (rows.length) box.append(factLine(name, rows.slice(0, 4).map((one) => (one.each ? grouped(one.each) + ' ' : '') + one.target + (one.made ? ' made at ' + one.made : '')).join('; ') + (rows.length > 4 ? '; and ' + (rows.length - 4) + (rows.length === 5 ? ' more site' : ' more sites') : '')));
  if (row.unusedFor !== null) box.append(factLine('unused', 'half of them for at least ' + row.unusedFor + ' collections'));
  if (row.heldOutside) box.append(factLine('held by', row.heldOutside));
  if (row.root) box.append(chain(row));
  return box;
}

function outside(row, at) {
  const box = element('div', 'panel path' + (at > 0 ? ' lesser' : ''));
  const head = element('h3');
  head.append(element('span', '', row.kind + ' made at ' + row.made), element('span', 'small', row.verdict));
  box.append(head, factLine('live', bytes(row.live.bytes) + ' in ' + grouped(row.live.count) + ' of ' + grouped(row.madeInAll.count) + ' made'));
  if (row.bytesPerMb.value > 0) box.append(factLine('rate', perMb(row.bytesPerMb.value) + ', ' + shortBytes(Math.max(0, row.bytesPerSecond)) + ' per second of work'));
  box.append(factLine('verdict', row.sentence), factLine('to do', row.toDo));
  return box;
}

// What a dump shows beside the candidates, as far as it matters.
function beside(id, rows, matters, text) {
  const shown = rows.filter(matters).slice(0, 5);
  byId(id).hidden = shown.length === 0;
  byId(id).lastElementChild.replaceChildren(...shown.map((row) => {
    const box = element('div', 'panel path lesser');
    box.append(element('p', '', text(row)), chain(row, row.steps));
    return box;
  }));
}

byId('list').replaceChildren(...data.candidates.map(candidate));
if (data.candidates.length) {
  drawCurve(data.candidates[0]);
  addEventListener('resize', () => drawCurve(data.candidates[0]));
} else byId('curve').parentElement.hidden = true;
byId('off-heap').hidden = data.offHeap.length === 0;
byId('off-heap').lastElementChild.replaceChildren(...data.offHeap.map(outside));
const isLarge = (size) => size > 0 && 100 * size >= data.liveBytes;
beside('loaders', data.loaders, (row) => row.count > 1 || isLarge(row.retained), (row) => (row.count === 1 ? '1 loader' : grouped(row.count) + ' loaders') + ' with ' + (row.classes === 1 ? '1 class' : grouped(row.classes) + ' classes') + ', retaining at least ' + bytes(row.retained) + ' (' + share(row.retained, data.liveBytes) + ')');
beside('direct', data.directMemory, (row) => isLarge(row.capacity), (row) => bytes(row.capacity) + ' outside of the heap in ' + (row.count === 1 ? '1 direct buffer' : grouped(row.count) + ' direct buffers'));
document.documentElement.dataset.ready = 'true';
