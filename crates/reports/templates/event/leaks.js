// Leak candidates, each with its score, growth, maker and holder path.

const factLine = (name, text) => {
  const row = element('p');
  row.append(element('span', 'small', name + '  '), element('span', '', text));
  return row;
};
const levelName = (level) => level < 2 ? String(level) : 2 ** (level - 1) + '-' + (2 ** level - 1);
byId('method').textContent = data.method;
byId('list').replaceChildren(...data.candidates.map((row, at) => {
  const box = element('div', 'panel path');
  box.append(element('h3', '', (at + 1) + '. ' + (row.source ? row.source + ' \u2192 ' : '') + row.target + '  (score ' + row.score.toFixed(0) + (row.score >= data.alarmFrom ? ', alarm' : '') + ')'));
  box.append(factLine('live', bytes(row.bytes) + ' in ' + objects(row.objects) + (row.retained === null ? '' : ', retaining ' + bytes(row.retained) + ' (' + share(row.retained, data.liveBytes) + ')')));
  box.append(factLine('made at', (row.made ?? 'not known') + (row.caller ? ' for ' + row.caller : '')));
  box.append(factLine('grows', 'by ' + row.objectsPerCollection.toFixed(1) + ' objects and ' + bytes(Math.round(row.bytesPerCollection)) + ' per collection; ages ' + row.youngest + ' to ' + row.oldest + '; its site: ' + row.growth));
  box.append(factLine('unused', row.unusedFor === null ? 'not recorded (staleness=on)' : 'half of them for at least ' + row.unusedFor + ' collections' + (row.unusedSinceMicros === null ? '' : ' (since about ' + (row.unusedSinceMicros / 1e6).toFixed(1) + ' s after the start)') + '; objects by collections since their last use: ' + row.staleness.map((count, level) => [count, level]).filter(([count]) => count).map(([count, level]) => levelName(level) + ': ' + grouped(count)).join(', ')));
  box.append(factLine('score', 'growth ' + row.parts.growth + ', staleness ' + (row.parts.staleness ?? 'not known') + ', age ' + row.parts.age + ', retained ' + row.parts.retained));
  if (row.root) {
    const list = element('ol');
    list.append(element('li', '', row.root.name));
    row.path.forEach((step, at) => {
      const item = element('li');
      const by = step.by === null || at === 0 ? '' : /^[[<]/.test(step.by) ? step.by + ' ' : '.' + step.by + ' ';
      item.append(element('code', '', by + step.type), element('span', 'small', (step.count > 1 ? '  ' + objects(step.count) : '') + '  age ' + step.age + unusedText(step) + (step.made ? '  made at ' + label(step.made) : '')));
      list.append(item);
    });
    box.append(list);
  }
  return box;
}));
document.documentElement.dataset.ready = 'true';
