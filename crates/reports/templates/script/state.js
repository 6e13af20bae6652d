// What is chosen, kept in the address so that a view can be shared.

const given = new URLSearchParams(givenState());
const state = {
  q: given.get('q') || '', metric: given.get('metric') || data.sort, group: given.get('group') || 'site',
  sort: given.get('sort') || '', dir: given.get('dir') || 'desc', row: given.get('row') || '',
  zoom: given.get('zoom') || '', blame: given.get('blame') ? given.get('blame') === 'on' : callers.length > 0,
  view: given.get('view') || '', invert: given.get('invert') || '', thread: given.get('thread') || '', shape: given.get('shape') || '', fold: given.get('fold') || '',
  theme: given.get('theme') || stored('ducktrack-theme') || '',
};
if (state.metric !== 'count') state.metric = 'bytes';
function remember() {
  const out = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (key === 'blame') { if (value !== callers.length > 0) out.set(key, value ? 'on' : 'off'); }
    else if (value && key !== 'theme') out.set(key, value);
  }
  try { history.replaceState(null, '', '#' + out); } catch { /* a file viewer may forbid it */ }
}
// As the table asks for it.
const chosen = state;
const choice = () => {};
const choose = (key, value) => { state[key] = value; remember(); };
const hueOf = (name) => { let h = 7; for (const c of name) h = (h * 31 + c.codePointAt(0)) % 3600; return h / 10; };
