// The page as a part of `ducktrack ui`: the state that it is opened with, whom it tells, and what leads from one page to another.

const embedded = window.parent !== window;
if (embedded) document.documentElement.dataset.embedded = '';
const givenState = () => document.documentElement.dataset.state ?? location.hash.slice(1);
function lead(where) { parent.postMessage({ ducktrack: where }, '*'); }
function listenToParent(listener) {
  addEventListener('message', (event) => {
    if (embedded && event.source === window.parent && event.data?.ducktrack) listener(event.data.ducktrack);
  });
}
function leadingButton(text, where) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'lead';
  button.textContent = text;
  button.addEventListener('click', () => lead(where));
  return button;
}
