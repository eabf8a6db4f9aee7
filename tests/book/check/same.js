// Do the pages, the EPUB and the PDF of a book carry the same headings, captions,
// code with its line numbers, tables, figures, formulas and text? The EPUB must
// have the same blocks, and the PDF their text in the same order.
//   node same.js PAGES-FOLDER EPUB-FOLDER FILE.pdf
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { blocks } = require('./blocks.js');

const [, , pages, epub, pdf] = process.argv;
const MOST = 10;  // complaints
const NEAR = 6000;  // characters
let bad = 0;

function complain(what) {
  bad += 1;
  if (bad <= MOST) console.log(what);
}

// without white space, and KaTeX's spaces of no width
function bare(text) {
  return text.replace(/[\s\u200b]+/g, '');
}

function read(...parts) {
  return fs.readFileSync(path.join(...parts), 'utf8');
}

function all(pattern, text) {
  return [...text.matchAll(pattern)].map((match) => match[1]);
}

function show(block) {
  return block ? `${block.kind} "${block.text.slice(0, 60)}"` : 'nothing more';
}

const contents = read(pages, 'index.html').match(
  /<ol class="contents">(.*)<\/ol>\s*<nav/s)[1];
const names = [...new Set(all(/href="([^"#]+)"/g, contents))];
const spine = all(/<itemref idref="part(\d+)"/g, read(epub, 'EPUB/book.opf'));
if (spine.length !== names.length) {
  complain(`${names.length} pages, but ${spine.length} parts of the EPUB`);
}

// The other formats have no pages for whole sources, so no ways there.
function pageBlocks(name) {
  return blocks(read(pages, name).match(
    /<main[^>]*>(.*)<nav class="steps"/s)[1]
    .replace(/<nav class="kernel".*?<\/nav>/gs, ''));
}

function epubBlocks(name) {
  return blocks(read(epub, 'EPUB', name.replace('.html', '.xhtml'))
    .match(/<body>(.*)<\/body>/s)[1]);
}

const counts = {};
const book = [];
for (const name of names) {
  const expected = pageBlocks(name);
  const found = epubBlocks(name);
  for (let index = 0; ; index += 1) {
    const [one, other] = [expected[index], found[index]];
    if (!one && !other) break;
    if (!one || !other || one.kind !== other.kind || bare(one.text) !== bare(other.text)) {
      complain(`EPUB, ${name}: ${show(other)} for ${show(one)}`);
      break;
    }
    counts[one.kind] = (counts[one.kind] || 0) + 1;
  }
  book.push(...expected);
}

// The text between the heads and the feet of the pages, and where in it the
// first chapter begins, behind the contents.
const text = bare(execFileSync('pdftotext', ['-layout', '-x', '0', '-y', '60',
  '-W', '600', '-H', '724', pdf, '-'], { maxBuffer: 1 << 28 }).toString());
let position = text.indexOf(bare(book[0].text), text.indexOf('Contents') + 1);
position = text.indexOf(bare(book[0].text), position + 1);

// How a PDF's text of these is in order, is not known: the cells of a row, code
// beside code, the labels of a figure, lines with a formula. Their words are
// there.
function isLoose(index) {
  const { kind } = book[index];
  return ['cell', 'column', 'label'].includes(kind)
    || [index - 1, index + 1].some((i) => (book[i] || {}).kind === 'formula');
}

for (const [index, block] of book.entries()) {
  if (block.kind === 'formula' || block.kind === 'figure') continue;
  if (isLoose(index)) {
    const near = text.slice(Math.max(0, position - NEAR), position + NEAR);
    const lost = block.text.split(/[\s/]+/)
      .find((word) => !near.includes(bare(word)));
    if (lost) complain(`PDF: no "${lost}" of ${show(block)}`);
  } else {
    const at = text.indexOf(bare(block.text), position);
    if (at < 0 || at > position + NEAR) {
      complain(`PDF: no ${show(block)} behind `
        + `"${text.slice(position - 40, position)}"`);
    } else {
      position = at + bare(block.text).length;
    }
  }
}

console.log(Object.entries(counts).map(([kind, count]) => `${count} ${kind}s`)
  .join(', '), `${bad} bad`);
process.exitCode = bad ? 1 : 0;
