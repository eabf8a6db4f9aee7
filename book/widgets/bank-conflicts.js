// How shared memory serves one instruction of a warp: the counting rule of the
// executor (common/simt/access/count.c), and the addresses of some accesses.
(function (book) {
  'use strict';
  const { line, list, rect, text } = book.svg;

  const LANES = 32;
  const BANKS = 32;
  const WORD = 4;  // bytes
  const COLUMNS = 64;  // elements of a row that are used
  const PIECE = 16;  // bytes that the swizzle moves together
  const LEFT = 96;
  const CELL = 19;
  const HEAD = 36;
  const ROW = 13;
  const GAP = 7;

  const fields = [
    { name: 'pattern', label: 'Access', kind: 'choice', start: 'ldmatrix',
      options: {
        row: 'one row: 32 elements side by side',
        column: 'a column: one element of each of 32 rows',
        vectors: '16 bytes a lane, eight lanes side by side in a row',
        rows: '16 bytes a lane, eight lanes in eight rows (K in stage 0)',
        ldmatrix: 'ldmatrix: 16 rows, 16 bytes a lane (K in stage 2)',
        scores: 'storing scores: four lanes a row, two elements each',
      } },
    { name: 'size', label: 'Elements', kind: 'choice', start: '2',
      options: { 2: 'half, 2 bytes', 4: 'float, 4 bytes' } },
    { name: 'padding', label: 'Padding behind a row, in elements',
      kind: 'number', min: 0, max: 32, start: '0' },
    { name: 'swizzle', label: 'XOR swizzle', kind: 'choice', start: 'off',
      options: { off: 'off', on: 'on' } },
  ];

  // Which access of lane l: its row, and its first element in the row. `count`
  // elements, or 16 bytes.
  const PATTERNS = {
    row: { count: 1, at: (lane) => [0, lane] },
    column: { count: 1, at: (lane) => [lane, 0] },
    vectors: {
      bytes: 16, at: (lane, piece) => [Math.floor(lane / 8), lane % 8 * piece],
    },
    rows: { bytes: 16, at: (lane) => [lane % 8, 0] },
    ldmatrix: {
      bytes: 16, kind: 'ldmatrix',
      at: (lane, piece) => [lane % 8 + Math.floor(lane / 16) * 8,
        Math.floor(lane / 8) % 2 * piece],
    },
    scores: {
      count: 2, kind: 'store',
      at: (lane) => [Math.floor(lane / 4), lane % 4 * 2],
    },
  };

  // True where every lane reads what its neighbour at `distance` reads.
  function inPairs(addresses, distance) {
    return addresses.every((address, lane) =>
      address === addresses[lane ^ distance]);
  }

  // How many lanes shared memory serves together. kind: load, store, ldmatrix.
  function lanesTogether(kind, bytes, addresses) {
    if (bytes <= WORD) return LANES;
    const lanes = bytes === 8 ? LANES / 2 : LANES / 4;
    const pairs = kind === 'load'
      && (inPairs(addresses, 1) || inPairs(addresses, 2));
    return pairs ? 2 * lanes : lanes;
  }

  // The wavefronts of one instruction, by groups of lanes that are served
  // together: [{first, last, wavefronts}], a wavefront being for each bank
  // undefined, or {word, lanes}. One word serves all lanes that ask for it; of
  // different words in one bank, each needs a wavefront of its own.
  function schedule(kind, bytes, addresses) {
    const together = lanesTogether(kind, bytes, addresses);
    const groups = [];
    for (let first = 0; first < LANES; first += together) {
      const queues = Array.from({ length: BANKS }, () => []);
      for (let lane = first; lane < first + together; lane += 1) {
        for (let byte = 0; byte < bytes; byte += WORD) {
          const word = Math.floor((addresses[lane] + byte) / WORD);
          const queue = queues[word % BANKS];
          const known = queue.find((entry) => entry.word === word);
          if (known) known.lanes.push(lane);
          else queue.push({ word, lanes: [lane] });
        }
      }
      const depth = Math.max(...queues.map((queue) => queue.length));
      const wavefronts = Array.from({ length: depth }, (_, n) =>
        queues.map((queue) => queue[n]));
      groups.push({ first, last: first + together - 1, wavefronts });
    }
    return groups;
  }

  function count(groups) {
    return groups.reduce((sum, { wavefronts }) => sum + wavefronts.length, 0);
  }

  // What each lane of a pattern accesses in a tile of elements of `size` bytes:
  // {kind, bytes, addresses}. Rows are 64 elements and `padding` long.
  function access({ pattern, size, padding, swizzle }) {
    const { count: elements, bytes, kind, at } = PATTERNS[pattern];
    const addresses = Array.from({ length: LANES }, (_, lane) => {
      const [row, column] = at(lane, PIECE / size);
      const begin = column * size;
      const piece = Math.floor(begin / PIECE) ^ (swizzle ? row % 8 : 0);
      return row * (COLUMNS + padding) * size + piece * PIECE + begin % PIECE;
    });
    return { kind: kind || 'load', bytes: bytes || elements * size, addresses };
  }

  // An access must begin at a multiple of its size.
  function isAligned({ bytes, addresses }) {
    return addresses.every((address) => address % bytes === 0);
  }

  function heading() {
    const parts = [text(4, 12, 'Bank', { size: 11, look: 'tick' }),
      text(4, 28, 'Lanes', { size: 11, look: 'tick' })];
    for (let bank = 0; bank < BANKS; bank += 1) {
      parts.push(text(LEFT + (bank + 0.5) * CELL, 12, bank,
        { anchor: 'middle', size: 10, look: 'tick' }));
    }
    return parts;
  }

  // One wavefront: a cell a bank, with the lanes that it serves.
  function row(wavefront, top, isExtra) {
    const parts = [];
    wavefront.forEach((entry, bank) => {
      const x = LEFT + bank * CELL;
      if (!entry) {
        parts.push(rect(x + 1, top + 1, CELL - 2, ROW - 2, 'empty'));
        return;
      }
      const { lanes } = entry;
      parts.push(rect(x + 1, top + 1, CELL - 2, ROW - 2,
        isExtra ? 'accent' : 'bar', isExtra ? 0.22 : 0.3),
      text(x + CELL / 2, top + ROW - 3.5, lanes[0] + (lanes[1] ? '+' : ''),
        { anchor: 'middle', size: 9.5 }));
    });
    return parts;
  }

  function picture(groups) {
    const parts = heading();
    let top = HEAD;
    let number = 0;
    for (const { first, last, wavefronts } of groups) {
      parts.push(line(4, top - GAP / 2, LEFT + BANKS * CELL,
        top - GAP / 2, 'grid'));
      wavefronts.forEach((wavefront, depth) => {
        number += 1;
        parts.push(
          text(4, top + ROW - 3, depth ? 'conflict' : `${first}\u2013${last}`,
            { size: 11 }),
          text(LEFT - 8, top + ROW - 3, number,
            { anchor: 'end', size: 11, look: 'tick' }),
          ...row(wavefront, top, depth > 0));
        top += ROW;
      });
      top += GAP;
    }
    return { parts, height: top };
  }

  // "Lanes 0, 1 and 2 want different words of bank 4."
  function worst(groups) {
    const [{ wavefronts }] = [...groups].sort((one, other) =>
      other.wavefronts.length - one.wavefronts.length);
    const deepest = wavefronts.length - 1;
    if (!deepest) return 'No lane waits for another.';
    const bank = wavefronts[deepest].findIndex((entry) => entry);
    const lanes = wavefronts.map((wavefront) => wavefront[bank].lanes[0]);
    const shown = lanes.length > 8
      ? `${lanes.slice(0, 3).join(', ')} \u2026 and ${lanes.at(-1)}`
      : list(lanes);
    return `Lanes ${shown} want different words of bank ${bank}.`;
  }

  function plural(number) {
    return `${number} wavefront${number === 1 ? '' : 's'}`;
  }

  function draw(values) {
    const { kind, bytes, addresses } = access({ ...values,
      size: Number(values.size), swizzle: values.swizzle === 'on' });
    const width = LEFT + BANKS * CELL + 4;
    if (!isAligned({ bytes, addresses })) {
      const say = `Impossible: accesses of ${bytes} bytes must begin at a `
        + `multiple of ${bytes}, and with this padding rows do not.`;
      return { say, width, height: HEAD, body: heading().join('\n') };
    }
    const groups = schedule(kind, bytes, addresses);
    const number = count(groups);
    const { parts, height } = picture(groups);
    const say = `${plural(number)}; without conflicts, ${groups.length}. `
      + worst(groups);
    return { say, width, height, body: parts.join('\n') };
  }

  (book.widgets ??= {})['bank-conflicts'] = { fields, draw,
    access, count, isAligned, schedule };
})(globalThis.bookWidgets ??= {});
