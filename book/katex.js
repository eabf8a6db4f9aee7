// Reads [{tex, display}] as JSON; writes for each "+" and its HTML, or "-" and
// what is wrong with it, each ended by a zero byte.
const katex = require('katex');

function render({ tex, display }) {
  try {
    return '+' + katex.renderToString(tex, {
      displayMode: display, throwOnError: true, strict: 'error',
    });
  } catch (error) {
    return '-' + error.message;
  }
}

const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(input.map((formula) => render(formula) + '\0').join(''));
