# Trials, one a line as tune.sh records them, to a result in JSON.

function quoted(text) { return "\"" text "\"" }

# , "key": number, where there is one
function pair(key, number) {
  return number == "-" ? "" : sprintf(", \"%s\": %s", key, number)
}

# A-0.B-16 -> {"A": 0, "B": 16}: what differs from the default
function settings(arm,   n, parts, i, at, text) {
  if (arm == "default") return "{}"
  n = split(arm, parts, ".")
  for (i = 1; i <= n; i++) {
    at = index(parts[i], "-")
    text = text (i == 1 ? "" : ", ") quoted(substr(parts[i], 1, at - 1)) ": " \
           substr(parts[i], at + 1)
  }
  return "{" text "}"
}

BEGIN {
  printf "{\n \"build_meta\": {\"schema_version\": 1, \"stage\": \"%s\"", stage
  printf ", \"kernel_hash\": \"%s\", \"target\": \"%s\"},\n", hash, target
  printf " \"tune\": {\n  \"shape\": \"%s\", \"keep\": %d, \"ranked\": %s,\n",
         shape, keep, target == "gpu" ? "true" : "false"
  printf "  \"trials\": ["
}

{
  state = $3
  gsub("_", " ", state)
  printf "%s\n   {\"arm\": \"%s\", \"settings\": %s, \"layer\": %d", sep, $1,
         settings($1), $2
  printf ", \"state\": \"%s\"%s%s", state, pair("registers", $4),
         pair("shared_bytes", $5)
  if ($6 != "-") printf ", \"code\": \"%s\"", $6
  printf "%s%s%s%s", pair("p50_us", $7), pair("against_p50_us", $8),
         pair("noise_us", $9), pair("score", $10)
  if ($11 != "-") printf ", \"against\": \"%s\"", $11
  printf "}"
  sep = ","
}

END {
  printf "\n  ],\n  \"elite\": ["
  while ((getline line <final) > 0) {
    split(line, part, " ")
    lines[++n] = line
    if (part[1] == "default") base = part[2]
  }
  for (i = 1; i <= n; i++) {
    split(lines[i], part, " ")
    apart = part[2] - base
    if (apart < 0) apart = -apart
    saved = apart <= part[3] ? 0 : 100 * (1 - part[2] / base)
    printf "%s\n   {\"arm\": \"%s\", \"settings\": %s, \"p50_us\": %s, ",
           (i > 1 ? "," : ""), part[1], settings(part[1]), part[2]
    printf "\"noise_us\": %s, \"saved_pct\": %.2f}", part[3], saved
  }
  printf "\n  ]\n }\n}\n"
}
