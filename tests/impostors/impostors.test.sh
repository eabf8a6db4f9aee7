#!/bin/sh
# What each known-wrong kernel is refused by: build/tests/impostors says it, and
# is run from here because it takes long, and tests that do so begin first.
# takes: 80 s
exec build/tests/impostors
