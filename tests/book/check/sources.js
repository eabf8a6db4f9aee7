// Is every line of every kernel on its page once, under its number, and does
// its link lead to a listing that shows this very line (a directive: the lines
// around it)? And do the listings of the chapters lead to their first line?
//   node sources.js TREE PAGES-FOLDER
const fs = require('fs');
const path = require('path');

const [, , tree, pages] = process.argv;
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"' };
const DIRECTIVE = /^\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b/;
const MARK = /^\s*\/\/[<>] [a-z][a-z0-9-]*\s*$/;
let bad = 0;
let links = 0;

function complain(what) {
  bad += 1;
  console.log(what);
}

function read(...parts) {
  return fs.readFileSync(path.join(...parts), 'utf8');
}

function plain(html) {
  return html.replace(/<[^>]*>/g, '')
    .replace(/&(\w+);/g, (all, name) => ENTITIES[name] || all)
    .replace(/&#(\d+);/g, (all, code) => String.fromCodePoint(code));
}

// {text, html} of each line of code in some HTML.
function linesOf(html) {
  return html.split('<span class="line').slice(1).map((part) => {
    const line = part.slice(part.indexOf('>') + 1)
      .split(/<\/code>|\n/)[0].replace(/<\/span>$/, '');
    return { id: (part.match(/^[^>]* id="(\w+)"/) || [])[1],
      number: (line.match(/data-n="(\d+)"/) || [])[1],
      href: (line.match(/<a class="n"[^>]* href="([^"]*)"/) || [])[1],
      text: plain(line) };
  });
}

const shown = {};  // page#id of a listing -> the lines that it shows
const names = fs.readdirSync(pages).filter((name) => /^\d/.test(name));
for (const name of names) {
  for (const [, id, html] of read(pages, name).matchAll(
    /<figure class="listing" id="([^"]*)">(.*?)<\/figure>/gs)) {
    shown[`${name}#${id}`] = { html, lines: linesOf(html) };
  }
}

function checkKernel(stage) {
  const page = `source-${stage.match(/^stage\d+/)[0]}.html`;
  const found = linesOf(read(pages, page));
  const wanted = read(tree, stage, 'kernel.cu').split('\n').slice(0, -1)
    .map((text, index) => ({ text, number: String(index + 1) }))
    .filter(({ text }) => !MARK.test(text));
  if (found.length !== wanted.length) {
    complain(`${page}: ${found.length} lines for ${wanted.length}`);
  }
  wanted.forEach((line, index) => {
    const { text, number, id, href } = found[index] || {};
    const where = `${page}: line ${line.number}`;
    if (text !== line.text || number !== line.number || id !== `L${number}`) {
      complain(`${where} is "${text}" with the number ${number}`);
    } else if (text.trim()) {
      const listing = shown[href];
      links += 1;
      if (!listing) {
        complain(`${where} leads to no listing`);
      } else if (!DIRECTIVE.test(text) && !listing.lines
        .some((one) => one.text.trim() === text.trim())) {
        complain(`${where} is not in ${href}`);
      }
    }
  });
}

const stages = fs.readdirSync(tree).filter((name) => /^stage\d+_/.test(name));
stages.forEach(checkKernel);

for (const [listing, { html }] of Object.entries(shown)) {
  const [, href] = html.match(/<a class="source" href="([^"]*)"/) || [];
  const [page, id] = (href || '').split('#');
  // of two columns the new one
  const first = html.slice(html.lastIndexOf('<pre')).match(/data-n="(\d+)"/)[1];
  const line = page && linesOf(read(pages, page)).find((one) => one.id === id);
  const own = line && shown[listing].lines
    .some((one) => one.text.trim() === line.text.trim());
  if (!line) complain(`${listing}: no way to its source`);
  else if (id !== `L${first}` || !own) {
    complain(`${listing}: ${href} is not its line ${first}`);
  }
}

console.log(`${stages.length} kernels, ${links} lines with a link, `
  + `${Object.keys(shown).length} listings, ${bad} bad`);
process.exitCode = bad || !stages.length ? 1 : 0;
