// Softmax of a row of scores, tile by tile, and the average of values with
// these weights: what a row of the kernels does, with one value a key.
(function (book) {
  'use strict';
  const { line, rect, text } = book.svg;

  const WIDTH = 480;
  const LEFT = 4;
  const BARS = 110;  // height of the scores' part
  const WEIGHTS = 64;  // and of the weights'
  const NAMES = 18;
  const MOST = 12;

  const row = { kind: 'numbers', most: MOST, min: -100, max: 100 };
  const fields = [
    { ...row, name: 'scores', label: 'Scores', start: '1 3 2 5' },
    { ...row, name: 'values', label: 'Values', start: '1 2 3 4' },
    { name: 'tile', label: 'Keys in a tile', kind: 'number', min: 1, max: MOST,
      start: '2' },
    { name: 'seen', label: 'Tiles so far', kind: 'number', min: 0, max: MOST,
      start: '2' },
  ];

  const START = { m: -Infinity, l: 0, o: 0 };

  // One tile: m, l and o afterwards, the factor by which the old l and o
  // shrink, and the weights that the tile adds.
  function step({ m, l, o }, scores, values) {
    const maximum = Math.max(m, ...scores);
    const factor = Math.exp(m - maximum);
    const weights = scores.map((score) => Math.exp(score - maximum));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const product = weights.reduce((total, weight, i) =>
      total + weight * values[i], 0);
    return { m: maximum, l: l * factor + sum, o: o * factor + product,
      factor, weights };
  }

  // The state after each tile of `tile` scores.
  function run(scores, values, tile) {
    const steps = [];
    let state = START;
    for (let i = 0; i < scores.length; i += tile) {
      state = step(state, scores.slice(i, i + tile), values.slice(i, i + tile));
      steps.push(state);
    }
    return steps;
  }

  // Four digits, without needless zeros; a minus sign is typographic.
  function show(value) {
    const size = Math.abs(value);
    const words = size === Infinity ? '\u221e'
      : size && (size < 1e-3 || size >= 1e6)
        ? size.toExponential(2).replace('e-', 'e\u2212').replace('e+', 'e')
        : String(Number(size.toFixed(3)));
    return (value < 0 ? '\u2212' : '') + words;
  }

  // The scores as bars upwards or downwards from zero, and m as a line.
  function scoreBars({ scores, tile }, seen, m) {
    const low = Math.min(0, ...scores);
    const high = Math.max(1, ...scores);
    const scale = (BARS - 2 * NAMES) / (high - low);
    const y = (score) => NAMES + (high - score) * scale;
    const cell = (WIDTH - 2 * LEFT) / scores.length;
    const parts = [text(LEFT, 11, 'scores s', { size: 11, look: 'tick' }),
      line(LEFT, y(0), WIDTH - LEFT, y(0), 'grid')];
    scores.forEach((score, i) => {
      const x = LEFT + i * cell;
      const used = Math.floor(i / tile) < seen;
      const now = Math.floor(i / tile) === seen - 1;
      if (i && i % tile === 0) {
        parts.push(line(x, NAMES - 4, x, BARS + WEIGHTS, 'grid', '3 3'));
      }
      parts.push(rect(x + cell * 0.2, Math.min(y(score), y(0)), cell * 0.6,
        Math.abs(y(score) - y(0)), used ? 'bar' : 'empty', now ? 0.75 : 0.3),
      text(x + cell / 2, BARS - 4, show(score), { anchor: 'middle' }));
    });
    if (m > -Infinity) {
      parts.push(line(LEFT, y(m), WIDTH - LEFT, y(m), 'whisker', '6 3'),
        text(WIDTH - LEFT, y(m) - 4, `m = ${show(m)}`, { anchor: 'end' }));
    }
    return parts;
  }

  // What each score counts in l, relative to the m of now.
  function weightBars({ scores, tile }, seen, m) {
    const bottom = BARS + WEIGHTS;
    const cell = (WIDTH - 2 * LEFT) / scores.length;
    const parts = [text(LEFT, BARS + 12, 'weights exp(s \u2212 m)',
      { size: 11, look: 'tick' })];
    scores.slice(0, seen * tile).forEach((score, i) => {
      const weight = Math.exp(score - m);
      const height = weight * (WEIGHTS - 2 * NAMES);
      const x = LEFT + i * cell;
      parts.push(rect(x + cell * 0.2, bottom - NAMES - height, cell * 0.6,
        height, 'bar', Math.floor(i / tile) === seen - 1 ? 0.75 : 0.3),
      text(x + cell / 2, bottom - 4, show(weight),
        { anchor: 'middle', size: cell < 44 ? 9 : 11 }));
    });
    return parts;
  }

  // A line a tile: what the state was after it.
  function table(steps, count) {
    const columns = [60, 140, 230, 320, 410];
    const names = ['m', 'factor', 'l', 'o', 'o / l'];
    const top = BARS + WEIGHTS + 26;
    const parts = [text(LEFT, top, 'tile', { look: 'tick' })];
    names.forEach((name, i) => {
      parts.push(text(columns[i], top, name, { look: 'tick' }));
    });
    parts.push(line(LEFT, top + 6, WIDTH - LEFT, top + 6, 'grid'));
    steps.forEach(({ m, factor, l, o }, n) => {
      const y = top + 22 + n * 18;
      const weight = n === steps.length - 1 ? 700 : undefined;
      parts.push(text(LEFT, y, `${n + 1} of ${count}`, { weight }));
      [m, factor, l, o, o / l].forEach((value, i) => {
        parts.push(text(columns[i], y, show(value), { weight }));
      });
    });
    return { parts, height: top + 14 + 18 * Math.max(count, 1) };
  }

  function sentence(steps, count) {
    if (!steps.length) {
      return 'Before the first tile, m is \u2212\u221e, and l and o are 0.';
    }
    const { m, l, o, factor } = steps[steps.length - 1];
    const before = steps.length > 1 ? steps[steps.length - 2].m : -Infinity;
    const tile = `Tile ${steps.length}`;
    const change = steps.length === 1
      ? `${tile} sets m to ${show(m)}; there is nothing to shrink yet.`
      : m > before
        ? `${tile} raises m from ${show(before)} to ${show(m)}, so the old l `
          + `and o shrink by the factor ${show(factor)}.`
        : `${tile} leaves m at ${show(m)}, so the factor is 1.`;
    return `${change} Now l is ${show(l)} and o is ${show(o)}. `
      + (steps.length === count
        ? `The output is o / l = ${show(o / l)}.`
        : `The output of these tiles alone would be ${show(o / l)}.`);
  }

  function draw(values) {
    const { scores, tile } = values;
    if (scores.length !== values.values.length) {
      throw Error(`${scores.length} scores need as many values; `
        + `there are ${values.values.length}.`);
    }
    const all = run(scores, values.values, tile);
    const seen = Math.min(values.seen, all.length);
    const steps = all.slice(0, seen);
    const { m } = steps[seen - 1] || START;
    const below = table(steps, all.length);
    const parts = [...scoreBars(values, seen, m),
      ...weightBars(values, seen, m), ...below.parts];
    return { say: sentence(steps, all.length), width: WIDTH,
      height: below.height, body: parts.join('\n'), isPlot: true };
  }

  (book.widgets ??= {})['online-softmax'] = { fields, draw };
})(globalThis.bookWidgets ??= {});
