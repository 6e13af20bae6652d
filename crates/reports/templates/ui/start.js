// Everything together.

function showRun() {
  byId('facts').replaceChildren(...[run.state === 'running' ? 'running now' : run.state, ...run.facts].map((fact) => element('span', '', fact)));
  drawStrip();
  drawTabs();
}
applyTheme(given.get('theme') || stored('ducktrack-theme'));
byId('theme').addEventListener('click', () => {
  const wanted = isDark() ? 'light' : 'dark';
  try { localStorage.setItem('ducktrack-theme', wanted); } catch { /* not kept, then */ }
  applyTheme(wanted);
  for (const frame of frames.values()) frame.contentWindow?.postMessage({ ducktrack: { theme: wanted } }, '*');
});
listenToStrip();
listenToTabs();
if (!hasTab(chosen.tab)) choose({ tab: run.tabs[0]?.id ?? '' });
showRun();
openTab(chosen.tab);
if (byId('live')) listenToLive();
if (isServed) again(followRun, 2000);
let resizing = 0;
addEventListener('resize', () => { clearTimeout(resizing); resizing = setTimeout(drawStrip, 100); });
document.documentElement.dataset.ready = 'true';
