// Search: words that must all be there; `field:word` looks in one field, `-word` must not be there.

function parse(query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const not = word.length > 1 && word.startsWith('-');
    const bare = not ? word.slice(1) : word;
    const named = /^(kind|type|class|method|package|caller|thread):(.+)$/.exec(bare);
    return named ? { not, field: named[1], word: named[2] } : { not, field: '', word: bare };
  });
}
const inPackage = (name, word) => name === word || name.startsWith(word + '.');
const fields = {
  '': (cell, word) => haystack(cell).includes(word),
  kind: (cell, word) => cell.site.kind.toLowerCase() === word,
  type: (cell, word) => cell.type.toLowerCase() === word || simple(cell.type).toLowerCase() === word,
  class: (cell, word) => cell.site.at.cls.toLowerCase().includes(word),
  method: (cell, word) => cell.site.at.method.toLowerCase().includes(word),
  package: (cell, word) => inPackage(packageOf(cell.site.at.cls).toLowerCase(), word)
    || (cell.caller !== null && inPackage(packageOf(cell.caller.at.cls).toLowerCase(), word)),
  caller: (cell, word) => cell.caller !== null && cell.caller.at.label.toLowerCase().includes(word),
  thread: (cell, word) => cell.site.threads.some(([name]) => text[name].toLowerCase().includes(word)),
};
function haystack(cell) {
  if (cell.hay === null) {
    const caller = cell.caller ? ' ' + cell.caller.at.label + ' ' + cell.caller.target : '';
    cell.hay = (cell.site.at.label + ' ' + cell.site.at.descriptor + ' ' + cell.type + ' ' + cell.site.kind + caller).toLowerCase();
  }
  return cell.hay;
}
function search() {
  const terms = parse(state.q);
  searchStacks(terms);
  for (const cell of cells) cell.hit = terms.every((term) => fields[term.field](cell, term.word) !== term.not);
}
