// Does the search find the terms, headings, captions and code of each page, and
// lead to places that exist?   node search.js PAGES-FOLDER [WORD...]
// A WORD must be found, and in code lead to a listing.
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const { blocks } = require('./blocks.js');

const [, , pages, ...words] = process.argv;
let bad = 0;
const counts = {};

function complain(what) {
  bad += 1;
  console.log(what);
}

function read(name) {
  return fs.readFileSync(path.join(pages, name), 'utf8');
}

vm.runInThisContext(read('search-index.js'));
const search = globalThis.bookSearch;

function plain(html) {
  return blocks(`<p>${html}</p>`).map(({ text }) => text).join(' ');
}

// kind: what is counted; the query must lead to the address.
function finds(kind, query, address) {
  counts[kind] = (counts[kind] || 0) + 1;
  const hrefs = search.find(query).map(({ href }) => href);
  if (!hrefs.includes(address)) {
    complain(`"${query}" does not lead to ${address}, but to `
      + `${hrefs.slice(0, 3).join(', ') || 'nothing'}`);
  }
}

// The page is found by these, as a reader would type them.
function checkPage(name) {
  const main = read(name).match(/<main[^>]*>(.*)<nav class="steps"/s)[1];
  for (const [, id, text] of main.matchAll(
    /<dfn id="([^"]*)">(.*?)<\/dfn>/gs)) {
    finds('term', plain(text), `${name}#${id}`);
  }
  for (const [, id, html] of main.matchAll(
    /<h2 id="([^"]*)"[^>]*>(.*?)<\/h2>/gs)) {
    if (html.includes('katex')) continue;
    const title = plain(html);
    const found = search.find(title)
      .some(({ href, title: own }) => own === title && href.startsWith(name));
    counts.heading = (counts.heading || 0) + 1;
    if (!found) complain(`${name}: "${title}" (${id}) is not found`);
  }
  for (const [, html] of main.matchAll(/<figcaption>(.*?)<\/figcaption>/gs)) {
    const label = plain(html.match(/<strong>(.*?)<\/strong>/s)[1]);
    counts.caption = (counts.caption || 0) + 1;
    if (!search.find(label).some(({ href }) => href.startsWith(`${name}#`))) {
      complain(`${name}: "${label}" is not found`);
    }
  }
}

const names = search.pages.map(([, sections]) => sections[0][0].slice(0, -1));
names.forEach(checkPage);
const ids = {};
for (const name of names) {
  ids[name] = new Set([...read(name).matchAll(/\sid="([^"]*)"/g)]
    .map((match) => match[1]));
}

for (const [, sections] of search.pages) {
  for (const [base, id, , , terms, code] of sections) {
    for (const target of [id, ...terms.map(([at]) => at),
      ...code.map(([at]) => at)]) {
      counts.place = (counts.place || 0) + 1;
      if (!ids[base.slice(0, -1)].has(target)) {
        complain(`the index leads to ${base}${target}`);
      }
    }
  }
}

for (const word of words) {
  const [first] = search.find(word);
  if (!first) complain(`"${word}" is not found`);
  else if (word.includes('_') && !/#lst-/.test(first.href)) {
    complain(`"${word}" leads to ${first.href}, no listing`);
  } else if (!first.snippet.some(([, sought]) => sought)) {
    complain(`"${word}": the snippet does not show it`);
  }
}
if (search.find('no such word anywhere zzz').length) complain('finds nothing');

console.log(Object.entries(counts).map(([kind, count]) => `${count} ${kind}s`)
  .join(', '), `${bad} bad`);
process.exitCode = bad ? 1 : 0;
