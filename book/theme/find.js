// Finds sections of the book; the pages to look through stand at the end.
const bookSearch = (() => {
  const AROUND = 70;  // characters shown on both sides of what was found
  let sections;

  // A page of the index: [title, sections].
  const prepare = () => bookSearch.pages.flatMap(([page, list]) => list.map(
    ([base, id, title, text, terms, code]) => ({ page, base, id, title, text,
      terms, code, low: text.toLowerCase(), lowTitle: title.toLowerCase() })));

  // Where a word stands in a text, at the beginning of a word if it does.
  function place(text, word) {
    const first = text.indexOf(word);
    for (let at = first; at >= 0; at = text.indexOf(word, at + 1)) {
      if (!at || !/[\wÀ-ɏ]/.test(text[at - 1])) return { at, begins: true };
    }
    return first < 0 ? null : { at: first, begins: false };
  }

  function inCode({ code }, word) {
    let best;
    for (const [id, label, names] of code) {
      for (const name of names.split(' ')) {
        const low = name.toLowerCase();
        const score = low !== word ? 2 : word.includes('_') ? 7 : 3;
        if (low.includes(word) && !(best?.score >= score)) {
          best = { score, id, label, name };
        }
      }
    }
    return best;
  }

  // The best place of a word in a section: {score, id, code}, or undefined.
  function best(section, word) {
    const term = section.terms.find(
      ([, words]) => place(words.toLowerCase(), word)?.begins);
    const title = place(section.lowTitle, word);
    const code = inCode(section, word);
    const text = place(section.low, word);
    const more = Math.min(section.low.split(word).length - 1, 6) / 2;
    return [
      term && { score: 12, id: term[0] },
      title && { score: title.begins ? 9 : 3, id: section.id },
      code && { score: code.score, id: code.id, code },
      text && { score: (text.begins ? 3 : 1) + more, id: section.id },
    ].filter(Boolean).sort((a, b) => b.score - a.score)[0];
  }

  // The text around all words together, or else the first that is there, as
  // [text, was sought] pairs.
  function snippet({ text, low }, words, code) {
    if (code) return [[`${code.label}: `, false], [code.name, true]];
    const at = [words.join(' '), ...words].map((word) => place(low, word))
      .find(Boolean)?.at ?? 0;
    let from = Math.max(0, at - AROUND);
    let to = Math.min(text.length, at + 2 * AROUND);
    while (from > 0 && text[from - 1] !== ' ') from -= 1;
    while (to < text.length && text[to] !== ' ') to += 1;
    const sought = words.map((word) => word.replace(/\W/g, '\\$&')).join('|');
    return [[from > 0 ? '… ' : '', false],
      ...text.slice(from, to).split(RegExp(`(${sought})`, 'i'))
        .map((part, index) => [part, index % 2 === 1]),
      [to < text.length ? ' …' : '', false]].filter(([part]) => part);
  }

  // The sections that hold every word of the query, the best first:
  // {href, page, title, snippet}.
  function find(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    sections ??= prepare();
    return sections.flatMap((section) => {
      const places = words.map((word) => best(section, word));
      if (places.includes(undefined)) return [];
      const top = places.reduce((a, b) => (b.score > a.score ? b : a));
      const together = words[1] && section.low.includes(words.join(' '));
      return {
        score: places.reduce((sum, its) => sum + its.score, together ? 5 : 0),
        href: section.base + top.id, page: section.page, title: section.title,
        snippet: snippet(section, words, top.code),
      };
    }).sort((a, b) => b.score - a.score);
  }

  return { pages: [], find };
})();
