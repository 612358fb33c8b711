# shellcheck shell=bash
# Creates a root folder of another Debian release and runs commands in it.
# Sourced. Mounts are in their own namespace, so none outlives its command.

# True if this process may do all of that in the folder $1.
can_make_roots() {
  local probe=$1/probe.$$ able=true
  ((EUID == 0)) || return 1
  mknod "$probe" c 1 3 2> /dev/null && echo 2> /dev/null > "$probe" &&
    unshare --mount --pid --fork sh -c 'mount -t proc proc /proc && chroot / true' 2> /dev/null ||
    able=false
  rm -f "$probe"
  $able
}

# need_roots FOLDER WHAT: or stops, because WHAT is not tested.
need_roots() {
  command -v debootstrap > /dev/null ||
    stop "$2 is not tested: no debootstrap; tools/install_dependencies.sh --compat installs it"
  can_make_roots "$1" ||
    stop "$2 is not tested: no right to mount, to chroot or to make device files here (root has it on most machines, in few containers)"
}

# copy_tree FOLDER: copies this tree without its build to FOLDER/linebloom; deletes
# files there that are gone here.
copy_tree() {
  mkdir -p "$1/linebloom"
  find "$1/linebloom" -mindepth 1 -maxdepth 1 ! -name build -exec rm -r {} +
  tar --create --exclude=./build --exclude=./.git . | tar --extract --directory "$1/linebloom"
}

# The mirror of this machine's own Debian.
debian_mirror() {
  # shellcheck disable=SC2016 # apt-get fills these in
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
    awk -v own="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" '
      $3 == "main" && ($2 == own || $2 ~ /^(old)*stable$|^testing$|^unstable$|^sid$/) {
        print $1; found = 1; exit
      }
      END { exit !found }'
}

# make_root SUITE FOLDER: creates a minimal Debian that uses the same network as
# this machine.
make_root() {
  local suite=$1 folder=$2 mirror proxy='' include=()
  if ! mirror=$(debian_mirror); then
    echo "ERROR: the apt sources of this machine name no mirror of Debian"
    return 1
  fi
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [[ $mirror != https* ]] || include=(--include=ca-certificates)
  rm -rf "$folder.part"
  env ${proxy:+http_proxy="$proxy" https_proxy="$proxy"} unshare --mount \
    debootstrap --variant=minbase "${include[@]}" "$suite" "$folder.part" "$mirror" || return 1
  apt-config dump |
    grep --extended-regexp '^Acquire::(http|https|Check-Valid-Until|Check-Date|Retries|ForceIPv)' \
      > "$folder.part/etc/apt/apt.conf.d/90host" || true
  mv "$folder.part" "$folder"
}

# in_root FOLDER COMMAND: runs a shell command in the root folder.
in_root() {
  local variables
  cp --dereference /etc/resolv.conf "$1/etc/resolv.conf"
  mapfile -t variables < <(env | grep --ignore-case --extended-regexp '^[a-z]+_proxy=')
  # shellcheck disable=SC2016 # the shell in the namespace fills these in
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
      exec chroot "$0" /usr/bin/env -i "${@:2}" bash -c "$1"' \
    "$1" "set -e; $2" HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "${variables[@]}"
}
