// Softmax of a row of scores, tile by tile, and the average of values with
// these weights: what a row of the kernels does, with one value a key.
(function (book) {
  'use strict';

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

  book.onlineSoftmaxModel = { START, run, step };
})(globalThis.bookWidgets ??= {});
