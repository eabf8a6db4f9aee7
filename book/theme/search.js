// The search box: loads the index when it is first used, and lists what it
// finds as links. "/" goes to the box, the arrow keys through the list, Escape
// closes.
document.addEventListener('DOMContentLoaded', () => {
  const MOST = 20;
  const [form, box, panel, status, list] =
    ['', '-box', '-panel', '-status', '-results'].map(
      (name) => document.getElementById(`search${name}`));
  let index;  // its script, once it has been asked for
  let without = 'Searching…';

  function load() {
    index ??= document.head.appendChild(make('script', {
      src: 'search-index.js',
      onload: show,
      onerror() {
        without = 'The index, search-index.js, cannot be read.';
        show();
      },
    }));
  }

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function item({ href, title, page, snippet }) {
    return make('li', {}, make('a', { className: 'search-result', href },
      make('b', {}, title), page === title ? '' : make('small', {}, page),
      make('span', { className: 'snippet' }, ...snippet.map(
        ([text, sought]) => (sought ? make('mark', {}, text) : text)))));
  }

  function summary(count) {
    if (count === 0) return 'Nothing found.';
    if (count > MOST) return `${count} sections; the best ${MOST}:`;
    return count === 1 ? '1 section:' : `${count} sections:`;
  }

  function close() { panel.hidden = true; }

  function show() {
    const query = box.value.trim();
    list.textContent = '';
    panel.hidden = !query;
    if (!query) return;
    status.textContent = without;
    if (typeof bookSearch === 'undefined') return;
    const results = bookSearch.find(query);
    status.textContent = summary(results.length);
    list.append(...results.slice(0, MOST).map(item));
  }

  // Up and down through the box and the links below it.
  function move(event, step) {
    const stops = [box, ...list.querySelectorAll('a')];
    const next = stops[stops.indexOf(document.activeElement) + step];
    if (panel.hidden || !next) return;
    event.preventDefault();
    next.focus();
  }

  form.hidden = false;
  ['focus', 'input'].forEach((name) => box.addEventListener(name, () => {
    load();
    show();
  }));
  form.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') move(event, 1);
    if (event.key === 'ArrowUp') move(event, -1);
    if (event.key === 'Escape' && !panel.hidden) {
      event.preventDefault();
      box.focus();  // which opens it
      close();
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  list.addEventListener('click', close);
  ['focusin', 'click'].forEach((name) =>
    document.addEventListener(name, (event) => {
      if (!form.contains(event.target)) close();
    }));
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (key !== '/' || ctrlKey || metaKey || altKey
        || target.matches('input, textarea, select')) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
});
