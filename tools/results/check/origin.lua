-- Where a result comes from: which kernel, commit, device and day.
local origin = {}

-- The output of a command without its last newline, or nil where it fails.
local function said(command, ...)
  local fine, text = pcall(pandoc.pipe, command, { ... }, '')
  return fine and text:gsub('%s+$', '') or nil
end

local hashes = {}
local function hash_now(stage)
  if hashes[stage] == nil then
    hashes[stage] = said('tools/results/kernel-hash.sh', stage) or false
  end
  return hashes[stage]
end

-- Are both hashes of an arm in the ledger that make carry keeps?
local function carried(ledger, stage, arm, one, other)
  for _, kernel in ipairs(type(ledger) == 'table' and ledger.kernels or {}) do
    if kernel.stage == stage and kernel.arm == arm then
      local known = pandoc.List(kernel.kernel_hashes)
      return known:includes(one) and known:includes(other)
    end
  end
end

-- Was it measured with the kernel that is in the tree now?
function origin.check_kernel(kernel, ledger, fault)
  local stage, recorded = kernel.stage, kernel.kernel_hash
  if type(stage) ~= 'string' or type(recorded) ~= 'string' then
    return fault('it does not say of which kernel it is')
  end
  local now = stage:find '^[%w_]+$' and hash_now(stage)
  if not now then return fault('there is no kernel of %s here', stage) end
  if now ~= recorded and
      not carried(ledger, stage, kernel.arm or 'default', recorded, now) then
    fault('it was measured with another kernel than %s now has', stage)
  end
end

-- "NVIDIA H200" to "nvidia-h200", as the folder is called.
local function folder_of(name)
  return (name:lower():gsub('[^%w]+', '-'))
end

-- folder: {device, date}, as its path says.
function origin.check_run(meta, folder, fault)
  local device = meta.device
  if type(device) ~= 'table' or type(device.name) ~= 'string' or
      not device.is_gpu then
    fault 'it does not say on which GPU it ran'
  elseif folder_of(device.name) ~= folder.device then
    fault('it is of %s, and lies in %s', device.name, folder.device)
  end
  local day = tostring(meta.date):match '^(%d%d%d%d%-%d%d%-%d%d)T'
  if not day then
    fault 'it does not say when it ran'
  elseif day < folder.date then
    fault('it ran on %s, before the day of its folder', day)
  end
  local commit = tostring(meta.commit)
  if commit:find '%-dirty$' then
    fault 'something was not committed when it ran'
  elseif not meta.commit or commit == 'unknown' then
    fault 'it does not say of which commit it is'
  end
end

return origin
