# One opcode a line, SASS (upper case) or PTX (lower), to one kernel's sums.

# Bytes of a load or store of one thread.
function width(op,   bits, of) {
  if (op ~ /^[A-Z]/) {
    if (op ~ /\.128(\.|$)/) return 16
    if (op ~ /\.64(\.|$)/) return 8
    if (op ~ /\.[US]16(\.|$)/) return 2
    return op ~ /\.[US]8(\.|$)/ ? 1 : 4
  }
  of = op ~ /\.v4\./ ? 4 : op ~ /\.v2\./ ? 2 : 1
  match(op, /\.[busf](8|16|32|64|128)$/)
  bits = substr(op, RSTART + 2)
  return of * bits / 8
}

function access(op, kind, space) {
  number[kind, space, width(op)]++
}

/^([A-Z]*MMA\.|wmma\.mma\.|mma\.sync\.|wgmma\.mma_async\.)/ { tensor++ }
/^(LDGSTS|cp\.async\.c[ag]\.)/ { copies++ }
/^(LDSM|ldmatrix\.|wmma\.load\.)/ { ldmatrix++ }
/^(BAR\.|bar\.|barrier\.)/ { barriers++ }
/^(SYNCS\.|mbarrier\.)/ { mbarriers++ }
/^(MUFU|(ex2|rcp|rsqrt|lg2|sqrt|tanh)\.approx)/ { mufu++ }
/^(F2FP\..*E4M3|cvt\..*e4m3)/ { converts++ }
/^(LDL|STL|ld\.local|st\.local)/ { locals++ }
/^(LDG\.|ld\.global)/ { access($1, "loads", "global") }
/^(STG\.|st\.global)/ { access($1, "stores", "global") }
/^(LDS(\.|$)|ld\.shared)/ { access($1, "loads", "shared") }
/^(STS(\.|$)|st\.shared)/ { access($1, "stores", "shared") }

END {
  if (!NR) {
    print name ": no instructions found" >"/dev/stderr"
    exit 1
  }
  printf "%-42s %6d %8d %8d %7d %5d %7d %5d\n", name, tensor, copies, ldmatrix,
         barriers, mufu, converts, locals
  if (mbarriers) printf "  %-15s  %d\n", "mbarrier", mbarriers
  split("global shared", spaces)
  split("loads stores", kinds)
  for (s = 1; s <= 2; s++)
    for (k = 1; k <= 2; k++) {
      line = ""
      for (bytes = 16; bytes >= 1; bytes /= 2)
        if ((kinds[k], spaces[s], bytes) in number)
          line = line sprintf("  %d x %d B",
                              number[kinds[k], spaces[s], bytes], bytes)
      if (line) printf "  %-15s%s\n", spaces[s] " " kinds[k], line
    }
}
