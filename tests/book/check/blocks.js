// What a reader sees of a page of HTML, in order: a list of {kind, text}, where
// kind is heading, caption, source, code, column (code beside other code on
// paper), cell, figure, label, formula or text.
// The line numbers of code belong to its text.
const VOID = new Set(['br', 'hr', 'img', 'link', 'meta', 'input', 'col',
  'rect', 'path', 'line', 'circle']);
const BLOCK = new Set(['p', 'li', 'dt', 'dd', 'div', 'section', 'figure',
  'header', 'ol', 'ul', 'blockquote', 'table', 'tr', 'dl', 'pre', 'aside']);
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"' };

function plain(text) {
  return text.replace(/&(\w+);/g, (all, name) => ENTITIES[name] || all)
    .replace(/&#(\d+);/g, (all, code) => String.fromCodePoint(code))
    .replace(/\s+/g, ' ');
}

// The kind of block that an element begins, or undefined.
function kindOf(tag, classes) {
  if (/^h[1-6]$/.test(tag)) return 'heading';
  if (tag === 'figcaption') return 'caption';
  if (tag === 'td' || tag === 'th') return 'cell';
  if (tag === 'text') return 'label';
  if (classes.includes('line') && tag === 'span') return 'code';
  return BLOCK.has(tag) ? 'text' : undefined;
}

function blocks(html) {
  const list = [];
  const open = [];  // {tag, kind}
  let current = { kind: 'text', text: '' };
  let formula = 0;  // how many elements are open within one

  function begin(kind, text = '') {
    current = { kind, text };
    list.push(current);
  }
  function start(tag, rest) {
    const attribute = (name) => (rest.match(
      new RegExp(`\\s${name}="([^"]*)"`)) || [])[1] || '';
    const classes = attribute('class').split(' ');
    const isFormula = tag === 'math' || classes.includes('katex');
    if (isFormula && !formula) begin('formula');
    let kind = kindOf(tag, classes);
    if (kind === 'code' && open.some(({ isPair }) => isPair)) kind = 'column';
    if (tag === 'svg') begin('figure', plain(attribute('aria-label')));
    if (kind) {
      begin(kind, plain(attribute('data-n') + attribute('data-sign')
        + (classes.includes('prompt') && !/class="n"/.test(html) ? '$' : '')));
    }
    if (classes.includes('source')) begin('source');
    if (VOID.has(tag) || rest.endsWith('/')) return;
    // On paper an address stands behind the words that lead there.
    open.push({ tag, kind, isEnd: classes.includes('external'),
      isPair: classes.includes('beside') && classes.includes('narrow') });
    if (formula || isFormula) formula += 1;
  }
  function end(tag) {
    const { kind, isEnd } = open.pop() || {};
    if (formula) {
      formula -= 1;
      if (!formula) begin('text');
    } else if (kind || isEnd) {
      begin('text');
    }
  }

  for (const [, comment, close, tag, rest, text] of html.matchAll(
    /(<!--.*?-->|<[!?][^>]*>)|<(\/?)([\w:]+)([^>]*)>|([^<]+)/gs)) {
    if (comment) continue;
    if (text !== undefined) {
      if (!formula) current.text += plain(text);
    } else if (close) {
      end(tag);
    } else {
      start(tag, rest);
    }
  }
  return list.map(({ kind, text }) => ({ kind, text: text.trim() }))
    .filter(({ kind, text }) => text || kind === 'formula');
}

module.exports = { blocks };
