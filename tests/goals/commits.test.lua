#!tests/lua.sh
-- Each recorded run names the commit that it was of: that commit must hold the
-- kernel whose hash stands beside it, or one that machine-code.json says is the
-- same machine code.
local test = dofile 'tests/lib.lua'

local function list(pattern)
  return test.lines(test.must("find results -path '" .. pattern .. "' | sort"))
end

-- Whether one of the lists has both hashes, of the default arm.
local function same_code(stage, one, other)
  for _, path in ipairs(list '*/machine-code.json') do
    for _, kernel in ipairs(test.json(path).kernels) do
      local has = pandoc.List(kernel.kernel_hashes)
      if kernel.stage == stage and kernel.arm == 'default' and
          has:includes(one) and has:includes(other) then
        return true
      end
    end
  end
end

-- The commit, stage and hash of each, also where one run has several kernels.
local measured, seen = {}, {}
local function add(commit, kernel)
  if type(kernel) ~= 'table' or not kernel.kernel_hash then return end
  local key = commit .. kernel.stage .. kernel.kernel_hash
  if not seen[key] then table.insert(measured, {commit, kernel}) end
  seen[key] = true
end
for _, path in ipairs(list '*/20*.json') do
  local meta = test.json(path).build_meta
  if meta and meta.commit then
    add(meta.commit, meta)
    for _, kernel in pairs(meta.kernels or {}) do add(meta.commit, kernel) end
  end
end
test.ok(#measured > 0, 'recorded runs name commits')

for _, run in ipairs(measured) do
  local commit, stage, hash = run[1], run[2].stage, run[2].kernel_hash
  local then_in = run[2].recorded_as or stage -- its folder then
  local name = commit .. ' has the kernel of ' .. stage ..
    ' that was measured'
  if select(2, test.sh('git cat-file -e "$1^{commit}"', commit)) ~= 0 then
    test.skip(name, 'that commit is not here')
  else
    local found, code = test.sh([[
tree=$1/$2 root=$PWD
[ -d "$tree" ] || { mkdir "$tree" && git archive "$2" | tar -xf - -C "$tree"; }
cd "$tree" && exec "$root/tools/results/kernel-hash.sh" "$3"]],
      test.scratch, commit, then_in)
    found = found:gsub('\n', '')
    test.ok(code == 0 and (found == hash or same_code(stage, found, hash)),
      name, found)
  end
end
test.finish()
