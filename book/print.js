// Prints a page to PDF with Chromium:
//   node print.js CHROMIUM PAGE.html OUT.pdf NUMBERS.json [OLD-NUMBERS.json]
// Chromium knows no page numbers in a table of contents. So the page of each
// heading is read from the PDF's outline and set into <span data-page="ID">, and
// the page is printed once more. Where the numbers of an earlier build still
// hold, the first PDF is right already.
// Chromium starts at once; "go" on standard input says that the page is there,
// and its end without that that there will be none.
const { execFileSync, spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');

const [, , program, page, out, numbers, earlier] = process.argv;
const profile = `${out}.profile`;
// Not in the book's folder: the path of a socket must be short.
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'book-'));

const PATIENCE = 120000;  // milliseconds

// The page is the book's own and has no script: it needs no sandbox, which
// root and many containers cannot have.
const browser = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu',
  '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions',
  `--user-data-dir=${profile}`, '--remote-debugging-pipe'],
{ detached: true, env: { ...process.env, TMPDIR: scratch },
  stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });

function removeAll() {
  [profile, scratch].forEach((folder) => fs.rmSync(folder,
    { recursive: true, force: true, maxRetries: 20 }));
}

// Chromium's helpers are a group of their own, and end together.
['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, () => {
  try { process.kill(-browser.pid, 'SIGKILL'); } catch { /* it has ended */ }
  removeAll();
  process.exit(130);
}));

const waiting = new Map();

function ended(why) {
  waiting.forEach(({ reject }) => reject(new Error(why)));
}
browser.once('error', (error) => {
  ended(error.message);
  removeAll();
});
browser.stdio[3].on('error', () => ended('Chromium does not listen'));
browser.once('exit', () => {
  ended('Chromium ended early');
  removeAll();
});

// Commands go in on descriptor 3 and answers come out on 4, as JSON, each ended
// by a zero byte.
let count = 0;
let session;
let loaded;
let rest = [];

function receive(text) {
  const message = JSON.parse(text);
  if (message.method === 'Page.loadEventFired') loaded();
  const asked = waiting.get(message.id);
  if (!asked) return;
  waiting.delete(message.id);
  if (message.error) asked.reject(new Error(message.error.message));
  else asked.resolve(message.result);
}

browser.stdio[4].on('data', (chunk) => {
  let from = 0;
  for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, from)) {
    rest.push(chunk.subarray(from, end));
    receive(Buffer.concat(rest).toString());
    rest = [];
    from = end + 1;
  }
  rest.push(chunk.subarray(from));
});

function ask(method, params = {}) {
  count += 1;
  const id = count;
  browser.stdio[3].write(
    `${JSON.stringify({ id, method, params, sessionId: session })}\0`);
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
  });
}

async function evaluate(expression) {
  const answer = await ask('Runtime.evaluate',
    { expression, awaitPromise: true, returnByValue: true });
  if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text);
  return answer.result.value;
}

function call(run, argument) {
  return evaluate(`(${run})(${JSON.stringify(argument)})`);
}

async function print() {
  const { data } = await ask('Page.printToPDF', {
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

async function main() {
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  session = (await ask('Target.attachToTarget',
    { targetId, flatten: true })).sessionId;
  await ask('Page.enable');
  let order = '';
  for await (const chunk of process.stdin) {
    order += chunk;
    if (order.startsWith('go')) break;
  }
  if (!order) return;
  setTimeout(() => ended('Chromium does not answer'), PATIENCE).unref();
  const load = new Promise((resolve) => { loaded = resolve; });
  await ask('Page.navigate', { url: pathToFileURL(path.resolve(page)).href });
  await load;
  // The page shows nothing on a screen, so no font is loaded unasked.
  await evaluate(`Promise.all([...document.fonts].map((font) => font.load()))
    .then(() => true)`);
  if (earlier && fs.existsSync(earlier)) {
    await call(fillIn, JSON.parse(fs.readFileSync(earlier, 'utf8')));
  }
  for (let round = 1; ; round += 1) {
    await print();
    const { wrong, pages } = await call(pagesOf, outline());
    if (wrong) throw new Error(`its outline has ${wrong}`);
    fs.writeFileSync(numbers, JSON.stringify(pages));
    if (!await call(fillIn, pages)) break;
    if (round === 3) throw new Error('its page numbers do not settle');
  }
  normalise();
}

main().catch((error) => {
  console.error(`The PDF cannot be printed: ${error.message}.`);
  process.exitCode = 1;
}).finally(() => {
  waiting.clear();
  session = undefined;
  // and with it the helpers that write to the profile
  ask('Browser.close').catch(() => {});
});
