# $now: lines "STAGE ARM KERNEL-HASH MACHINE-CODE". The ledger with them: where
# an arm is the same machine code as before, the earlier hashes stay.
if (.compiler // $compiler) != $compiler then
  "machine-code.json was made by \(.compiler); here is \($compiler).\n" |
  halt_error(3)
else . end |
.kernels as $before | {compiler: $compiler, arch: $arch, kernels: [
  $now | rtrimstr("\n") | split("\n")[] | split(" ") |
  {stage: .[0], arm: .[1], machine_code: .[3], kernel_hashes: [.[2]]} as $one |
  [$before[] | select(.stage == $one.stage and .arm == $one.arm and
    .machine_code == $one.machine_code) | .kernel_hashes[]] as $known |
  $one + {kernel_hashes: ($known + ($one.kernel_hashes - $known))}]}
