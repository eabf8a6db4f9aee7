// What built pages say of themselves to search engines and to those who link:
//   node heads.js FOLDER [SITE]
// With SITE, the address where the pages will be, each page has a canonical
// link, and a sitemap lists them all; without it, nothing names an address.
const fs = require('fs');
const path = require('path');

const [, , root, site] = process.argv;
const names = fs.readdirSync(root).filter((name) => name.endsWith('.html'));
const seen = { title: new Map(), description: new Map() };
let bad = 0;

function complain(where, what) {
  console.log(`${where}: ${what}`);
  bad += 1;
}

function all(pattern, text) {
  return [...text.matchAll(pattern)].map((match) => match[1]);
}

// The one text that a pattern finds in a head.
function only(name, what, pattern, head) {
  const found = all(pattern, head);
  if (found.length !== 1) complain(name, `${found.length} times ${what}`);
  return found[0] || '';
}

function property(name, key, head) {
  return only(name, key,
    new RegExp(`<meta property="og:${key}" content="([^"]*)">`, 'g'), head);
}

function checkOwn(name, kind, text) {
  if (seen[kind].has(text)) {
    complain(name, `the ${kind} of ${seen[kind].get(text)}`);
  }
  seen[kind].set(text, name);
}

// The size of a PNG, as its header says.
function sizeOf(file) {
  const bytes = fs.readFileSync(file);
  return bytes.toString('latin1', 1, 4) !== 'PNG' ? 'no PNG'
    : `${bytes.readUInt32BE(16)} x ${bytes.readUInt32BE(20)}`;
}

function checkPicture(name, head) {
  const file = path.join(root, property(name, 'image', head)
    .slice(site.length + 1));
  if (!fs.existsSync(file)) {
    complain(name, `no ${file}`);
    return;
  }
  const size = `${property(name, 'image:width', head)} x ${
    property(name, 'image:height', head)}`;
  if (size !== sizeOf(file)) complain(name, `${size}, not ${sizeOf(file)}`);
  if (property(name, 'image:alt', head).length < 10) complain(name, 'no alt');
}

const expected = new Map(names.map((name) => [name,
  `${site}/${name === 'index.html' ? '' : name}`]));
const pictures = fs.existsSync(path.join(root, 'ladder.png'));

for (const name of names) {
  const [head] = fs.readFileSync(path.join(root, name), 'utf8')
    .split('</head>');
  const title = only(name, 'title', /<title>([^<]*)<\/title>/g, head);
  const about = only(name, 'description',
    /<meta name="description" content="([^"]*)">/g, head);
  checkOwn(name, 'title', title);
  checkOwn(name, 'description', about);
  if (about.length < 40 || about.length > 300) {
    complain(name, `${about.length} characters of description`);
  }
  if (/[\x01<>]|\\[a-z]/.test(about)) complain(name, `markup in "${about}"`);
  if (!title.startsWith(property(name, 'title', head))) {
    complain(name, 'two titles');
  }
  if (property(name, 'description', head) !== about) {
    complain(name, 'two descriptions');
  }
  property(name, 'type', head);
  if (!site) {
    if (/canonical|og:url|og:image|href="http/.test(head)) {
      complain(name, 'names an address');
    }
    continue;
  }
  const address = only(name, 'canonical',
    /<link rel="canonical" href="([^"]*)">/g, head);
  if (address !== expected.get(name)) complain(name, `is not at ${address}`);
  if (property(name, 'url', head) !== address) complain(name, 'two addresses');
  if (pictures) checkPicture(name, head);
}

const map = path.join(root, 'sitemap.xml');
if (!site) {
  if (fs.existsSync(map)) complain('sitemap.xml', 'is there');
} else {
  const listed = all(/<url><loc>([^<]*)<\/loc><\/url>/g,
    fs.readFileSync(map, 'utf8'));
  if (listed.sort().join() !== [...expected.values()].sort().join()) {
    complain('sitemap.xml', 'does not list each page once');
  }
}
console.log(`${names.length} pages, ${bad} bad`);
process.exitCode = bad ? 1 : 0;
