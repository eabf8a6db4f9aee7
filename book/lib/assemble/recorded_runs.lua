-- The recorded runs, by the command that made each: ::: {.runs} with a
-- definition list of the kinds of files, whose last code is the command. A
-- terminal's record in the same folder says it in full, and what the files say
-- of device, commit, date and tools is put beside it.
local definition_lists = require 'read.definition_lists'
local files = require 'common.files'
local json = require 'data.json'
local makefiles = require 'data.makefiles'
local report = require 'common.report'
local recorded_runs = { folder = nil }

local function pattern_of(glob)
  return '^' .. glob:gsub('[%p]', '%%%0'):gsub('%%%*', '.*') .. '$'
end

local function last_code(blocks)
  local code
  pandoc.Blocks(blocks):walk { Code = function(element)
    code = element.text
  end }
  return code
end

local function meta_of(path)
  if not path:match('%.json$') then return {} end
  local data, wrong, line = json.read(path)
  if wrong then report.line(path, line, '%s', wrong) end
  return type(data) == 'table' and data.build_meta or {}
end

local function tool_of(compiler)
  local version = compiler:match('^Cuda compilation tools.*V([%d.]+)')
  return version and 'nvcc ' .. version or compiler
end

-- What a file says of where it comes from, in words.
local function origins(meta)
  local words = {}
  local function say(word) words[#words + 1] = word end
  local device = meta.device
  if device and device.driver then
    say(device.name .. ', driver for CUDA ' .. device.driver)
  elseif device then
    say(device.name)
  end
  if meta.date then say(meta.date:sub(1, 10)) end
  if meta.commit then say('commit ' .. meta.commit) end
  if meta.compiler then say(tool_of(meta.compiler)) end
  for _, name in ipairs(json.keys(meta.kernels or {}) or {}) do
    local compiler = meta.kernels[name].compiler
    if compiler then say(tool_of(compiler)) end
  end
  if meta.profiler then
    say('Nsight Compute ' .. (meta.profiler:match('[%d.]+') or meta.profiler))
  end
  if meta.torch then say('PyTorch ' .. meta.torch) end
  if meta.cudnn then say('cuDNN ' .. meta.cudnn) end
  return words
end

local function group_of(groups, text)
  if not groups[text] then
    groups[text] = { texts = { text }, files = pandoc.List {},
      shown = pandoc.List {}, said = pandoc.List {} }
    table.insert(groups, groups[text])
  end
  return groups[text]
end

local function add_file(group, path)
  group.files:insert(path:match('[^/]+$'))
  group.data = group.data or path:match('%.json$')
  for _, word in ipairs(origins(meta_of(path))) do
    if not group.said:includes(word) then group.said:insert(word) end
  end
end

local function sentence(word, names)
  local list = pandoc.List { pandoc.Str(word) }
  for index, name in ipairs(names) do
    if index > 1 then list:insert(pandoc.Str(',')) end
    list:extend { pandoc.Space(), pandoc.Code(name) }
  end
  list:extend { pandoc.Str('.'), pandoc.Space() }
  return #names > 0 and list or pandoc.List {}
end

local function group_blocks(group)
  local head, said = pandoc.List {}, table.concat(group.said, '; ')
  for index, text in ipairs(group.texts) do
    if index > 1 then head:insert(pandoc.LineBreak()) end
    head:insert(pandoc.Code(text))
  end
  if said == '' and group.data then
    said = 'device and commit were not recorded'
  end
  local list = sentence('Wrote', group.files)
  if said ~= '' then
    list:extend { pandoc.Str('(' .. said .. ')'), pandoc.Space() }
  end
  list:extend(sentence('The terminal is in', group.shown))
  return { head, { { pandoc.Plain(list) } } }
end

-- Commands that only a terminal's record shows, and one record, are one entry.
local function joined(groups)
  local list = {}
  for _, group in ipairs(groups) do
    local last = list[#list]
    if last and #group.files == 0 and #last.files == 0 and
        group.shown[1] == last.shown[1] then
      table.insert(last.texts, group.texts[1])
    else
      list[#list + 1] = group
    end
  end
  return list
end

local function folder_blocks(folder, paths, kind_of)
  local groups, recorded = {}, {}
  for _, path in ipairs(paths) do
    if path:match('%.terminal%.txt$') then
      for _, command in ipairs(makefiles.commands_in(path)) do
        recorded[#recorded + 1] = command
        group_of(groups, command.text).shown:insert(path:match('[^/]+$'))
      end
    end
  end
  for _, path in ipairs(paths) do
    local kind = kind_of(path)
    if kind and kind.command then
      add_file(group_of(groups, makefiles.command_of(kind.command, meta_of(path),
        recorded)), path)
    end
  end
  local items = {}
  for index, group in ipairs(joined(groups)) do
    items[index] = group_blocks(group)
  end
  return { pandoc.Header(3, { pandoc.Code(folder) }),
    pandoc.DefinitionList(items) }
end

local function by_folder()
  local folders, list = {}, files.below(recorded_runs.folder)
  for _, path in ipairs(files.matching('results/[^/]+%.%l+')) do
    if path ~= 'results/README.md' then table.insert(list, path) end
  end
  for _, path in ipairs(list) do
    local folder = path:match('^(.*)/')
    if not folders[folder] then
      folders[folder] = {}
      table.insert(folders, folder)
    end
    table.insert(folders[folder], path)
  end
  table.sort(folders)
  return folders
end

function recorded_runs.block(block, context)
  local list = definition_lists.read(block, context)
  for _, entry in ipairs(list) do
    entry.pattern = pattern_of(entry.name)
    entry.command = last_code(entry.blocks)
    local shows = entry.name:match('%.terminal%.txt$')
    if not entry.command and not shows then
      report.at(entry, 'the entry names no command')
    end
  end
  local function kind_of(path)
    for _, entry in ipairs(list) do
      if path:match('[^/]+$'):match(entry.pattern) then
        entry.used = true
        return entry
      end
    end
    report.line(path, nil, 'no entry of %s says which command made this file',
      context.file)
  end
  local folders = by_folder()
  local shown, items = pandoc.List {}, {}
  for _, folder in ipairs(folders) do
    shown:extend(context.blocks(folder_blocks(folder, folders[folder], kind_of),
      context))
  end
  for index, entry in ipairs(list) do
    if not entry.used then
      report.at(entry, 'no recorded file is named so')
    end
    items[index] = { entry.head, { entry.blocks } }
  end
  shown:insert(1, pandoc.DefinitionList(items))
  return shown
end

return recorded_runs
