#!/bin/sh
# Stands in for the real tool: the second stage has one toggle.
case $1 in
list) [ "$2" != stage1_second ] || echo "WIDE 1 0 1" ;;
settings) [ "$2" != WIDE-0 ] || echo "WIDE=0" ;;
esac
