#!/bin/sh
# Stands in for the real tool: any change of the file counts.
sha256sum <"$1/kernel.cu" | cut -d ' ' -f 1
