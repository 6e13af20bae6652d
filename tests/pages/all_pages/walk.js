'use strict';
// From the timeline to the heap after a collection, from a site of that heap to its stacks; at last a stretch of time, drawn with the pointer.
const frame = document.createElement('iframe');
frame.style.cssText = 'width:1200px;height:1000px;border:0';
const wait = (millis) => new Promise((done) => setTimeout(done, millis));
async function until(found) {
  for (let tries = 0; tries < 600; tries++) { const one = found(); if (one) return one; await wait(10); }
  throw new Error('not found: ' + found);
}
const click = (one) => one.dispatchEvent(new one.ownerDocument.defaultView.MouseEvent('click', { bubbles: true }));
frame.addEventListener('load', async () => {
  const out = {};
  try {
    const page = frame.contentDocument;
    const shown = () => [...page.querySelectorAll('iframe')].find((one) => !one.hidden && one.contentDocument?.documentElement?.dataset.ready === 'true');
    const tab = () => page.querySelector('[role=tab][aria-selected=true]').textContent;
    await until(() => page.documentElement?.dataset.ready === 'true');
    click([...page.querySelectorAll('[role=tab]')].find((one) => one.textContent === 'Timeline'));
    const timeline = (await until(() => tab() === 'Timeline' && shown())).contentDocument;
    // The file has some heaps, the last among them.
    const row = [...timeline.querySelectorAll('tr[data-at]')].at(-1);
    out.collection = row.children[0].textContent;
    click(row);
    click(await until(() => timeline.querySelector('button.lead')));
    const heap = (await until(() => tab() === 'Heap' && shown())).contentDocument;
    out.heap = [...heap.querySelectorAll('.facts span')].map((one) => /^after collection (\d+)$/.exec(one.textContent)?.[1]).find(Boolean);
    const site = [...heap.querySelectorAll('tr[data-at]')].find((one) => one.textContent.includes('SessionStore'));
    out.site = 'ducktrack.leaks.SessionStore';
    click(site);
    click(await until(() => heap.querySelector('button.lead')));
    const report = (await until(() => tab() === 'Allocations' && shown())).contentDocument;
    out.tab = tab();
    const boxes = [...report.querySelectorAll('#flame [role=treeitem]')].map((one) => one.getAttribute('aria-label'));
    // Where no stack of the site was sampled, it is searched for.
    out.zoomed = boxes.find((label) => label.includes(out.site)) ?? report.getElementById('search').value;
    const strip = page.getElementById('strip'), box = strip.getBoundingClientRect();
    const { collections, endMicros } = JSON.parse(page.getElementById('data').textContent);
    const before = (at) => (collections[at - 1].micros + collections[at].micros) / 2 / endMicros;
    const pointer = (type, part) => strip.dispatchEvent(new page.defaultView.PointerEvent(type, { clientX: box.left + box.width * part, clientY: box.top + 20, bubbles: true }));
    // Collections 3 to 9, from right to left.
    for (const [type, at] of [['pointerdown', 10], ['pointermove', 5], ['pointerup', 3]]) pointer(type, before(at));
    out.brushed = page.getElementById('chosen').textContent;
    click([...page.querySelectorAll('#steps button')].find((one) => one.textContent === 'Timeline of it'));
    const stretch = (await until(() => tab() === 'Timeline' && shown())).contentDocument;
    await until(() => !stretch.getElementById('zoom-out').disabled);
    out.zoomedIn = true;
  } catch (error) { out.error = String(error); }
  document.getElementById('result').textContent = JSON.stringify(out);
  document.documentElement.dataset.ready = 'true';
}, { once: true });
frame.srcdoc = JSON.parse(document.getElementById('data').textContent)[0][1];
document.body.append(frame);
