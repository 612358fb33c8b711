# shellcheck shell=bash disable=SC2154
# Sourced by the scripts beside it. Needs $root, the repository's folder.

# run_step NAME COMMAND [ARGUMENT]...
# Runs the command with its output in build/log/NAME.log and prints one line on
# stderr: the name and the seconds it took. If the command fails, what it called
# errors and the end of the log follow, and the script ends with exit code 1.
run_step() {
  local name=$1 log=$root/build/log/${1// /_}.log start=$SECONDS
  shift
  mkdir -p "$root/build/log"
  printf '%-44s' "$name" >&2
  if "$@" > "$log" 2>&1; then
    printf '%5d s\n' $((SECONDS - start)) >&2
  else
    printf 'failed after %d s\n' $((SECONDS - start)) >&2
    sed --in-place 's/\x1b\[[0-9;]*m//g' "$log" # run-clang-tidy 14 always writes in colour
    {
      grep --extended-regexp --max-count=20 'error: |ERROR|FAILED|Failure' "$log" || true
      echo "--- the end of $log:"
      tail --lines=100 "$log"
    } >&2
    exit 1
  fi
}
