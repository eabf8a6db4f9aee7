// When the tiles of a loop are copied and computed, with a ring of slots. The
// copy of a tile starts as soon as its slot is free: when the tile `slots`
// before it has been computed. Tiles are computed in order, one at a time.
(function (book) {
  'use strict';
  const { line, rect, text } = book.svg;

  const WIDTH = 480;
  const LEFT = 64;
  const ROW = 26;
  const BAR = 20;
  const TOP = 6;

  const fields = [
    { name: 'copy', label: 'Time to copy a tile', kind: 'number', min: 0,
      max: 20, start: '6' },
    { name: 'compute', label: 'Time to compute a tile', kind: 'number', min: 1,
      max: 20, start: '4' },
    { name: 'slots', label: 'Slots of the ring', kind: 'number', min: 1,
      max: 4, start: '2' },
    { name: 'copies', label: 'Copies', kind: 'choice', start: 'together',
      options: { together: 'side by side (a copy is latency)',
        turn: 'one after another (a copy is bandwidth)' } },
    { name: 'tiles', label: 'Tiles', kind: 'number', min: 1, max: 12,
      start: '8' },
  ];

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

  function axis(end, scale, bottom) {
    const step = [1, 2, 5, 10, 20, 50, 100].find((size) => end / size <= 9);
    const parts = [text(4, bottom + 14, 'time', { look: 'tick' })];
    for (let at = 0; at < end; at += step) {
      const x = LEFT + at * scale;
      parts.push(line(x, TOP - 4, x, bottom, 'grid'));
      if (end - at < 0.6 * step) break;  // the end's own number is there
      parts.push(text(x, bottom + 14, at, { anchor: 'middle', look: 'tick' }));
    }
    const x = LEFT + end * scale;
    parts.push(line(x, TOP - 4, x, bottom, 'line'),
      text(x, bottom + 14, end, { anchor: 'middle', weight: 700 }));
    return parts;
  }

  // A box, with its tile's number if there is room.
  function box([from, to], top, scale, tile, look, opacity) {
    const x = LEFT + from * scale;
    const width = (to - from) * scale;
    if (!width) return [];
    const parts = [rect(x, top, width, BAR, look, opacity),
      rect(x, top, width, BAR, 'box', 0)];
    if (width > 8 * String(tile).length) {
      parts.push(text(x + width / 2, top + 15, tile, { anchor: 'middle' }));
    }
    return parts;
  }

  function legend(top) {
    const parts = [];
    const entries = [['being copied', 'empty', 1],
      ['full, waiting', 'bar', 0.2], ['being computed', 'bar', 0.5]];
    entries.forEach(([words, look, opacity], i) => {
      const x = 4 + i * 150;
      parts.push(rect(x, top, 24, 13, look, opacity),
        rect(x, top, 24, 13, 'box', 0), text(x + 31, top + 11, words));
    });
    return parts;
  }

  function picture(list, { slots }, total) {
    const bottom = TOP + (slots + 1) * ROW + 4;
    const scale = (WIDTH - LEFT - 12) / total;
    const parts = axis(total, scale, bottom);
    for (let slot = 0; slot < slots; slot += 1) {
      parts.push(text(4, TOP + slot * ROW + 15, `slot ${slot}`));
    }
    const last = TOP + slots * ROW + 4;
    parts.push(text(4, last + 15, 'compute'));
    list.forEach(({ copy, compute }, tile) => {
      const top = TOP + tile % slots * ROW;
      parts.push(...box(copy, top, scale, tile, 'empty'),
        ...box([copy[1], compute[0]], top, scale, tile, 'bar', 0.2),
        ...box(compute, top, scale, tile, 'bar', 0.5),
        ...box(compute, last, scale, tile, 'bar', 0.5));
    });
    parts.push(...legend(bottom + 26));
    return { parts, height: bottom + 44 };
  }

  function draw(values) {
    const { tiles, copy, compute, copies } = values;
    const list = run({ ...values, inTurn: copies === 'turn' });
    const total = list.at(-1).compute[1];
    const wait = total - tiles * compute;
    const { parts, height } = picture(list, values, total);
    const say = `${tiles} tiles take ${total}: ${tiles * compute} to compute, `
      + `and ${wait} in which nothing is computed, ${copy} of them before the `
      + `first tile. With one slot it would be ${tiles * (copy + compute)}.`;
    return { say, width: WIDTH, height, body: parts.join('\n'), isPlot: true };
  }

  (book.widgets ??= {}).pipeline = { fields, draw };
})(globalThis.bookWidgets ??= {});
