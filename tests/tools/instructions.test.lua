#!tests/lua.sh
-- Instructions of a listing with known sums: by opcode, and as a table.
local test = dofile 'tests/lib.lua'
local instructions = test.folder .. '/build/tools/instructions'
local code = 'build/gpu/stage99_x/default/sm_90a'
test.must('cp -r tools "$1"', test.scratch)
test.folder = test.scratch
test.must('mkdir -p build/gpu/stage99_x/default bin/only')
test.write('sass', [[
.text.attention_kernel:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E.LTC128B.128 R4, desc[UR4][R2.64] ;
        /*0020*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0030*/             @UP0  LDG.E.U8 R4, desc[UR4][R2.64] ;
        /*0040*/                   LDGSTS.E.BYPASS.128 [R1], desc[UR4][R2.64] ;
        /*0050*/                   STG.E.64 desc[UR4][R2.64], R4 ;
        /*0060*/                   LDS R4, [R1] ;
        /*0070*/                   LDS.U.128 R4, [R1] ;
        /*0080*/                   STS.U16 [R1], R4 ;
.L_x_1:
        /*0090*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
.L_x_2:
        /*00a0*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
        /*00b0*/                   LDSM.16.M88.4 R4, [R1] ;
        /*00c0*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*00c8*/                   SYNCS.EXCH.64 URZ, [UR4], UR6 ;
        /*00d0*/                   MUFU.EX2 R4, R4 ;
        /*00d8*/               @P0 BRA `(.L_x_2) ;
        /*00e0*/                   F2FP.F16.E4M3.UNPACK_B R4, R5 ;
        /*00f0*/                   LDL R4, [R1] ;
        /*00f8*/              @!P0 BRA P1, `(.L_x_1) ;
        /*0100*/                   BRA `(.L_x_0) ;
]])
test.script('bin/nvdisasm', 'exec cat ' .. test.folder .. '/sass\n')
test.write(code .. '.cubin', '')
test.environment.PATH = test.folder .. '/bin:' .. os.getenv 'PATH'

-- In the listing, each opcode is there so many times.
local function counts(listing, opcodes)
  for opcode, number in opcodes:gmatch '(%S+) (%d+)' do
    local said = test.sh('"$@"', instructions, 'count', code .. '.' .. listing,
      opcode)
    test.ok(said == number .. '\n',
      number .. ' of ' .. opcode .. ' in ' .. listing, said)
  end
end

-- The table of SASS, or of the same in PTX, with single blanks.
local function has_table(name)
  local said = test.sh('ARCH=90a "$@"', instructions, 'table',
    'stage99_x/default')
  local rows = said:gsub(' +', ' '):gsub('\ninstructions [^\n]*\n', '')
    :gsub('counted in [^\n]*\n', '')
  test.ok(rows == [[
stage99_x/default 2 1 1 1 1 1 1
 mbarrier 1
 global loads 1 x 16 B 1 x 4 B 1 x 1 B
 global stores 1 x 8 B
 shared loads 1 x 16 B 1 x 4 B
 shared stores 1 x 2 B
]], name, said)
  return said
end

counts('cubin', [[LDG 3, LDGSTS 1, LDS 2, HMMA.16816 2, LDC 1,
  LDG.E.LTC128B.128 1, MMA 0]])
for _, loop in ipairs {{'HMMA', '6'}, {'F2FP', '10'}, {'LDG'}} do
  local opcode, length = table.unpack(loop)
  local said = test.sh('"$@" 2>/dev/null', instructions, 'loop',
    code .. '.cubin', opcode)
  test.ok(said == (length and length .. '\n' or ''),
    'the smallest loop with ' .. opcode .. ': ' .. (length or 'none'), said)
end
test.write('none.ptx', '.version 9.0\n')
test.ends('a file without instructions is an error, not a count of none', 1,
  'none.ptx', '"$@"', instructions, 'count', 'none.ptx', 'LDG')
has_table 'the table of SASS'

-- The same in PTX, for where there is no disassembler.
test.write(code .. '.ptx', [[
.visible .entry attention_kernel(
	ld.param.u64 	%rd1, [p];
	@%p1 ld.global.v4.u32 	{%r1, %r2, %r3, %r4}, [%rd1];
	@!%p2 ld.global.nc.u8 	%rs1, [%rd1];
	ld.global.f32 	%f1, [%rd1];
	cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;
	cp.async.commit_group;
	st.global.u64 	[%rd1], %rd2;
	ld.shared.v2.f64 	{%fd1, %fd2}, [%r1];
	ld.shared.b32 	%r1, [%r2];
	st.shared.u16 	[%r1], %rs1;
	wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%f2};
	wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1}, {%f2};
	wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1}, [%r2];
	bar.sync 	0;
	mbarrier.init.shared.b64 [%r1], %r2;
	ex2.approx.ftz.f32 	%f1, %f2;
	{cvt.rn.f16x2.e4m3x2 %r1, %rs1;}
	ld.local.u32 	%r1, [%rd1];
	ret;
]])
counts('ptx', [[ld.global 3, cp.async.cg 1, cp.async 2,
  cvt.rn.f16x2.e4m3x2 1, wmma 3, ret 1]])
test.must [[rm bin/nvdisasm
  for tool in sh env dirname sed awk tr grep cat tail head sort ls; do
    ln -s "$(command -v $tool)" bin/only/$tool
  done]]
test.environment.PATH = test.folder .. '/bin/only'
test.environment.CUDA_HOME = '/none'
local said = has_table 'the table of PTX, without a disassembler'
test.ok(test.has(said, 'counted in PTX'), 'it says so', said)
test.ends('a cubin without a disassembler is exit 3, not a count of none', 3,
  'make setup', '"$@"', instructions, 'count', code .. '.cubin', 'LDG')
test.finish()
