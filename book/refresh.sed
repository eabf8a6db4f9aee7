# What differs from run to run in shown output, one rule a line. Timings of the
# CPU executor and of builds say nothing about a GPU, so they are masked.
s/\([0-9][0-9.]*\) s on [0-9][0-9]* cores/N s on N cores/g
s/in [0-9][0-9.]* \(ms\|s\)\b/in N \1/g
s/0x[0-9a-f]\{8,\}/0xADDRESS/g
/^  building /d
# Who refreshes twice has the hunt already.
/kernel\.cu is there already, and was left alone\.$/,+1d
# The line of a makefile that refuses moves with every edit of the file.
s/\(\.mk\|Makefile\):[0-9][0-9]*: /\1:N: /
