-- The folders that rooms.lua keeps in order; add one when it is clean.
--   folder      and all below it, but for those that `apart` names
--   objects     where the object files of its sources are, but for those in
--               gpu/; without them only sizes and #include lines are looked at
--   order       the rooms, from the ground floor up: calls and #include lines
--               point down. Files of the folder itself stand above all rooms,
--               its headers without a source below
--   interfaces  headers that declare what several sources define
--   elsewhere   patterns of names that others declare, such as CUDA or gcc
return {
  simt = {
    folder = 'common/simt', objects = 'build/cpu/simt',
    order = 'run memory access race count sync tensor report',
    apart = 'include',
    interfaces = 'common/simt/simt.h common/simt/include/simt_abi.h',
    elsewhere = '^cuda ^__tsan_ ^__sanitizer_',
  },
  harness = {
    folder = 'common/harness', objects = 'build/cpu/harness',
    order = 'program device recorded problem launch judge record time run',
    apart = 'object', -- built once a stage
    elsewhere = '^nvtx ^InitializeInjectionNvtx',
  },
  device = {folder = 'common/device'},
  floor = {folder = 'floor'},
  tools = {folder = 'tools'},
  library = {folder = 'libfp8attention'},
  ring = {
    folder = 'stage18_ring', order = 'ranks ring run',
    apart = 'cpu gpu', -- they implement what the rooms declare
  },
  book = {folder = 'book'},
  ['modules of the book'] = {
    folder = 'book/lib',
    order = 'common data text code figures read assemble write',
  },
  tests = {folder = 'tests'},
}
