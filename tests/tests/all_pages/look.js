'use strict';
// What is wrong with a page in a frame of 480 px, and with those of its own frames: what is wider than the frame, headers that no key reaches, names that
// are longer than their place.
const frame = document.getElementById('page');
const wait = (millis) => new Promise((done) => setTimeout(done, millis));
async function ready(view) {
  for (let tries = 0; tries < 400 && view.document.documentElement?.dataset.ready !== 'true' && view.document.querySelector('script'); tries++) await wait(10);
}
function look(view) {
  const root = view.document.documentElement, width = view.innerWidth;
  const hides = (one) => { for (let at = one.parentElement; at; at = at.parentElement) if (view.getComputedStyle(at).overflowX !== 'visible') return true; return false; };
  const all = root.scrollWidth > width ? [...view.document.body.querySelectorAll('*')] : [];
  const wide = all.filter((one) => one.getBoundingClientRect().right > width + 1 && !hides(one)).map((one) => one.tagName + '.' + one.className + '#' + one.id);
  const headers = [...view.document.querySelectorAll('#table thead button')];
  const overlong = [...view.document.querySelectorAll('td.code')].filter((one) => one.scrollWidth > one.clientWidth + 12).map((one) => one.textContent);
  if (root.scrollWidth > width && !wide.length) wide.push('the page: ' + root.scrollWidth);
  return { title: view.document.title, wide: wide.slice(0, 5), unreachable: headers.filter((one) => one.tabIndex < 0).length, overlong: overlong.slice(0, 3) };
}
frame.addEventListener('load', async () => {
  const view = frame.contentWindow, out = [];
  await ready(view);
  // As a page of its own it has its headline, too.
  delete view.document.documentElement.dataset.embedded;
  view.dispatchEvent(new view.Event('resize'));
  await wait(250);
  out.push(look(view));
  for (const name of [...view.document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)) {
    [...view.document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent === name).click();
    await wait(50);
    const inner = [...view.document.querySelectorAll('iframe')].find((one) => !one.hidden);
    await ready(inner.contentWindow);
    inner.contentWindow.dispatchEvent(new view.Event('resize'));
    await wait(200);
    out.push(look(inner.contentWindow));
  }
  document.getElementById('result').textContent = JSON.stringify(out);
  document.documentElement.dataset.ready = 'true';
}, { once: true });
frame.srcdoc = JSON.parse(document.getElementById('data').textContent);
