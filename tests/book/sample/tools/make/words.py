"""Stands in for what can be typed after make."""
VERBS = "check"
SETTINGS = "SHAPES"
