#!tests/lua.sh
-- README's table of which stage runs on which GPU, and what it tells a class
-- with RTX cards, follow the kernels: here one that is for some GPUs only is
-- for all, and one that was for all is for two.
-- takes: 3 s
local test = dofile 'tests/lib.lua'
test.enter_copy()
local function readme()
  test.must 'tools/setup/pandoc.sh lua tools/readme/readme.lua'
  return test.read 'README.md'
end
readme()

-- Two stages, wherever the ladder ends.
local kernel = 'stage3_fused_softmax/kernel.cu'
test.write(kernel, '// which\n// architectures: 89 120\n' .. test.read(kernel))
local last = test.must('tools/source/ladder.sh | tail -n 1'):match '%S+'
test.edit(last .. '/kernel.cu', '\n// architectures: 90a\n', '\n')
local n = tonumber(last:match '%d+')
local after = readme()
local function row(gpu, stages)
  test.ok(after:find('| ' .. gpu .. ' | ' .. stages .. ' |\n', 1, true),
    gpu .. ': ' .. stages, after:match '<!%-%- gpus.-<!%-%- end')
end
local first = 0 -- the first that Hopper alone runs
for stage in test.sh 'tools/source/ladder.sh':gmatch '%S+' do
  if test.read(stage .. '/kernel.cu'):find '\n// architectures: 90a\n' then
    first = tonumber(stage:match '%d+')
    break
  end
end
local early = '4 to ' .. first - 1 .. ', ' .. n
row('A100 | 8.0', '0 to 2, ' .. early)
row('A10, RTX 30 | 8.6', '0 to 2, ' .. early)
row('L4, L40S, RTX 40 | 8.9', '0 to ' .. first - 1 .. ', ' .. n)
row('H100, H200 | 9.0', '0 to 2, 4 to ' .. n)
row('RTX 50 | 12.0', '0 to ' .. first - 1 .. ', ' .. n)
local said = after:match '<!%-%- gpus %-%->\n(.-)\n\n'
test.ok(test.has(said:gsub('%s+', ' '), {
  'measures stages 0 to 2, ' .. early .. ' on them',
  'runs stages 3, ' .. first .. ' to ' .. n - 1 .. ' on the executor',
  '`make stage3 check race count TARGET=cpu`'}),
  'a class with RTX cards measures what all of them run', said)

test.ends('make refuses what the table leaves out', 2,
  'stage3_fused_softmax needs compute capability 8.9 or 12.0',
  'make stage3 bench TARGET=gpu ARCH=86')
test.finish()
