# STAGE/ARM of every kernel that a record is about.
. as $whole | .build_meta // empty |
(.kernels // {} | keys[]),
(select(.stage) | "\(.stage)." +
  (.arm // ($whole.tune.trials // [] | .[] |
    select(.state == "timed" or .state == "same code") | .arm) // "default")) |
sub("\\."; "/") | if test("/") then . else "\(.)/default" end
