-- folder(STAGE): where the files of a stage lie.
return function(stage)
  local file = io.open('further/' .. stage .. '/kernel.cu')
  if not file then return stage end
  file:close()
  return 'further/' .. stage
end
