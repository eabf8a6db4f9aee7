// The widget of bank conflicts: its settings, its drawing and its sentence.
(function (book) {
  'use strict';
  const { line, list, rect, text } = book.svg;
  const model = book.bankConflictsModel;

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
    { name: 'swizzle', label: 'XOR swizzle', kind: 'switch', start: 'off' },
  ];

  function heading() {
    const parts = [text(4, 12, 'Bank', { size: 11, look: 'tick' }),
      text(4, 28, 'Lanes', { size: 11, look: 'tick' })];
    for (let bank = 0; bank < model.BANKS; bank += 1) {
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
      parts.push(line(4, top - GAP / 2, LEFT + model.BANKS * CELL,
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
    const access = model.access({ ...values, size: Number(values.size) });
    const width = LEFT + model.BANKS * CELL + 4;
    if (!model.isAligned(access)) {
      const say = `Impossible: accesses of ${access.bytes} bytes must begin at `
        + `a multiple of ${access.bytes}, and with this padding rows do not.`;
      return { say, width, height: HEAD, body: heading().join('\n') };
    }
    const groups = model.schedule(access.kind, access.bytes, access.addresses);
    const number = model.count(groups);
    const { parts, height } = picture(groups);
    const say = `${plural(number)}; without conflicts, ${groups.length}. `
      + worst(groups);
    return { say, width, height, body: parts.join('\n') };
  }

  (book.widgets ??= {})['bank-conflicts'] = { fields, draw };
})(globalThis.bookWidgets ??= {});
