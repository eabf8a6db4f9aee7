// Comforts only: the book reads in full without this script.
(() => {
  const root = document.documentElement;
  const asked = matchMedia('(prefers-color-scheme: dark)');

  function stored() {
    try { return localStorage.getItem('theme'); } catch { return null; }
  }

  function store(theme) {
    try { localStorage.setItem('theme', theme); } catch { /* not kept */ }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === 'dark' : asked.matches;
  }

  function themeButton() {
    const button = document.getElementById('theme');
    function show() { button.textContent = isDark() ? 'Light' : 'Dark'; }
    button.hidden = false;
    button.setAttribute('aria-label', 'Change between light and dark');
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      store(root.dataset.theme);
      show();
    });
    asked.addEventListener('change', show);
    show();
  }

  // The code without line numbers and signs; of a recording, the command.
  function textOf(part) {
    const prompt = part.querySelector('.prompt');
    return prompt ? prompt.textContent
      : [...part.querySelectorAll('.line')].map(
        (line) => `${line.textContent}\n`).join('');
  }

  // part: a listing, or all the lines of a source.
  function copyButton(part) {
    const button = Object.assign(document.createElement('button'),
      { type: 'button', className: 'copy', textContent: 'Copy' });
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(textOf(part));
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    part.parentNode.classList.add('with-copy');
    part.before(button);
  }

  // Before the first paint, so that the page does not flash.
  if (stored()) root.dataset.theme = stored();
  document.addEventListener('DOMContentLoaded', () => {
    themeButton();
    if (navigator.clipboard) {
      document.querySelectorAll(
        'pre.numbered:not(.signed):not(.folded), pre.plain, pre.output, .runs')
        .forEach(copyButton);
    }
  });
})();
