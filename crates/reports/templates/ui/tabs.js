// Tabs: each page in a frame of its own, from the server or from this file; frames stay as they are while others are shown.

const frames = new Map();
const hasTab = (id) => run.tabs.some((tab) => tab.id === id);
const tabName = (id) => run.tabs.find((tab) => tab.id === id)?.name ?? id;

// What a tab's page depends on, beside the tab.
function questionOf(id) {
  const question = new URLSearchParams();
  if ((id === 'heap' || id === 'stale') && chosen.at) question.set('at', chosen.at);
  if (id === 'leaks' && chosen.from) { question.set('from', String(Number(chosen.from) / 1e6)); question.set('until', String(Number(chosen.to) / 1e6)); }
  return question.toString();
}
// The key of the page in this file that is nearest to the question, and what is different about it.
function heldPage(id, question) {
  const at = Number(new URLSearchParams(question).get('at'));
  const heaps = Object.keys(held).filter((key) => key.startsWith(id + '?at=')).map((key) => Number(key.split('=')[1]));
  if (!question || !heaps.length || !new URLSearchParams(question).get('at')) return { key: id, note: question ? `This file has it for the whole run; of the stretch: ` : '' };
  const nearest = heaps.reduce((best, one) => Math.abs(one - at) < Math.abs(best - at) ? one : best);
  return { key: `${id}?at=${nearest}`, note: nearest === at ? '' : `This file has the heap after collection ${grouped(nearest)}, the nearest to ${grouped(at)}; of that one: ` };
}
function commandOf(id) {
  const tab = run.tabs.find((one) => one.id === id), question = new URLSearchParams(questionOf(id));
  return tab.command + [...question].map(([key, value]) => ` --${key} ${value}`).join('');
}
// The state that a page begins with: a stretch for the timeline, what a link asked for, the theme.
function stateOf(id, asked) {
  const state = new URLSearchParams(asked || {});
  if (id === 'timeline' && chosen.from) { state.set('from', chosen.from); state.set('to', chosen.to); }
  if (document.documentElement.dataset.theme) state.set('theme', document.documentElement.dataset.theme);
  return state.toString();
}
function makeFrame(id, question, asked) {
  const frame = element('iframe');
  frame.title = tabName(id);
  frame.dataset.tab = id;
  frame.dataset.question = question;
  frame.addEventListener('load', () => { if (frames.get(id) === frame) document.documentElement.dataset.shown = id; });
  return frame;
}
// A page of this file is expanded when it is wanted.
async function heldText(key) {
  const bytes = Uint8Array.from(atob(held[key]), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
async function fillFrame(frame, id, question, asked) {
  const state = stateOf(id, asked);
  if (isServed) frame.src = `page/${id}?${question}#${state}`;
  else {
    const page = await heldText(heldPage(id, question).key);
    // The state is put where a page that has no address of its own looks for it.
    frame.srcdoc = page.replace('<html ', () => `<html data-state="${state.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}" `);
  }
  // Another may be wanted by now.
  if (frames.get(id) === frame) byId('pages').append(frame);
}
function showFrame(id, asked) {
  const question = questionOf(id), old = frames.get(id);
  const isSame = old && old.dataset.question === question && !asked && old.dataset.made === String(run.made);
  if (!isSame) {
    old?.remove();
    const frame = makeFrame(id, question, asked);
    frame.dataset.made = String(run.made);
    frames.set(id, frame);
    document.documentElement.dataset.shown = '';
    fillFrame(frame, id, question, asked).catch((error) => { byId('note').textContent = `This browser cannot show the page (${error.message}): `; byId('note').append(element('code', '', commandOf(id))); });
  } else if (id === 'timeline') frames.get(id).contentWindow?.postMessage({ ducktrack: { from: chosen.from, to: chosen.to } }, '*');
  for (const [name, frame] of frames) frame.hidden = name !== id;
}
function openTab(id, asked) {
  if (!hasTab(id)) return;
  choose({ tab: id });
  const isLive = id === 'live';
  byId('pages').hidden = isLive;
  if (byId('live')) byId('live').hidden = !isLive;
  if (!isLive) showFrame(id, asked);
  else document.documentElement.dataset.shown = 'live';
  drawTabs();
  tellCommand(id);
}
function tellCommand(id) {
  const note = byId('note'), { note: words } = isServed || id === 'live' ? { note: '' } : heldPage(id, questionOf(id));
  note.replaceChildren(words || 'In a terminal: ', element('code', '', commandOf(id)));
  const frame = frames.get(id);
  if (isServed && frame && frame.dataset.made !== String(run.made)) note.append('  ', button('There is newer data: read it', () => openTab(id, {})));
}
function drawTabs() {
  const had = document.activeElement?.getAttribute('role') === 'tab';
  byId('tabs').replaceChildren(...run.tabs.map((tab) => {
    const made = button(tab.name, () => openTab(tab.id)), isShown = tab.id === chosen.tab;
    made.setAttribute('role', 'tab');
    made.setAttribute('aria-selected', String(isShown));
    made.tabIndex = isShown ? 0 : -1;
    made.title = tab.about;
    return made;
  }));
  if (had) byId('tabs').querySelector('[aria-selected="true"]')?.focus();
}
function listenToTabs() {
  byId('tabs').addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = run.tabs.findIndex((tab) => tab.id === chosen.tab);
    openTab(run.tabs[(at + step + run.tabs.length) % run.tabs.length].id);
  });
  // Pages ask to be led on: from a collection to its heap, from a site to its stacks.
  addEventListener('message', (event) => {
    const frame = [...frames.values()].find((one) => one.contentWindow === event.source), where = event.data?.ducktrack;
    if (!frame || !where) return;
    if (where.at !== undefined) { choose({ at: String(where.at) }); drawStrip(); }
    if (where.from !== undefined) { choose({ from: String(where.from), to: String(where.to) }); drawStrip(); return; }
    if (where.tab) openTab(where.tab, where.state);
  });
}
