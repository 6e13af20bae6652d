// Chains of frames of which each calls hardly more than one other: those in the middle become one box, except the program's own code.

const LEAST_FOLDED = 3;
// What branches off a chain may be this part of everything; it hangs below the box.
const LEAST_SHARE = 0.005;
const ownFrames = new Set(sampled ? sampled.own.map((frame) => text[sampled.frames[frame]]) : []);

function foldChains(top) {
  const least = top.bytes * LEAST_SHARE;
  const foldBelow = (node) => { for (const child of [...node.below.values()]) foldFrom(child, least); };
  // Upside down, a place keeps its box below its type: it is looked for by its name.
  if (state.invert === 'on') for (const type of top.below.values()) foldBelow(type);
  else foldBelow(top);
  setDepths(top);
  return top;
}
function foldFrom(first, least) {
  const chain = chainFrom(first, least);
  chain.forEach((node, at) => {
    for (const child of [...node.below.values()]) if (child !== chain[at + 1]) foldFrom(child, least);
  });
  let run = [], above = first;
  chain.slice(1).forEach((node, at) => {
    if (at < chain.length - 2 && !ownFrames.has(node.name)) { run.push(node); return; }
    if (run.length >= LEAST_FOLDED) putBox(above, run, node);
    run = [];
    above = node;
  });
}
function chainFrom(first, least) {
  const chain = [first];
  for (let at = first; ;) {
    const next = [...at.below.values()].reduce((most, one) => !most || one.bytes > most.bytes ? one : most, null);
    if (!next || next.below.size === 0 || at.bytes - next.bytes >= least) return chain;
    chain.push(next);
    at = next;
  }
}
function putBox(above, run, next) {
  const [first, last] = [run[0], run[run.length - 1]];
  const name = `(${run.length} frames) ${first.name} to ${last.name}`;
  const box = { ...first, name, parent: above, below: new Map(), order: null };
  for (const node of run) {
    for (const child of node.below.values()) {
      if (run.includes(child)) continue;
      child.parent = box;
      box.below.set(box.below.has(child.name) ? child.name + '\u0002' + box.below.size : child.name, child);
    }
  }
  above.below.delete(first.name);
  above.below.set(name, box);
}
function setDepths(node) {
  for (const below of node.below.values()) { below.depth = node.depth + 1; setDepths(below); }
}
