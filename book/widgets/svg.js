// Pieces of drawings, as text. Classes are those of the book's drawings: the
// page's style gives them colours for light and dark; the attributes are for
// readers without it.
(function (book) {
  'use strict';

  const PAINT = {
    bar: 'fill="#0a5c9e"',
    accent: 'fill="#b3460e" stroke="#b3460e"',
    box: 'fill="#ffffff" stroke="#1f2328"',
    empty: 'fill="none" stroke="#d0d7de"',
    grid: 'stroke="#d0d7de"',
    line: 'stroke="#1f2328"',
    whisker: 'stroke="#b3460e" stroke-width="2"',
  };
  const CLASSES = { empty: 'grid' };
  const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

  function round(value) { return String(Math.round(value * 10) / 10); }

  // anchor: start, middle or end; look: label, or tick for what is beside it.
  function text(x, y, words, { anchor = 'start', look = 'label', size = 12,
    weight } = {}) {
    const plain = String(words).replace(/[&<>]/g, (sign) => ENTITIES[sign]);
    return `<text x="${round(x)}" y="${round(y)}" class="${look}" `
      + `font-size="${size}" fill="#1f2328"`
      + (anchor === 'start' ? '' : ` text-anchor="${anchor}"`)
      + (weight ? ` font-weight="${weight}"` : '') + `>${plain}</text>`;
  }

  function rect(x, y, width, height, look, opacity = 1) {
    return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" `
      + `height="${round(height)}" class="${CLASSES[look] || look}" `
      + PAINT[look]
      + (opacity === 1 ? '' : ` fill-opacity="${opacity}"`) + '/>';
  }

  function line(x1, y1, x2, y2, look, dashes) {
    return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" `
      + `y2="${round(y2)}" class="${look}" ${PAINT[look]}`
      + (dashes ? ` stroke-dasharray="${dashes}"` : '') + '/>';
  }

  // "1, 2 and 3"
  function list(words) {
    if (words.length < 2) return words.join('');
    return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
  }

  book.svg = { line, list, rect, text };
})(globalThis.bookWidgets ??= {});
