// What a PDF of the book must have: an outline, contents with the right pages,
// links that lead somewhere, all words within the margins, whole lines of code.
//   node pdf.js FILE.pdf PAGES-FOLDER
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const { blocks } = require('./blocks.js');

const [, , pdf, folder] = process.argv;
const MARGIN = 50;  // points; the style sheet's is 18 mm
let bad = 0;

function complain(what) {
  bad += 1;
  if (bad <= 10) console.log(what);
}

function run(program, ...words) {
  return execFileSync(program, words, { maxBuffer: 1 << 28 });
}

function single(text) {
  return text.replace(/[\s\u200b]+/g, ' ').trim();
}

// The lines of each page between its head and its foot, from page 1 on.
const pages = ['', ...run('pdftotext', '-layout', '-x', '0', '-y', '60',
  '-W', '600', '-H', '724', pdf, '-').toString().split('\f')]
  .map((text) => text.split('\n').map(single).filter((line) => line));

const outline = [];
(function add(entries, depth) {
  for (const { title, destpageposfrom1: page, kids } of entries) {
    outline.push({ title: single(title), page, depth });
    add(kids, depth + 1);
  }
}(JSON.parse(run('qpdf', '--json', '--json-key=outlines', pdf)).outlines, 1));

// A heading stands on a page as lines of its own.
function stands(title, lines) {
  return lines.some((line, index) => {
    let text = line;
    for (let next = index + 1; text.length < title.length; next += 1) {
      if (!title.startsWith(text) || next >= lines.length) return false;
      text = `${text} ${lines[next]}`;
    }
    return text === title;
  });
}

const first = outline.find(({ title }) => title === 'Contents').page;
const chapters = outline.filter(({ depth, title }) =>
  depth < 3 && title !== 'Contents');
const contents = pages.slice(first, chapters[0].page).flat()
  .map((line) => line.match(/^(.*\D) (\d+)$/)).filter((match) => match);
if (contents.length !== chapters.length || chapters.length === 0) {
  complain(`${contents.length} lines of contents, ${chapters.length} headings`);
}
contents.forEach(([, title, number], index) => {
  const { title: heading, page } = chapters[index] || {};
  if (title !== heading) complain(`contents: "${title}" for "${heading}"`);
  if (Number(number) !== page) complain(`"${title}" on ${number}, not ${page}`);
  if (!stands(title, pages[Number(number)] || [])) {
    complain(`"${title}" does not stand on page ${number}`);
  }
});

const plain = run('qpdf', '--qdf', '--object-streams=disable', pdf, '-')
  .toString('latin1');
const links = [...plain.matchAll(/\/Dest (\/\S+)/g)].map((match) => match[1]);
const [, dests] = plain.match(/\/Dests (\d+) 0 R/) || [];
const [, goals] = plain.match(
  new RegExp(`\\n${dests} 0 obj\\n<<(.*?)\\n>>\\nendobj`, 's')) || ['', ''];
for (const link of links) {
  if (!goals.includes(`\n  ${link} `)) complain(`${link} leads nowhere`);
}

let words = 0;
let page;
for (const [, size, box] of run('pdftotext', '-bbox', pdf, '-').toString()
  .matchAll(/<page ([^>]*)>|<word ([^>]*)>/g)) {
  const [a, b, c, d] = (size || box).match(/[\d.-]+(?=")/g).map(Number);
  if (size) {
    page = { width: a, height: b };
  } else {
    words += 1;
    if (a < MARGIN || c > page.width - MARGIN || b < 0 || d > page.height) {
      complain(`a word reaches from ${a} to ${c} in ${page.width}`);
    }
  }
}

// The pages of whole sources are not in it.
const sources = fs.readdirSync(folder)
  .filter((name) => name.endsWith('.html') && !name.startsWith('source-'))
  .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'));
for (const source of sources) {
  const [, text] = source.match(/<main[^>]*>(.*)<nav class="steps"/s);
  for (const [, id] of text.matchAll(
    /<a [^>]*href="(?!source-)[\w.-]*#(?!fn)([^"]*)"/g)) {
    if (!links.includes(`/${id}`)) complain(`no link to ${id}`);
  }
}

const bare = (line) => line.replace(/\s/g, '');
const shown = new Set(pages.flat().map(bare));
// Two lines of code may stand beside each other, as one of the page.
function isHalf(line) {
  return [...shown].some((all) => all.startsWith(line) || all.endsWith(line));
}
let lines = 0;
for (const source of sources) {
  const pairs = [...source.matchAll(
    /<div class="beside narrow">.*?\n<\/div>/gs)].join('');
  for (const [, code] of source.matchAll(
    /<pre class="code numbered[^>]*>(.*?)<\/pre>/gs)) {
    for (const { text: line } of blocks(code)) {
      lines += 1;
      if (!shown.has(bare(line))
        && !(pairs.includes(code) && isHalf(bare(line)))) {
        complain(`no whole line "${line}"`);
      }
    }
  }
}

console.log(`${pages.length - 2} pages, ${outline.length} headings,`,
  `${links.length} links, ${words} words, ${lines} lines of code, ${bad} bad`);
process.exitCode = bad ? 1 : 0;
