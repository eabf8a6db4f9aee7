#!/bin/sh
# Stands in for the real tool: all stages but the first have one toggle.
case $1 in
list) [ "$2" = stage0_first ] || echo "WIDE 1 0 1" ;;
settings) [ "$2" != WIDE-0 ] || echo "WIDE=0" ;;
esac
