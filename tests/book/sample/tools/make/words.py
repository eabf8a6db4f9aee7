VERBS = "check"
LAB_VERBS = ""
OTHERS = "stageN diff-stageN"
SETTINGS = "SHAPES \
"
