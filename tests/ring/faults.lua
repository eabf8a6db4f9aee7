-- What goes wrong with single ranks: within 30 seconds each that can still
-- speak ends with one sentence that names the rank.
--   dofile 'tests/ring/faults.lua'(test, {'dies', ...})
local PROGRAM = 'build/cpu/stage18_ring/program'
-- As run.sh starts it; a case that takes some seconds of each rank.
local START = [[
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=true
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_orte_execute_quiet=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none SIMT_THREADS=1
export OMP_NUM_THREADS=1
program=]] .. PROGRAM .. '\n'
-- SIGNAL RANK: to that rank of the program started here, when it is watched
local SEND = START .. [[
timeout 60 mpirun -n 3 "$program" check --shape 1,4,3000,128 &
launcher=$!
# The rank's process, or nothing
found() {
  for p in $(cat /proc/$launcher/task/*/children) $(for c in $(cat \
      /proc/$launcher/task/*/children); do cat /proc/$c/task/*/children; done)
  do
    case $(readlink /proc/$p/exe) in */stage18_ring/program) ;; *) continue ;;
    esac
    tr '\0' '\n' <"/proc/$p/environ" | grep -qx "OMPI_COMM_WORLD_RANK=$1" &&
      grep -qx watchdog /proc/$p/task/*/comm && echo "$p"
  done 2>/dev/null
}
tries=0
while p=$(found "$2"); [ -z "$p" ] && [ $tries -lt 100 ]; do
  tries=$((tries + 1))
  sleep 0.2
done
kill "-$1" "$p"
wait $launcher]]

-- How many ranks say it.
local function speakers(said, words)
  local count = 0
  for line in said:gmatch 'stage18_ring, rank %d+: ([^\n]*)' do
    if line:find(words, 1, true) then count = count + 1 end
  end
  return count
end

local faults = {
  ['other shape'] = {words = "Rank 1 has the command", ranks = 2, script = START
    .. [[mpirun -n 1 "$program" check --shape 1,1,64,64 : \
      -n 1 "$program" check --shape 1,1,65,64]]},
  ['other build'] = {words = "Rank 1 has the build '0123456789ab'", ranks = 2,
    script = START .. [[
      build=$(strings -n 12 "$program" | grep -xE '[0-9a-f]{12}' | head -n 1)
      sed "s/$build/0123456789ab/" "$program" >other && chmod +x other
      mpirun -n 1 "$program" check --shape 1,1,64,64 : \
        -n 1 ./other check --shape 1,1,64,64]]},
  ['dies'] = {words = 'rank 2 has died', ranks = 2, script = SEND,
    arguments = {'KILL', 2}},
  ['the first dies'] = {words = 'rank 0 has died', ranks = 2, script = SEND,
    arguments = {'KILL', 0}},
  ['hangs'] = {words = 'rank 1 is silent since 8 seconds', ranks = 2,
    script = SEND, arguments = {'STOP', 1}},
}

return function(test, names)
  for _, name in ipairs(names) do
    local fault = faults[name]
    local begun = os.time()
    local said, code = test.sh(fault.script,
      table.unpack(fault.arguments or {}))
    test.ok(code ~= 0 and os.time() - begun <= 30,
      'a rank ' .. name .. ': all end in 30 seconds', said)
    test.ok(speakers(said, fault.words) == fault.ranks,
      '  each with a sentence that names it', said)
  end
end
