// How shared memory serves one instruction of a warp: the counting rule of the
// executor (common/simt/access/count.c), and the addresses of some accesses.
(function (book) {
  'use strict';
  const LANES = 32;
  const BANKS = 32;
  const WORD = 4;  // bytes
  const COLUMNS = 64;  // elements of a row that are used
  const PIECE = 16;  // bytes that the swizzle moves together

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

  book.bankConflictsModel = {
    BANKS, COLUMNS, PATTERNS, access, count, isAligned, schedule,
  };
})(globalThis.bookWidgets ??= {});
