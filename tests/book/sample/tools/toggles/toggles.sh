#!/bin/sh
# Stands in for the real tool: the second stage has one toggle.
[ "$2" != stage1_second ] || echo "WIDE 1 0 1"
