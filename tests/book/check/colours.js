// Each opaque colour of a style sheet has a contrast of 4.5 on white and on
// black, so that it can be read on whatever paper a reader chooses.
//   node colours.js FILE.css
const fs = require('fs');

function luminance(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const style = fs.readFileSync(process.argv[2], 'utf8');
const colours = [...new Set(style.match(/#[\da-f]{6}\b/g))];
const other = style.match(
  /(?:color|background)[\w-]*:(?!\s*(?:#|rgba\())[^;]*/);
const bad = colours.filter((colour) => {
  const light = luminance(colour);
  return 1.05 / (light + 0.05) < 4.5 || (light + 0.05) / 0.05 < 4.5;
});
bad.forEach((colour) => console.log(`${colour} cannot be read everywhere`));
if (other) console.log(`what colour is ${other[0]}?`);
console.log(`${colours.length} colours, ${bad.length} bad`);
process.exitCode = bad.length || other || colours.length === 0 ? 1 : 0;
