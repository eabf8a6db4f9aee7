// The models behind the widgets, against what is known otherwise.
//   node widgets.js FOLDER-OF-WIDGETS ROOT MODEL
// Prints what is wrong, and how much was compared.
const fs = require('fs');
const path = require('path');

const [, , folder, root, wanted] = process.argv;
for (const name of ['fields', 'svg']) {
  require(path.resolve(folder, `${name}.js`));
}
for (const kind of ['bank-conflicts', 'online-softmax', 'pipeline']) {
  require(path.resolve(folder, `${kind}.model.js`));
  require(path.resolve(folder, `${kind}.js`));
}
const book = globalThis.bookWidgets;
let bad = 0;
let compared = 0;

function same(what, found, expected) {
  compared += 1;
  if (found === expected) return;
  bad += 1;
  if (bad < 5) console.log(`${what}: ${found} for ${expected}`);
}

function near(what, found, expected) {
  compared += 1;
  const error = Math.abs(found - expected);
  if (error <= 1e-12 * Math.max(1, Math.abs(expected))) return;
  bad += 1;
  if (bad < 5) console.log(`${what}: ${found} for ${expected}`);
}

// Numbers from 0 to 1 that are the same in every run (mulberry32).
let seed = 1;
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
function below(limit) { return Math.floor(random() * limit); }

const checks = {};

// Against Nsight Compute's counts, for the indices that patterns.cu has; its
// arithmetic is that of whole numbers, as BigInt's is.
checks['bank-conflicts'] = () => {
  const source = fs.readFileSync(path.join(root, 'tests/device/patterns.cu'),
    'utf8');
  const index = {};
  for (const [, n, expression] of
    source.matchAll(/case (\d+): return ([^;]+);/g)) {
    const whole = expression.replace(/\d+/g, '$&n');
    index[n] = Function('lane', `return Number(${whole});`);
  }
  const recorded = fs.readdirSync(path.join(root, 'results'),
    { recursive: true }).filter((name) =>
    path.basename(name) === 'shared-patterns.json').sort().pop();
  const { patterns } = JSON.parse(fs.readFileSync(
    path.join(root, 'results', recorded), 'utf8'));
  const { count, schedule } = book.bankConflictsModel;
  for (const { access, bytes, pattern, wavefronts } of patterns) {
    const addresses = Array.from({ length: 32 }, (_, lane) =>
      index[pattern](BigInt(lane)) * bytes);
    same(`${access} of ${bytes} bytes, pattern ${pattern}`,
      count(schedule(access, bytes, addresses)), wavefronts);
  }
  same('patterns', compared, 96);
};

// Against softmax at once, over the scores so far.
checks['online-softmax'] = () => {
  for (let n = 0; n < 300; n += 1) {
    const length = 1 + below(12);
    const scale = [1, 10, 100][n % 3];
    const scores = Array.from({ length }, () => (random() * 2 - 1) * scale);
    const values = Array.from({ length }, () => random() * 2 - 1);
    const tile = 1 + below(5);
    const steps = book.onlineSoftmaxModel.run(scores, values, tile);
    same('tiles', steps.length, Math.ceil(length / tile));
    let before = -Infinity;
    steps.forEach(({ m, l, o, factor, weights }, i) => {
      const known = scores.slice(0, (i + 1) * tile);
      const maximum = Math.max(...known);
      const exponentials = known.map((score) => Math.exp(score - maximum));
      const sum = exponentials.reduce((total, e) => total + e, 0);
      same('m', m, maximum);
      near('factor', factor, Math.exp(before - maximum));
      near('l', l, sum);
      near('o / l', o / l, exponentials.reduce((total, e, key) =>
        total + e * values[key], 0) / sum);
      near('weights', weights.reduce((total, w) => total + w, 0),
        exponentials.slice(i * tile).reduce((total, e) => total + e, 0));
      before = maximum;
    });
  }
};

// The end of the last tile, told tick by tick: no tile knows another's times.
function simulate({ tiles, copy, compute, slots, inTurn }) {
  const ring = Array(slots).fill(null);  // {tile, left}: of its copy
  let started = 0;
  let done = 0;
  let left = 0;  // of the computation
  for (let now = 0; ; now += 1) {
    for (let again = true; again;) {
      again = false;
      if (done < tiles && !left) {  // may start to compute
        const slot = ring[done % slots];
        if (slot && slot.tile === done && !slot.left) left = compute;
      }
      const isCopying = ring.some((slot) => slot && slot.left);
      if (started < tiles && !ring[started % slots]
          && !(inTurn && isCopying)) {
        ring[started % slots] = { tile: started, left: copy };
        started += 1;
        again = true;
      }
    }
    for (const slot of ring) if (slot && slot.left) slot.left -= 1;
    if (left) {
      left -= 1;
      if (!left) {
        ring[done % slots] = null;
        done += 1;
      }
    }
    if (done === tiles) return now + 1;
  }
}

function closedForm({ tiles, copy, compute, slots, inTurn }) {
  if (slots === 1) return tiles * (copy + compute);
  if (inTurn) return copy + compute + (tiles - 1) * Math.max(copy, compute);
  if (copy <= (slots - 1) * compute) return copy + tiles * compute;
  return Math.ceil(tiles / slots) * (copy + compute)
    + (tiles - 1) % slots * compute;
}

checks.pipeline = () => {
  const { run, total } = book.pipelineModel;
  for (let tiles = 1; tiles <= 9; tiles += 1) {
    for (let copy = 0; copy <= 12; copy += 1) {
      for (let compute = 1; compute <= 7; compute += 1) {
        for (let slots = 1; slots <= 5; slots += 1) {
          for (const inTurn of [false, true]) {
            const setting = { tiles, copy, compute, slots, inTurn };
            const found = total(run(setting));
            same(JSON.stringify(setting), found, closedForm(setting));
            same(`${JSON.stringify(setting)}, ticks`, found,
              simulate(setting));
          }
        }
      }
    }
  }
};

// Every widget draws what its inputs allow, the same each time, and nothing
// else gets through.
checks.drawing = () => {
  const { read, start } = book.fields;
  const extremes = { number: ({ min, max }) => [`${min}`, `${max}`],
    choice: ({ options }) => Object.keys(options), switch: () => ['on', 'off'],
    numbers: () => ['0', '-100 100', '1 2 3 4 5 6 7 8 9 10 11 12'] };
  const wrong = { number: ['', '1.5', '-1', '999', 'x', '1e1'],
    choice: ['', 'x'], switch: ['', 'true'],
    numbers: ['', 'x', '1 2 x', '1e3', '101',
      '1 2 3 4 5 6 7 8 9 10 11 12 13'] };
  for (const [kind, { fields, draw }] of Object.entries(book.widgets)) {
    const texts = start(fields, '');
    let all = [texts];
    for (const field of fields) {
      all = all.flatMap((old) => [old, ...extremes[field.kind](field)
        .map((text) => ({ ...old, [field.name]: text }))]);
      for (const text of wrong[field.kind]) {
        let refused = 'accepted';
        try {
          read(fields, { ...texts, [field.name]: text });
        } catch (error) {
          refused = error.field;
        }
        same(`${kind}, ${field.name} = "${text}"`, refused, field.name);
      }
    }
    for (const setting of all) {
      let drawn;
      try {
        drawn = draw(read(fields, setting));
      } catch (error) {
        same(`${kind}: ${JSON.stringify(setting)}`,
          /scores need as many values/.test(error.message), true);
        continue;
      }
      const { body, say, width, height } = drawn;
      same(`${kind}: ${JSON.stringify(setting)}`,
        /NaN|undefined|Infinity/.test(`${body}${say}${width}${height}`), false);
      same(`${kind}, again`, draw(read(fields, setting)).body, body);
    }
  }
};

checks[wanted]();
console.log(`${compared} compared, ${bad} bad`);
process.exitCode = bad ? 1 : 0;
