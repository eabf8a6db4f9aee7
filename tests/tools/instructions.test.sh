#!/bin/sh
# Instructions counted from a listing with known sums: by opcode, and the table.
set -u
. tests/lib.sh
folder=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$folder" "$log"' EXIT
mkdir -p "$folder/build/gpu/stage9_x/default" "$folder/bin"
cat >"$folder/bin/nvdisasm" <<'END'
#!/bin/sh
cat <<'CODE'
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
CODE
END
chmod +x "$folder/bin/nvdisasm"
code=$folder/build/gpu/stage9_x/default
touch "$code/sm_90a.cubin"
PATH=$folder/bin:$PATH
here=$PWD
instructions=$PWD/build/tools/instructions
cp -r tools "$folder/"
cd "$folder" || exit 1
# counts OPCODE NUMBER FILE
counts() {
  [ "$("$instructions" count "$3" "$1" 2>&1)" = "$2" ]
  ok $? "$2 of $1 in ${3##*.}"
}
counts LDG 3 "$code/sm_90a.cubin"
counts LDGSTS 1 "$code/sm_90a.cubin"
counts LDS 2 "$code/sm_90a.cubin"
counts HMMA.16816 2 "$code/sm_90a.cubin"
counts LDC 1 "$code/sm_90a.cubin"
counts 'LDG.E.LTC128B.128' 1 "$code/sm_90a.cubin"
counts MMA 0 "$code/sm_90a.cubin"
# loops OPCODE NUMBER
loops() {
  [ "$("$instructions" loop "$code/sm_90a.cubin" "$1" 2>/dev/null)" = "$2" ]
  ok $? "the smallest loop with $1: ${2:-none}"
}
loops HMMA 6
loops F2FP 10
loops LDG ''
tables() {
  ARCH=90a "$instructions" table stage9_x/default >"$log" 2>&1
  tr -s ' ' <"$log" | grep -v '^instructions\|^$\|counted in' >"$log.short"
  diff "$folder/wanted" "$log.short" >"$log.diff"
  ok $? "$1" "$log.diff"
}
echo '.version 9.0' >"$folder/none.ptx"
! "$instructions" count "$folder/none.ptx" LDG >"$log" 2>&1
ok $? "a file without instructions is an error, not a count of none" "$log"
cat >"$folder/wanted" <<'END'
stage9_x/default 2 1 1 1 1 1 1
 mbarrier 1
 global loads 1 x 16 B 1 x 4 B 1 x 1 B
 global stores 1 x 8 B
 shared loads 1 x 16 B 1 x 4 B
 shared stores 1 x 2 B
END
tables "the table of SASS"

# The same in PTX, for where there is no disassembler.
cat >"$code/sm_90a.ptx" <<'END'
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
END
counts ld.global 3 "$code/sm_90a.ptx"
counts cp.async.cg 1 "$code/sm_90a.ptx"
counts cp.async 2 "$code/sm_90a.ptx"
counts cvt.rn.f16x2.e4m3x2 1 "$code/sm_90a.ptx"
counts wmma 3 "$code/sm_90a.ptx"
counts ret 1 "$code/sm_90a.ptx"
rm "$folder/bin/nvdisasm"
mkdir bin/only
for tool in sh dirname sed awk tr grep diff cat tail head sort ls env; do
  ln -s "$(command -v $tool)" bin/only/$tool
done
PATH=$folder/bin/only
CUDA_HOME=/none
export CUDA_HOME
tables "the table of PTX, without a disassembler"
grep -q 'counted in PTX' "$log"
ok $? "it says so" "$log"
"$instructions" count "$code/sm_90a.cubin" LDG >"$log" 2>&1
[ $? -eq 3 ] && grep -q 'make setup' "$log"
ok $? "a cubin without a disassembler is exit 3, not a count of none" "$log"
cd "$here" || exit 1
PATH=/usr/bin:/bin
rm -f "$log.short" "$log.diff"
finish
