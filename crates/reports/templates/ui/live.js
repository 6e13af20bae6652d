// What the program allocates now, and how far the recording has come; asked for again and again while it runs.

const LOOKS = 40;
const histories = new Map();
let isPaused = false, historyOf = '';
const get = async (what) => {
  const answer = await fetch(what, { cache: 'no-store' });
  if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
  return answer.json();
};
function spark(values) {
  const root = svg('svg', { width: 90, height: 18, viewBox: '0 0 90 18', class: 'spark', 'aria-hidden': 'true' });
  const top = Math.max(1, ...values), step = 88 / Math.max(1, LOOKS - 1), first = 89 - step * (values.length - 1);
  if (values.length > 1) root.append(svg('path', { d: 'M' + values.map((value, at) => `${(first + step * at).toFixed(1)} ${(16 - 14 * value / top).toFixed(1)}`).join('L') }));
  return root;
}
function liveRow(row, isSum) {
  const values = histories.get(row.name) || [];
  values.push(chosen.sort.startsWith('objects') ? row.objectsPerSecond : row.bytesPerSecond);
  if (values.length > LOOKS) values.shift();
  histories.set(row.name, values);
  const tr = element('tr', isSum ? 'sum' : ''), name = element('td', 'code', cutName(row.name, 120)), looks = element('td');
  name.title = row.name;
  looks.append(spark(values));
  tr.append(element('td', 'n', shortBytes(row.bytesPerSecond) + '/s'), element('td', 'n', shortNumber(row.objectsPerSecond) + '/s'), element('td', 'n', shortBytes(row.bytes)), element('td', 'n', grouped(row.objects)), looks, name);
  return tr;
}
function rowsOf(live) {
  if (live.by !== 'heap') return live.by + ', totals since the start';
  const number = live.heap?.rowsOfCollection;
  return number === undefined ? 'no live heap is known: the run has no trace, no collection yet, or the trace is being read' : `sites of the objects that are not known dead after collection ${grouped(number)}; rates are how they become more or fewer`;
}
async function lookAgain() {
  if (chosen.tab !== 'live' || isPaused || document.hidden) return;
  const question = new URLSearchParams({ by: chosen.by, sort: chosen.sort, filter: byId('filter').value.trim() }).toString();
  const live = await get('live.json?' + question);
  if (historyOf !== question) { histories.clear(); historyOf = question; }
  byId('live-rows').replaceChildren(liveRow(live.total, true), ...live.rows.map((row) => liveRow(row, false)));
  const heap = live.heap, last = heap?.last;
  const heapNow = heap ? `; heap ${shortBytes(last.liveBytes ?? last.usedBytes)} after collection ${grouped(last.number)} (${last.kind}, ${last.pauseMillis.toFixed(1)} ms, ${last.secondsAgo.toFixed(0)} s ago), pauses take ${(100 * heap.pauseShare).toFixed(1)} % of the time` : '';
  byId('live-state').textContent = `pid ${live.pid} (${live.state}), ${live.seconds.toFixed(1)} s between the last two looks; ${rowsOf(live)}${heapNow}`;
  document.documentElement.dataset.looks = String(Number(document.documentElement.dataset.looks || 0) + 1);
}
async function followRun() {
  if (document.hidden || run.state !== 'running') return;
  run = await get('run.json');
  showRun();
  if (hasTab(chosen.tab) && chosen.tab !== 'live') tellCommand(chosen.tab);
}
// One after the other, with a pause in between; what fails is said and tried again.
async function again(step, pause) {
  try { await step(); } catch (error) { byId('chosen').textContent = 'no answer: ' + error.message; }
  setTimeout(again, pause, step, pause);
}
function listenToLive() {
  for (const key of ['by', 'sort']) for (const radio of document.querySelectorAll(`input[name=${key}]`)) {
    radio.checked = radio.value === chosen[key];
    radio.addEventListener('change', () => { choose({ [key]: radio.value }); lookAgain().catch(() => {}); });
  }
  byId('pause').addEventListener('click', () => { isPaused = !isPaused; byId('pause').textContent = isPaused ? 'Go on' : 'Pause'; byId('pause').setAttribute('aria-pressed', String(isPaused)); });
  again(lookAgain, 1000);
}
