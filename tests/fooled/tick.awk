# The step of a clock, from the samples that it took.
# In a result: the largest number of nanoseconds that divides every sample
# between events.  In a list of figures, one a line: whole ticks or not.
function divisor(a, b,   rest) {
  while (b) { rest = a % b; a = b; b = rest }
  return a
}
/"event": \{/ { event = 1 }
/"graph"/ { event = 0 }
event && /"samples_us"/ { reading = 1; next }
reading && /\]/ { reading = 0 }
reading {
  ns = int($1 * 1000 + 0.5)
  step = divisor(step, ns)
  samples++
  if (!(ns in seen)) { seen[ns] = 1; values++ }
}
END {
  printf "%d samples, %d different values, all multiples of %d ns\n", samples,
         values, step
}
