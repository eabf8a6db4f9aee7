// Turns the still picture of each widget of the page into one that reacts:
// labelled inputs before it, and the result as a sentence behind them, which
// screen readers say when it changes.
(function (book) {
  'use strict';

  function make(tag, properties, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function inputOf({ kind, options, min, max, name }, id) {
    if (kind === 'choice') {
      return make('select', { id, name }, ...Object.entries(options)
        .map(([value, label]) => make('option', { value }, label)));
    }
    if (kind === 'number') {
      return make('input', { id, name, type: 'number', min, max, step: 1 });
    }
    return make('input', { id, name, type: 'text', autocomplete: 'off' });
  }

  function upgrade(figure) {
    const { fields, draw } = book.widgets[figure.dataset.widget];
    const svg = figure.querySelector('svg');
    const scroll = svg.closest('.scroll');
    const title = figure.querySelector('figcaption strong').textContent;
    const inputs = {};
    const form = make('form', { className: 'settings' });
    for (const field of fields) {
      const id = `${figure.id}-${field.name}`;
      const input = inputOf(field, id);
      inputs[field.name] = input;
      form.append(make('div', { className: field.kind },
        make('label', { htmlFor: id }, field.label), input));
    }
    const reset = make('button', { type: 'button', name: 'reset' }, 'Reset');
    form.append(reset);
    form.setAttribute('aria-label', `Settings of ${title}`);
    const result = make('p',
      { className: 'result', id: `${figure.id}-result` });
    result.setAttribute('role', 'status');
    result.setAttribute('aria-live', 'polite');

    function update() {
      const texts = Object.fromEntries(Object.entries(inputs)
        .map(([name, input]) => [name, input.value]));
      for (const input of Object.values(inputs)) {
        input.removeAttribute('aria-invalid');
      }
      try {
        const { width, height, body, say } = draw(
          book.fields.read(fields, texts));
        svg.innerHTML = body;
        svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
        svg.setAttribute('aria-label', say);
        result.textContent = say;
        figure.classList.remove('stale');
      } catch (error) {
        inputs[error.field]?.setAttribute('aria-invalid', 'true');
        result.textContent = error.message;
        figure.classList.add('stale');
      }
    }

    function begin() {
      const texts = book.fields.start(fields, figure.dataset.start);
      for (const [name, text] of Object.entries(texts)) {
        inputs[name].value = text;
      }
      update();
    }

    form.addEventListener('input', update);
    form.addEventListener('submit', (event) => event.preventDefault());
    reset.addEventListener('click', begin);
    scroll.before(form, result);
    begin();
  }

  document.querySelectorAll('figure[data-widget]').forEach(upgrade);
})(globalThis.bookWidgets ??= {});
