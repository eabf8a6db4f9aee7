// The still picture of a widget, for readers without JavaScript, for the PDF
// and the EPUB: drawn by the code that draws it in the page. Reads the kind in
// a line, then the settings to begin with, as "name = value" lines.
// Writes "+" and the SVG, or "-", the number of the line and what is wrong.
const fs = require('fs');
const path = require('path');

const folder = path.join(__dirname, 'widgets');
const book = globalThis.bookWidgets = {};
const shared = ['fields.js', 'svg.js'];
const kinds = fs.readdirSync(folder).sort().flatMap((name) =>
  ([...shared, 'upgrade.js'].includes(name) ? [] : path.parse(name).name));

function load(name) { require(path.join(folder, name)); }

const [kind, ...lines] = fs.readFileSync(0, 'utf8').split('\n');
try {
  if (!kinds.includes(kind)) {
    throw Error(`there is no widget "${kind}"; there are ${kinds.join(', ')}`);
  }
  [...shared, `${kind}.js`].forEach(load);
  const { fields, draw } = book.widgets[kind];
  const texts = book.fields.start(fields, lines.join('\n'));
  const { width, height, body, isPlot } =
    draw(book.fields.read(fields, texts));
  process.stdout.write('+<svg xmlns="http://www.w3.org/2000/svg"'
    + (isPlot ? ' class="plot"' : '')
    + ` viewBox="0 0 ${width} ${height}" font-family="sans-serif">\n`
    + `${body}\n</svg>`);
} catch (error) {
  process.stdout.write(`-${error.line || 0} ${error.message}`);
}
