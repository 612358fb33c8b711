# shellcheck shell=bash disable=SC2154
# Sourced by other scripts in this folder. Needs $root, the repository's folder.

# run_step NAME COMMAND [ARGUMENT]...
# Runs the command with its output in build/log/NAME.log and prints one line on
# stderr: the name and how many seconds it took. If the command fails, prints
# its error messages and the end of the log, and exits with 1.
run_step() {
  local name=$1 log=$root/build/log/${1// /_}.log start=$SECONDS
  shift
  mkdir -p "$root/build/log"
  printf '%-44s' "$name" >&2
  if "$@" > "$log" 2>&1; then
    printf '%5d s\n' $((SECONDS - start)) >&2
  else
    printf 'failed after %d s\n' $((SECONDS - start)) >&2
    sed --in-place 's/\x1b\[[0-9;]*m//g' "$log" # run-clang-tidy 14 always uses colours
    {
      grep --extended-regexp --max-count=20 'error: |ERROR|FAILED|Failure' "$log" || true
      echo "--- the end of $log:"
      tail --lines=100 "$log"
    } >&2
    exit 1
  fi
}
