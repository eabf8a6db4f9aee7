// The settings of a widget: what its inputs, or the lines of its block in a
// chapter, may say. A field is {name, label, kind, ...}:
//   choice   options: {value: label}
//   number   a whole number, min to max
//   numbers  some numbers with spaces between, `most` at most, from min to max
// and `start`, the text that it begins with.
(function (book) {
  'use strict';

  const readers = {
    choice: ({ label, options }, text) => {
      if (Object.hasOwn(options, text)) return text;
      throw Error(`${label}: one of ${Object.keys(options).join(', ')}.`);
    },
    number: ({ label, min, max }, text) => {
      const value = Number(text);
      if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
      throw Error(`${label}: a whole number from ${min} to ${max}.`);
    },
    numbers: ({ label, most, min, max }, text) => {
      const words = text.trim().split(/[\s,;]+/);
      const values = words.map(Number);
      const good = (value, i) => /^-?(\d+\.?\d*|\.\d+)$/.test(words[i])
        && value >= min && value <= max;
      if (values.length <= most && values.every(good)) return values;
      throw Error(`${label}: up to ${most} numbers from ${min} to ${max},`
        + ' with spaces between.');
    },
  };

  // texts: {name: text} to {name: value}; throws an Error that says what is
  // wrong, with the field's name.
  function read(fields, texts) {
    const values = {};
    for (const field of fields) {
      const { name, kind } = field;
      try {
        values[name] = readers[kind](field, texts[name].trim());
      } catch (error) {
        error.field = name;
        throw error;
      }
    }
    return values;
  }

  // The texts to begin with; lines "name = text" take the place of a field's
  // own. An error has the number of its line.
  function start(fields, lines) {
    const texts = Object.fromEntries(
      fields.map(({ name, start: text }) => [name, text]));
    lines.split('\n').forEach((line, index) => {
      if (!line.trim()) return;
      const [, name, text] = line.match(/^\s*([\w-]+)\s*=\s*(.*?)\s*$/) || [];
      try {
        if (!Object.hasOwn(texts, name)) {
          throw Error(`a setting is "name = value", with one of the names `
            + `${fields.map((field) => field.name).join(', ')}.`);
        }
        read(fields, { ...texts, [name]: text });
      } catch (error) {
        error.line = index + 1;
        throw error;
      }
      texts[name] = text;
    });
    return texts;
  }

  book.fields = { read, start };
})(globalThis.bookWidgets ??= {});
