'use strict';
// What is wrong with pages in a frame of 480 px, and with those of their own frames: what is wider than the frame, headers that no key reaches, names that
// are longer than their place, tables whose names are out of sight.
const wait = (millis) => new Promise((done) => setTimeout(done, millis));
async function until(holds) {
  for (let tries = 0; tries < 800 && !holds(); tries++) await wait(10);
}
async function ready(view) {
  await until(() => view.document.documentElement?.dataset.ready === 'true' || !view.document.querySelector('script'));
}
function look(view) {
  const root = view.document.documentElement, width = view.innerWidth;
  const hides = (one) => { for (let at = one.parentElement; at; at = at.parentElement) if (view.getComputedStyle(at).overflowX !== 'visible') return true; return false; };
  const all = root.scrollWidth > width ? [...view.document.body.querySelectorAll('*')] : [];
  const wide = all.filter((one) => one.getBoundingClientRect().right > width + 1 && !hides(one)).map((one) => one.tagName + '.' + one.className + '#' + one.id);
  const headers = [...view.document.querySelectorAll('#table thead button')];
  const overlong = [...view.document.querySelectorAll('td.code')].filter((one) => one.scrollWidth > one.clientWidth + 12).map((one) => one.textContent);
  if (root.scrollWidth > width && !wide.length) wide.push('the page: ' + root.scrollWidth);
  const name = view.document.querySelector('#table thead [data-sort=name]');
  const nameless = Boolean(name) && name.getBoundingClientRect().left > width - 200;
  return { title: view.document.title, nameless, wide: wide.slice(0, 5), unreachable: headers.filter((one) => one.tabIndex < 0).length, overlong: overlong.slice(0, 3) };
}
async function resized(view) {
  view.dispatchEvent(new view.Event('resize'));
  // Pages draw a moment after that.
  await wait(150);
  return look(view);
}
async function lookAt(name, page) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'width:480px;height:1000px;border:0';
  const loaded = new Promise((done) => frame.addEventListener('load', done, { once: true }));
  frame.srcdoc = page;
  document.body.append(frame);
  await loaded;
  const view = frame.contentWindow, out = [];
  await ready(view);
  // As a page of its own it has its headline, too.
  delete view.document.documentElement.dataset.embedded;
  out.push({ page: name, ...await resized(view) });
  for (const tab of [...view.document.querySelectorAll('[role=tab]')].map((one) => one.textContent)) {
    [...view.document.querySelectorAll('[role=tab]')].find((one) => one.textContent === tab).click();
    const shown = () => view.document.documentElement.dataset.shown && [...view.document.querySelectorAll('iframe')].find((one) => !one.hidden && one.contentDocument?.querySelector('script'));
    await until(shown);
    await ready(shown().contentWindow);
    out.push({ page: name + ' ' + tab, ...await resized(shown().contentWindow) });
  }
  frame.remove();
  return out;
}
(async () => {
  const out = [];
  try {
    for (const [name, page] of JSON.parse(document.getElementById('data').textContent)) out.push(...await lookAt(name, page));
  } catch (error) { out.push({ error: String(error) }); }
  document.getElementById('result').textContent = JSON.stringify(out);
  document.documentElement.dataset.ready = 'true';
})();
