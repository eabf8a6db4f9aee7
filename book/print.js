// Prints the book with Chromium:
//   node print.js CHROMIUM FOLDER [OLD-NUMBERS.json]
// In the folder print.html becomes book.pdf, and picture.svg picture.png.
// Chromium knows no page numbers in a table of contents. So the page of each
// heading is read from the PDF's outline, into pages.json, and set into
// <span data-page="ID">, and the page is printed once more. Where the numbers
// of an earlier build still hold, the first PDF is right already.
// Chromium starts at once; "go" on standard input says that the page is there,
// and its end without that that there will be none.
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const chromium = require('./chromium.js');

const [, , program, folder, earlier] = process.argv;
const out = path.join(folder, 'book.pdf');
const browser = chromium.start(program, `${out}.profile`);

async function print() {
  const { data } = await browser.ask('Page.printToPDF', {
    preferCSSPageSize: true, printBackground: true,
    generateDocumentOutline: true, generateTaggedPDF: true,
  });
  fs.writeFileSync(out, Buffer.from(data, 'base64'));
}

// [{title, page}] of all headings, in their order.
function outline() {
  const list = [];
  const add = (entries) => entries.forEach((entry) => {
    list.push({ title: entry.title, page: entry.destpageposfrom1 });
    add(entry.kids);
  });
  add(JSON.parse(execFileSync('qpdf', ['--json', '--json-key=outlines', out],
    { maxBuffer: 1 << 28 })).outlines);
  return list;
}

// Both run in the page. The page of each heading by its id, or what is wrong:
function pagesOf(headings) {
  const bare = (text) => text.replace(/\s+/g, '');
  const found = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')];
  if (found.length !== headings.length) {
    return { wrong: `${headings.length} headings of ${found.length}` };
  }
  const pages = {};
  for (const [index, heading] of found.entries()) {
    if (bare(heading.textContent) !== bare(headings[index].title)) {
      return { wrong: `"${headings[index].title}" as a heading` };
    }
    pages[heading.id] = String(headings[index].page);
  }
  const lost = [...document.querySelectorAll('[data-page]')]
    .find((place) => !pages[place.dataset.page]);
  return lost ? { wrong: `no heading ${lost.dataset.page}` } : { pages };
}

// The pages into the contents; whether that changed anything.
function fillIn(pages) {
  let changed = false;
  for (const place of document.querySelectorAll('[data-page]')) {
    const number = pages[place.dataset.page] || '';
    changed = changed || place.textContent !== number;
    place.textContent = number;
  }
  return changed;
}

// Without what differs from one run to the next: the time, and the names of
// the elements in the structure.
function normalise() {
  const text = fs.readFileSync(out, 'latin1')
    .replace(/\/(CreationDate|ModDate) \(.*?\)/g,
      (all) => ' '.repeat(all.length));
  const names = [...new Set(text.match(/\bnode\d{8}\b/g))].sort();
  const order = new Map(names.map((name, index) => [name, index + 1]));
  fs.writeFileSync(out, text.replace(/\bnode\d{8}\b/g,
    (name) => `node${String(order.get(name)).padStart(8, '0')}`), 'latin1');
  execFileSync('qpdf', ['--deterministic-id', '--object-streams=generate',
    '--replace-input', out]);
}

async function printBook() {
  await browser.open(path.join(folder, 'print.html'));
  // The page shows nothing on a screen, so no font is loaded unasked.
  await browser.evaluate(`Promise.all([...document.fonts]
    .map((font) => font.load())).then(() => true)`);
  if (earlier && fs.existsSync(earlier)) {
    await browser.call(fillIn, JSON.parse(fs.readFileSync(earlier, 'utf8')));
  }
  for (let round = 1; ; round += 1) {
    await print();
    const { wrong, pages } = await browser.call(pagesOf, outline());
    if (wrong) throw new Error(`its outline has ${wrong}`);
    fs.writeFileSync(path.join(folder, 'pages.json'), JSON.stringify(pages));
    if (!await browser.call(fillIn, pages)) break;
    if (round === 3) throw new Error('its page numbers do not settle');
  }
  normalise();
}

// The whole of a drawing, at its own size.
async function paint() {
  await browser.open(path.join(folder, 'picture.svg'));
  const [width, height] = await browser.evaluate(`['width', 'height'].map(
    (name) => document.documentElement[name].baseVal.value)`);
  const { data } = await browser.ask('Page.captureScreenshot', {
    captureBeyondViewport: true, clip: { x: 0, y: 0, width, height, scale: 1 },
  });
  fs.writeFileSync(path.join(folder, 'picture.png'),
    Buffer.from(data, 'base64'));
}

async function main() {
  await browser.tab();
  let order = '';
  for await (const chunk of process.stdin) {
    order += chunk;
    if (order.startsWith('go')) break;
  }
  if (!order) return;
  browser.hurry();
  await printBook();
  await paint();
}

main().catch((error) => {
  console.error(`The PDF cannot be printed: ${error.message}.`);
  process.exitCode = 1;
}).finally(browser.close);
