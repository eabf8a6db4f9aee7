// The widget of bank conflicts against the executor, for everything that its
// inputs allow.  node widget.js FOLDER-OF-WIDGETS PROGRAM
// Prints each setting in which they count differently.
const { execFileSync } = require('child_process');
const path = require('path');

const [, , folder, program] = process.argv;
for (const name of ['fields', 'svg', 'bank-conflicts.model',
  'bank-conflicts']) {
  require(path.resolve(folder, `${name}.js`));
}
const { bankConflictsModel: model, widgets } = globalThis.bookWidgets;
const { fields } = widgets['bank-conflicts'];
const field = (wanted) => fields.find(({ name }) => name === wanted);

const settings = [];
for (const pattern of Object.keys(field('pattern').options)) {
  for (const size of Object.keys(field('size').options).map(Number)) {
    for (let padding = field('padding').min; padding <= field('padding').max;
      padding += 1) {
      for (const swizzle of [false, true]) {
        settings.push({ pattern, size, padding, swizzle });
      }
    }
  }
}

const possible = settings.filter((setting) =>
  model.isAligned(model.access(setting)));
const input = possible.map((setting) => {
  const { kind, bytes, addresses } = model.access(setting);
  return `${kind} ${bytes} ${addresses.join(' ')}\n`;
}).join('');
const counts = execFileSync(program, { input }).toString().trim()
  .split('\n');

let bad = counts.length === possible.length ? 0 : 1;
const seen = new Set();
possible.forEach((setting, n) => {
  const { kind, bytes, addresses } = model.access(setting);
  const groups = model.schedule(kind, bytes, addresses);
  const mine = `${model.count(groups)} ${groups.length}`;
  seen.add(mine);
  if (mine === counts[n]) return;
  bad += 1;
  if (bad < 5) {
    console.log(`${JSON.stringify(setting)}: the widget says ${mine}, `
      + `the executor ${counts[n]}`);
  }
});
if (seen.size < 5) console.log('the settings hardly differ');
console.log(`${settings.length} settings, ${possible.length} possible, `
  + `${seen.size} results, ${bad} bad`);
process.exitCode = bad || seen.size < 5 ? 1 : 0;
