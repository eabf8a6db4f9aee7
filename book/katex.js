// Reads [[TEX, DISPLAY]] as JSON, and writes a list of texts: "+" and the HTML,
// or "-" and what is wrong.
const katex = require('katex');

function render([tex, displayMode]) {
  try {
    return '+' + katex.renderToString(tex,
      { displayMode, throwOnError: true, strict: 'error' });
  } catch (error) {
    return '-' + error.message;
  }
}

const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(input.map(render)));
