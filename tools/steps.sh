# For ./run and ./test, read with `.`: a step is one line on the screen and a log in build/log.
#
#   step NAME HINT COMMAND...   runs COMMAND; where it fails, shows the end of its log and HINT, and returns 1

step_log() { echo "$root/build/log/$(echo "$1" | tr ' ' '-').log"; }

step() {
  step_name=$1 step_hint=$2
  shift 2
  mkdir -p "$root/build/log"
  step_file=$(step_log "$step_name")
  printf '%-18s ' "$step_name"
  step_start=$(date +%s)
  if (cd "$root" && "$@") >"$step_file" 2>&1 </dev/null; then
    printf '%-8s %4d s\n' "${step_word:-ok}" $(($(date +%s) - step_start))
    return 0
  fi
  printf '%-8s %4d s\n' FAILED $(($(date +%s) - step_start))
  tail -n 30 "$step_file" | sed 's/^/  | /'
  echo "  all of it: ${step_file#"$root"/}"
  echo "  what to do: $step_hint"
  return 1
}

jobs=$(nproc 2>/dev/null || echo 2)
