# shellcheck shell=bash disable=SC2154
# Sourced by other scripts in this folder. Needs $root, the repository's folder.

# stop PROBLEM: for bad usage, and for what is missing.
stop() {
  echo "${0##*/}: $1; --help says more" >&2
  exit 2
}

# parse_options NAME=DEFAULT... -- ARGUMENT...
# Sets the variable NAME for each option of a script: --NAME makes `false` `true`,
# --NAME=VALUE replaces anything else, a number by a number. Other arguments go to
# `operands`, those after `--` to `rest`. --help prints the script's first comment.
parse_options() {
  local name names=' '
  operands=() rest=()
  while [[ $1 != -- ]]; do
    declare -g "$1"
    names+="${1%%=*} "
    shift
  done
  while shift && (($# > 0)); do
    name=${1#--}
    name=${name%%=*}
    case $1 in
      -h | --help)
        sed --quiet '2,/^[^#]/s/^# \?//p' "$0"
        exit 0
        ;;
      --)
        rest=("${@:2}")
        return
        ;;
      -*)
        [[ $names == *" $name "* ]] || stop "unknown argument '$1'"
        if [[ ${!name} == false || ${!name} == true ]]; then
          [[ $1 == "--$name" ]] || stop "--$name takes no value"
          declare -g "$name=true"
        else
          [[ $1 == *=* ]] || stop "--$name needs a value"
          [[ ! ${!name} =~ ^[0-9]+$ || $1 =~ =[0-9]{1,7}$ ]] ||
            stop "'$1' is not a number from 0 to 9999999"
          declare -g "$name=${1#*=}"
        fi
        ;;
      *) operands+=("$1") ;;
    esac
  done
  return 0
}

# run_step NAME COMMAND [ARGUMENT]...
# Runs the command with its output in build/log/NAME.log and prints one line on
# stderr: the name and how many seconds it took; meanwhile, on a terminal, how
# far it is. If the command fails, prints its error messages and the end of the
# log, and exits with 1.
run_step() {
  local name=$1 log=$root/build/log/${1// /_}.log start=$SECONDS code=0 shower=''
  shift
  mkdir -p "$root/build/log"
  printf '%-44s' "$name" >&2
  if [[ -t 2 ]]; then # until it is killed or this script ends, at most 80 columns
    while sleep 1 && kill -0 $$ 2> /dev/null; do
      printf '\r%-44s%5d s  %.26s\e[K' "$name" $((SECONDS - start)) \
        "$(tail --lines=1 "$log" 2> /dev/null | tr --delete '\000-\037')" >&2
    done &
    shower=$!
  fi
  "$@" > "$log" 2>&1 || code=$?
  if [[ $shower ]]; then
    kill "$shower"
    wait "$shower" 2> /dev/null || true
    printf '\r%-44s\e[K' "$name" >&2
  fi
  if ((code == 0)); then
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
