// When the tiles of a loop are copied and computed, with a ring of slots. The
// copy of a tile starts as soon as its slot is free: when the tile `slots`
// before it has been computed. Tiles are computed in order, one at a time.
(function (book) {
  'use strict';

  // For each tile {copy: [from, to], compute: [from, to]}. inTurn: a copy also
  // waits for the end of the copy before it.
  function run({ tiles, copy, compute, slots, inTurn }) {
    const list = [];
    for (let n = 0; n < tiles; n += 1) {
      const freed = n < slots ? 0 : list[n - slots].compute[1];
      const before = n && inTurn ? list[n - 1].copy[1] : 0;
      const from = Math.max(freed, before);
      const ready = from + copy;
      const start = Math.max(ready, n ? list[n - 1].compute[1] : 0);
      list.push({ copy: [from, ready], compute: [start, start + compute] });
    }
    return list;
  }

  // When the last tile has been computed.
  function total(list) {
    return list.length ? list[list.length - 1].compute[1] : 0;
  }

  book.pipelineModel = { run, total };
})(globalThis.bookWidgets ??= {});
