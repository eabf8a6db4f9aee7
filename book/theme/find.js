// Finds sections of the book; the pages to look through stand at the end.
var bookSearch = (function () {
  'use strict';
  var AROUND = 70;  // characters shown on both sides of what was found
  var sections;

  // A section of the index: [page#, id, title, text, terms, code].
  function prepare() {
    sections = [];
    bookSearch.pages.forEach(function (page) {
      page[1].forEach(function (s) {
        sections.push({
          page: page[0], base: s[0], id: s[1], title: s[2], text: s[3],
          low: s[3].toLowerCase(), lowTitle: s[2].toLowerCase(),
          terms: s[4], code: s[5],
        });
      });
    });
  }

  function beginsWord(text, at) {
    return at === 0 || !/[\wÀ-ɏ]/.test(text[at - 1]);
  }

  // Where a word stands in a text, at the beginning of a word if it does.
  function place(text, word) {
    var first = text.indexOf(word);
    for (var at = first; at >= 0; at = text.indexOf(word, at + 1)) {
      if (beginsWord(text, at)) return { at: at, begins: true };
    }
    return first < 0 ? null : { at: first, begins: false };
  }

  function count(text, word) {
    return text.split(word).length - 1;
  }

  function inCode(section, word) {
    var best = null;
    section.code.forEach(function (listing) {
      listing[2].split(' ').forEach(function (name) {
        var low = name.toLowerCase();
        var at = low.indexOf(word);
        if (at < 0) return;
        var score = low === word ? (/_/.test(word) ? 7 : 3) : 2;
        if (!best || score > best.score) {
          best = { score: score, id: listing[0], label: listing[1],
                   name: name };
        }
      });
    });
    return best;
  }

  function inTerms(section, word) {
    return section.terms.filter(function (term) {
      var found = place(term[1].toLowerCase(), word);
      return found && found.begins;
    })[0];
  }

  // The best place of a word in a section: {score, id, code}, or null.
  function best(section, word) {
    var found = [];
    var title = place(section.lowTitle, word);
    var text = place(section.low, word);
    var code = inCode(section, word);
    var term = inTerms(section, word);
    if (term) found.push({ score: 12, id: term[0] });
    if (title) found.push({ score: title.begins ? 9 : 3, id: section.id });
    if (code) found.push({ score: code.score, id: code.id, code: code });
    if (text) {
      var more = Math.min(count(section.low, word), 6) / 2;
      found.push({ score: (text.begins ? 3 : 1) + more, id: section.id });
    }
    found.sort(function (a, b) { return b.score - a.score; });
    return found[0] || null;
  }

  // The text around all words together, or else the first that is there, as
  // [text, was sought] pairs.
  function snippet(section, words, code) {
    if (code) {
      return [[code.label + ': ', false], [code.name, true]];
    }
    var found = null;
    [words.join(' ')].concat(words).forEach(function (word) {
      found = found || place(section.low, word);
    });
    var at = found ? found.at : 0;
    var from = Math.max(0, at - AROUND);
    var to = Math.min(section.text.length, at + 2 * AROUND);
    while (from > 0 && section.text[from - 1] !== ' ') from -= 1;
    while (to < section.text.length && section.text[to] !== ' ') to += 1;
    return marked(section.text.slice(from, to), words, from > 0,
      to < section.text.length);
  }

  function marked(text, words, before, after) {
    var low = text.toLowerCase();
    var parts = [[before ? '… ' : '', false]];
    var done = 0;
    while (done < text.length) {
      var next = null;
      words.forEach(function (word) {
        var at = low.indexOf(word, done);
        if (at >= 0 && (!next || at < next.at)) {
          next = { at: at, end: at + word.length };
        }
      });
      if (!next) break;
      parts.push([text.slice(done, next.at), false]);
      parts.push([text.slice(next.at, next.end), true]);
      done = next.end;
    }
    parts.push([text.slice(done) + (after ? ' …' : ''), false]);
    return parts.filter(function (part) { return part[0]; });
  }

  // The sections that hold every word of the query, the best first:
  // {href, page, title, snippet}.
  function find(query) {
    var words = query.toLowerCase().split(/\s+/).filter(Boolean);
    var phrase = words.join(' ');
    if (!sections) prepare();
    if (!words.length) return [];
    var results = [];
    sections.forEach(function (section) {
      var places = words.map(function (word) { return best(section, word); });
      if (places.indexOf(null) >= 0) return;
      var top = places[0];
      var score = 0;
      places.forEach(function (found) {
        score += found.score;
        if (found.score > top.score) top = found;
      });
      if (words.length > 1 && section.low.indexOf(phrase) >= 0) score += 5;
      results.push({
        score: score, href: section.base + top.id, page: section.page,
        title: section.title, snippet: snippet(section, words, top.code),
      });
    });
    return results.sort(function (a, b) { return b.score - a.score; });
  }

  return { pages: [], find: find };
})();
