#!tests/lua.sh
-- A ratio upside down, and a gain that is applied twice.
local fooled = dofile 'tests/fooled/lib.lua'
fooled.needs('command -v node', 'There is no node')
local compare = 'build/tools/compare --gate=15 '
local scalar = fooled.recorded .. '/stage0_scalar.json'
local last = fooled.recorded .. '/stage5_warp_spec.json'
fooled.accepts(compare .. scalar .. ' ' .. last,
  'mission +graph .*  [%d.]+ %% +[1-9][%d.]*x', '^base', '^candidate', '^shape',
  '^gate:')
fooled.refuses(compare .. last .. ' ' .. scalar,
  'mission +graph .* %-[%d.]+ %% +0%.%d+x', '^base', '^candidate', '^shape',
  '^gate:', '^regression')
print()
fooled.enter_copy()
local typed = 'Stage 1 takes 761 µs, stage 2 takes 359 µs, and we are 15x ' ..
  'faster than PyTorch.'
fooled.append('tests/book/sample/chapters/01-method.md', '\n' .. typed .. '\n')
print('a sentence at the end of a chapter:\n  ' .. typed)
fooled.refuses(
  'BOOK_FORMATS=html book/build.sh tests/book/sample build/sample-book',
  '761 µs" is typed by hand', 'typed by hand')
fooled.verdict()
