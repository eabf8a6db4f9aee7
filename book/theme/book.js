// Comforts only: the book reads in full without this script.
(function () {
  'use strict';
  var root = document.documentElement;

  function stored() {
    try { return localStorage.getItem('theme'); } catch (error) { return null; }
  }

  function store(theme) {
    try {
      localStorage.setItem('theme', theme);
    } catch (error) { /* not kept */ }
  }

  function isDark() {
    var chosen = root.getAttribute('data-theme');
    return chosen ? chosen === 'dark'
      : window.matchMedia('(prefers-color-scheme: dark)').matches;
  }

  function themeButton() {
    var button = document.getElementById('theme');
    function show() { button.textContent = isDark() ? 'Light' : 'Dark'; }
    button.hidden = false;
    button.setAttribute('aria-label', 'Change between light and dark');
    button.addEventListener('click', function () {
      var theme = isDark() ? 'light' : 'dark';
      root.setAttribute('data-theme', theme);
      store(theme);
      show();
    });
    window.matchMedia('(prefers-color-scheme: dark)')
      .addEventListener('change', show);
    show();
  }

  // The code without line numbers and signs; of a recording, the command.
  function textOf(part) {
    var prompt = part.querySelector('.prompt');
    if (prompt) return prompt.textContent;
    var lines = Array.from(part.querySelectorAll('.line'));
    return lines.map(function (line) {
      return line.textContent + '\n';
    }).join('');
  }

  // part: a listing, or all the lines of a source.
  function copyButton(part) {
    var button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', function () {
      navigator.clipboard.writeText(textOf(part)).then(function () {
        button.textContent = 'Copied';
        setTimeout(function () { button.textContent = 'Copy'; }, 1500);
      });
    });
    part.parentNode.classList.add('with-copy');
    part.parentNode.insertBefore(button, part);
  }

  // Before the first paint, so that the page does not flash.
  if (stored()) root.setAttribute('data-theme', stored());
  document.addEventListener('DOMContentLoaded', function () {
    themeButton();
    if (navigator.clipboard) {
      document.querySelectorAll(
        'pre.numbered:not(.signed):not(.folded), pre.plain, pre.output, .runs')
        .forEach(copyButton);
    }
  });
})();
