// Chromium behind a pipe: start(PROGRAM, PROFILE) gives an object whose
// functions say what it is to do. PROFILE is a folder that comes and goes.
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');

const PATIENCE = 300000;  // milliseconds; a loaded machine prints slowly

exports.start = function start(program, profile) {
  // Not in the book's folder: the path of a socket must be short.
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'book-'));

  function removeAll() {
    [profile, scratch].forEach((folder) => fs.rmSync(folder,
      { recursive: true, force: true, maxRetries: 20 }));
  }

  // Chromium's helpers are a group of their own, and end together. Signals are
  // seen from before it starts: none that comes early may leave it behind.
  let browser;
  ['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, () => {
    try { process.kill(-browser?.pid, 'SIGKILL'); } catch { /* it has ended */ }
    removeAll();
    process.exit(130);
  }));

  // The pages are the book's own and have no script: they need no sandbox,
  // which root and many containers cannot have.
  browser = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu',
    '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions',
    '--force-color-profile=srgb', `--user-data-dir=${profile}`,
    '--remote-debugging-pipe'],
  { detached: true, env: { ...process.env, TMPDIR: scratch },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });

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

  // Commands go in on descriptor 3 and answers come out on 4, as JSON, each
  // ended by a zero byte.
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

  // The value of an expression in the page.
  async function evaluate(expression) {
    const answer = await ask('Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails) {
      throw new Error(answer.exceptionDetails.text);
    }
    return answer.result.value;
  }

  return {
    ask,
    evaluate,
    call: (run, argument) => evaluate(`(${run})(${JSON.stringify(argument)})`),

    // A tab, to be opened once.
    async tab() {
      const { targetId } =
        await ask('Target.createTarget', { url: 'about:blank' });
      session = (await ask('Target.attachToTarget',
        { targetId, flatten: true })).sessionId;
      await ask('Page.enable');
    },

    // From now on an answer must come within PATIENCE.
    hurry() {
      setTimeout(() => ended('Chromium does not answer'), PATIENCE).unref();
    },

    async open(file) {
      const load = new Promise((resolve) => { loaded = resolve; });
      await ask('Page.navigate',
        { url: pathToFileURL(path.resolve(file)).href });
      await load;
    },

    close() {
      waiting.clear();
      session = undefined;
      // and with it the helpers that write to the profile
      ask('Browser.close').catch(() => {});
    },
  };
};
