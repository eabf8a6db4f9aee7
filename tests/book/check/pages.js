// Checks built pages without a network: node pages.js FOLDER
// Prints a line for each broken link or anchor, each id that is there twice,
// and each address outside of the folder that a page or style sheet would load.
const fs = require('fs');
const path = require('path');

const root = process.argv[2];
const names = fs.readdirSync(root).filter((name) => name.endsWith('.html'));
const text = {};
const ids = {};
let links = 0;
let bad = 0;

function complain(where, what) {
  console.log(`${where}: ${what}`);
  bad += 1;
}

function all(pattern, string) {
  return [...string.matchAll(pattern)].map((match) => match[1]);
}

for (const name of names) {
  text[name] = fs.readFileSync(path.join(root, name), 'utf8');
  ids[name] = all(/\sid="([^"]*)"/g, text[name]);
  const seen = new Set();
  for (const id of ids[name]) {
    if (seen.has(id)) complain(name, `id ${id} twice`);
    seen.add(id);
  }
}

for (const name of names) {
  for (const target of all(/<a\s[^>]*href="([^"]*)"/g, text[name])) {
    links += 1;
    if (/^https?:/.test(target)) continue;
    const [file, anchor] = target.split('#');
    const page = file || name;
    if (!fs.existsSync(path.join(root, page))) complain(name, `no ${target}`);
    else if (anchor && !ids[page].includes(anchor)) {
      complain(name, `no ${target}`);
    }
  }
  const loaded = [
    ...all(/<(?:link|use|image)\s(?!rel="canonical")[^>]*href="([^"]*)"/g,
      text[name]),
    ...all(/\ssrc(?:set)?="([^"]*)"/g, text[name]),
    ...all(/url\(['"]?([^'")]*)/g, text[name]),
  ];
  for (const target of loaded) {
    if (target.startsWith('#')) continue;
    if (/^[a-z]+:|^\/\//.test(target)) complain(name, `loads ${target}`);
    else if (!fs.existsSync(path.join(root, target))) {
      complain(name, `no ${target}`);
    }
  }
}

for (const name of ['book.css', 'katex/katex.min.css']) {
  const style = fs.readFileSync(path.join(root, name), 'utf8');
  const loaded = [
    ...all(/url\(['"]?([^'")]*)/g, style),
    ...all(/@import\s+(\S+)/g, style),
  ];
  for (const target of loaded) {
    const file = path.join(root, path.dirname(name), target);
    if (!fs.existsSync(file)) complain(name, `no ${target}`);
  }
}

console.log(`${names.length} pages, ${links} links, ${bad} bad`);
process.exitCode = bad ? 1 : 0;
