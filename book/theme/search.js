// The search box: loads the index when it is first used, and lists what it
// finds as links. "/" goes to the box, the arrow keys through the list, Escape
// closes.
(function () {
  'use strict';
  var MOST = 20;
  var box, panel, status, list;
  var state = 'absent';  // the index: absent, loading, ready or failed

  function load() {
    if (state === 'loading' || state === 'ready') return;
    state = 'loading';
    var script = document.createElement('script');
    script.src = 'search-index.js';
    script.onload = function () { state = 'ready'; show(); };
    script.onerror = function () { state = 'failed'; show(); };
    document.head.appendChild(script);
  }

  function element(tag, className, text) {
    var made = document.createElement(tag);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
  }

  function item(result) {
    var link = element('a', 'search-result');
    link.href = result.href;
    link.appendChild(element('b', '', result.title));
    if (result.page !== result.title) {
      link.appendChild(element('small', '', result.page));
    }
    var words = element('span', 'snippet');
    result.snippet.forEach(function (part) {
      words.appendChild(part[1] ? element('mark', '', part[0])
        : document.createTextNode(part[0]));
    });
    link.appendChild(words);
    var entry = element('li');
    entry.appendChild(link);
    return entry;
  }

  function summary(count) {
    if (count === 0) return 'Nothing found.';
    if (count > MOST) return count + ' sections; the best ' + MOST + ':';
    return count === 1 ? '1 section:' : count + ' sections:';
  }

  function close() { panel.hidden = true; }

  function show() {
    var query = box.value.trim();
    list.textContent = '';
    if (!query) return close();
    panel.hidden = false;
    if (state !== 'ready') {
      status.textContent = state === 'failed'
        ? 'The index, search-index.js, cannot be read.' : 'Searching…';
      return;
    }
    var results = window.bookSearch.find(query);
    status.textContent = summary(results.length);
    results.slice(0, MOST).forEach(function (result) {
      list.appendChild(item(result));
    });
  }

  function links() { return Array.from(list.querySelectorAll('a')); }

  // Up and down through the box and the links below it.
  function move(event, step) {
    var stops = [box].concat(links());
    var next = stops.indexOf(document.activeElement) + step;
    if (panel.hidden || next < 0 || next >= stops.length) return;
    event.preventDefault();
    stops[next].focus();
  }

  function onKey(event) {
    if (event.key === 'ArrowDown') move(event, 1);
    if (event.key === 'ArrowUp') move(event, -1);
    if (event.key === 'Escape' && !panel.hidden) {
      event.preventDefault();
      box.focus();  // which opens it
      close();
    }
  }

  function isTyping(target) {
    return target.isContentEditable
      || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  }

  function onSlash(event) {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey
        || isTyping(event.target)) return;
    event.preventDefault();
    box.focus();
    box.select();
  }

  document.addEventListener('DOMContentLoaded', function () {
    var form = document.getElementById('search');
    box = document.getElementById('search-box');
    panel = document.getElementById('search-panel');
    status = document.getElementById('search-status');
    list = document.getElementById('search-results');
    form.hidden = false;
    box.addEventListener('focus', function () { load(); show(); });
    box.addEventListener('input', function () { load(); show(); });
    form.addEventListener('keydown', onKey);
    form.addEventListener('submit', function (event) {
      event.preventDefault();
      if (links()[0]) links()[0].click();
    });
    list.addEventListener('click', close);
    document.addEventListener('focusin', function (event) {
      if (!form.contains(event.target)) close();
    });
    document.addEventListener('click', function (event) {
      if (!form.contains(event.target)) close();
    });
    document.addEventListener('keydown', onSlash);
  });
})();
