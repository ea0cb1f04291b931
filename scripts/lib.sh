# shellcheck shell=bash
# Functions that the scripts share: messages, finding tools, building census, launching it.
# Sourced, never run. Works with bash 3.2, the version on macOS.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# About five million solutions, half a second on one core.
# shellcheck disable=SC2034  # read by the scripts that source this file
DEFAULT_PUZZLE=puzzles/goldennugget16.txt

# The values of --schedule and --method without auto. A test compares them with the program.
# shellcheck disable=SC2034  # read by the scripts that source this file
ALL_SCHEDULES='static cyclic dynamic guided steal'
# shellcheck disable=SC2034  # read by the scripts that source this file
ALL_METHODS='search bands'

# Exit code of scripts/setup when MPI is missing, but the build without MPI has all that it needs
# shellcheck disable=SC2034  # read by the scripts that source this file
NO_MPI=4

# ---- Messages: everything that is not a result goes to standard error ----

say() { printf '%s\n' "$*" >&2; }

# die CODE MESSAGE…
die() {
  local code=$1
  shift
  say "${0##*/}: $*"
  exit "$code"
}

# Prints the head comment of a script: all the comment lines below the first line.
usage_of() { awk 'NR == 1 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$1"; }

# quietly MESSAGE COMMAND…: runs a command, and prints its output only if it fails. Prints MESSAGE if it takes more than a second.
quietly() {
  local message=$1 log code=0 notice
  shift
  log=$(mktemp)
  (sleep 1 >/dev/null 2>&1 && say "$message") &
  notice=$!
  "$@" >"$log" 2>&1 </dev/null || code=$?
  kill "$notice" 2>/dev/null || true
  wait "$notice" 2>/dev/null || true
  [ "$code" = 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$code"
}

# check_number NAME VALUE
check_number() { case $2 in '' | 0* | *[!0-9]*) die 2 "$1=$2 is not a number from 1 up" ;; esac; }

# ---- Reading what census writes ----

# is_complete REPORT
is_complete() { grep -qs '^  "complete": true' "$1"; }

# journal_lines JOURNAL: the number of lines about finished work, which measures progress
journal_lines() { cat "$1"/run-*.tsv 2>/dev/null | grep -vc '^#' || true; }

# ---- Finding tools ----

have() { command -v "$1" >/dev/null 2>&1; }

# The minimum version of Rust, from Cargo.toml: 1.89
rust_wanted() { sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$ROOT/Cargo.toml"; }

# The cargo in PATH, if it works: 1.95.0
rust_found() { cargo --version 2>/dev/null | awk '{ print $2 }'; }

# Whether there is a cargo, and it is new enough
rust_ready() {
  local found wanted
  found=$(rust_found)
  wanted=$(rust_wanted)
  [ -n "$found" ] || return 1
  awk -v found="$found" -v wanted="$wanted" 'BEGIN {
    split(found, f, "."); split(wanted, w, ".")
    exit !(f[1] > w[1] + 0 || (f[1] == w[1] + 0 && f[2] + 0 >= w[2] + 0))
  }'
}

# Puts rustup's Rust in PATH if the one in PATH is missing or too old.
find_rust() {
  if rust_ready; then return; fi
  local bin=${CARGO_HOME:-$HOME/.cargo}/bin
  if [ -x "$bin/cargo" ]; then
    export PATH="$bin:$PATH"
    if ! rust_ready && RUSTUP_TOOLCHAIN=stable rust_ready; then export RUSTUP_TOOLCHAIN=stable; fi
  fi
}

# Prints the directory of a libclang that has its headers. The library alone is not enough: bindgen needs
# stddef.h, which is in another package.
libclang_dir() (
  shopt -s nullglob
  dirs=("${LIBCLANG_PATH:-/nonexistent}" /usr/lib/llvm-*/lib /usr/lib/llvm/*/lib* /usr/lib64 /usr/lib64/llvm*/lib /usr/lib /usr/local/lib
    /usr/lib/*-linux-gnu /opt/homebrew/opt/llvm/lib /usr/local/opt/llvm/lib
    /Library/Developer/CommandLineTools/usr/lib /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib)
  for dir in "${dirs[@]}"; do
    libraries=("$dir"/libclang.so* "$dir"/libclang-[0-9]*.so* "$dir"/libclang.dylib)
    headers=("$dir"/clang/*/include/stddef.h "$dir"/../lib/clang/*/include/stddef.h)
    if [ ${#libraries[@]} -gt 0 ] && { [ ${#headers[@]} -gt 0 ] || have clang; }; then
      printf '%s\n' "$dir"
      return 0
    fi
  done
  return 1
)

# ---- MPI: which library, and its launcher ----

# mpi_kind MPIRUN: prints openmpi, mpich (also for libraries derived from it), or nothing.
mpi_kind() {
  case $("$1" --version 2>&1 </dev/null || true) in
    *"Open MPI"* | *OpenRTE*) echo openmpi ;;
    *HYDRA* | *MPICH* | *Intel*MPI*) echo mpich ;;
  esac
}

# mpicc_kind MPICC: the same for a compiler wrapper; nothing if its mpi.h is missing.
mpicc_kind() {
  local show word
  show=$("$1" -show 2>/dev/null </dev/null) || return 0
  for word in $show; do
    case $word in -I*) [ -f "${word#-I}/mpi.h" ] && break ;; esac
    word=
  done
  [ -n "$word" ] || [ -f /usr/include/mpi.h ] || return 0
  case $("$1" --showme:version 2>/dev/null </dev/null || true) in
    *"Open MPI"*) echo openmpi ;;
    *) echo mpich ;;
  esac
}

# find_mpi [openmpi|mpich]: sets MPI_KIND, MPIRUN and MPI_CC to a launcher and a compiler wrapper of the same library, by default that
# of `mpirun`. Fails if there is no such pair.
find_mpi() {
  local wanted=${1:-} run cc
  MPI_KIND='' MPIRUN='' MPI_CC=''
  for run in mpirun "mpirun.${wanted:-openmpi}" "/usr/lib64/${wanted:-openmpi}/bin/mpirun"; do
    have "$run" || continue
    MPI_KIND=$(mpi_kind "$run")
    if [ -n "$MPI_KIND" ] && [ "${wanted:-$MPI_KIND}" = "$MPI_KIND" ]; then
      MPIRUN=$(command -v "$run")
      break
    fi
  done
  [ -n "$MPIRUN" ] || return 1
  for cc in ${MPICC:+"$MPICC"} mpicc "mpicc.$MPI_KIND" "${MPIRUN%/*}/mpicc"; do
    if have "$cc" && [ "$(mpicc_kind "$cc")" = "$MPI_KIND" ]; then
      MPI_CC=$cc
      return 0
    fi
  done
  return 1
}

# find_mpi for the library MPI, or the end of the script
require_mpi() { find_mpi "${MPI:-}" || die 3 "no mpirun and mpicc of the same library (${MPI:-any}) found"; }

# Exports what MPI needs. Open MPI refuses root, the usual user in a container, unless both variables are set.
mpi_environment() {
  if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
}

# ---- Building ----

# A script that sets this to yes builds for all libraries in one directory.
ONE_TARGET_DIR=no

# target_dir [KIND]: the directory that cargo builds in. That for MPICH is another one, because cargo does not relink when only the
# library changes.
target_dir() {
  local base=${CARGO_TARGET_DIR:-$ROOT/target}
  if [ "${1:-}" = mpich ] && [ "$ONE_TARGET_DIR" = no ]; then base=$base/mpich; fi
  printf '%s\n' "$base"
}

# cargo_for openmpi|mpich|none ARGUMENTS…: runs cargo in the project's root, for this library.
cargo_for() (
  kind=$1
  shift
  CARGO_TARGET_DIR=$(target_dir "$kind")
  export CARGO_TARGET_DIR
  # Set only if necessary, so that a manual `cargo build` reuses this build.
  if [ "$kind" = none ] || [ "$MPI_CC" = mpicc ]; then unset MPICC; else export MPICC=$MPI_CC; fi
  # bindgen finds Apple's libclang by itself, but not Homebrew's.
  if [ "$kind" != none ] && [ "$(uname)" = Darwin ] && [ -z "${LIBCLANG_PATH:-}" ]; then
    LIBCLANG_PATH=$(libclang_dir) && export LIBCLANG_PATH
  fi
  cd "$ROOT" && cargo "$@"
)

# build_census: installs what is missing, builds census for the library MPI (openmpi, mpich, none; empty: the installed one), and sets
# MPI_KIND and CENSUS. Builds nothing if the environment already has CENSUS.
build_census() {
  local code=0
  case ${MPI:-} in '' | openmpi | mpich | none) ;; *) die 2 "MPI=$MPI is not openmpi, mpich or none" ;; esac
  if [ -n "${CENSUS:-}" ]; then
    [ -x "$CENSUS" ] || die 2 "CENSUS=$CENSUS: no such program"
    if [ "${MPI:-}" = none ]; then MPI_KIND=none; else require_mpi; fi
    return
  fi
  if [ "${MPI:-}" = none ]; then
    "$ROOT/scripts/setup" --no-mpi || exit 3
  else
    MPI=${MPI:-} "$ROOT/scripts/setup" || code=$?
    case $code in
      0 | "$NO_MPI") ;;
      *) existing_build && return || exit 3 ;;
    esac
  fi
  find_rust
  if ! can_build; then
    existing_build && return
    die 3 "cannot write to $(target_dir): CARGO_TARGET_DIR=DIR is another folder for the build"
  fi
  if [ "${MPI:-}" != none ] && [ "$code" = 0 ]; then
    require_mpi
    quietly "building census for $(mpi_name) (about a minute the first time)…" cargo_for "$MPI_KIND" build --release ||
      die 3 "the build failed; to build and run without MPI: MPI=none $0 …"
  else
    MPI_KIND=none
    [ "$code" = 0 ] || say "MPI is missing and could not be installed. Using the build without MPI, which uses all cores of this machine."
    quietly "building census without MPI (about half a minute the first time)…" cargo_for none build --release --no-default-features ||
      die 3 "the build failed"
  fi
  # shellcheck disable=SC2034  # read by the scripts that source this file
  CENSUS=$(target_dir "$MPI_KIND")/release/census
}

# Whether cargo can write its output: not in a read-only copy of the project
can_build() { mkdir -p "$(target_dir)/release" 2>/dev/null && [ -w "$(target_dir)/release" ]; }

# existing_build: where nothing can be installed or built, sets MPI_KIND and CENSUS to a build that is there. Fails if there is none.
existing_build() {
  if [ "${MPI:-}" = none ]; then MPI_KIND=none; else find_mpi "${MPI:-}" || return 1; fi
  CENSUS=$(target_dir "$MPI_KIND")/release/census
  [ -x "$CENSUS" ] || return 1
  say "using the existing build $CENSUS, which may be older than the sources"
}

# slurm_census: sets MPI_KIND to MPI or else to the installed library, CENSUS to its existing build unless the environment has it, and
# PMI to the interface by which srun starts its ranks. Nothing is built in a Slurm job.
# shellcheck disable=SC2034  # read by the scripts that source this file
slurm_census() {
  case ${MPI:-} in
    '') find_mpi || die 3 "MPI is not installed on $(hostname)" ;;
    openmpi | mpich) MPI_KIND=$MPI ;;
    *) die 2 "MPI=$MPI is not openmpi or mpich" ;;
  esac
  if [ "$MPI_KIND" = mpich ]; then PMI=pmi2; else PMI=pmix; fi
  CENSUS=${CENSUS:-$(target_dir "$MPI_KIND")/release/census}
  [ -x "$CENSUS" ] || die 2 "CENSUS=$CENSUS: no such program; build it first"
}

mpi_name() { if [ "$MPI_KIND" = mpich ]; then echo MPICH; else echo "Open MPI"; fi; }

# ---- Launching ----

# The number of processors that this process may use, and of physical cores among them
processors() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN; }
cores() {
  local all found
  all=$(processors)
  if have lscpu; then found=$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l); else found=$(sysctl -n hw.physicalcpu 2>/dev/null || echo 0); fi
  if [ "$found" -gt 0 ] && [ "$found" -lt "$all" ]; then echo "$((found))"; else echo "$all"; fi
}

# hostfile_path NAME: the path of a hostfile, which is relative to the current directory or else to the project's root
hostfile_path() {
  if [ -f "$1" ]; then printf '%s\n' "$1"; elif [ -f "$ROOT/$1" ]; then printf '%s\n' "$ROOT/$1"; else die 2 "HOSTFILE=$1: no such file"; fi
}

# hostfile_slots FILE: prints the sum of the hosts' slots; a host without a number has one.
# Fails on a line in the format of the other library, and prints it.
hostfile_slots() {
  awk -v kind="$MPI_KIND" '
    { sub(/#.*/, "") } !NF { next }
    kind == "openmpi" && $1 ~ /:[0-9]+$/ { wrong = $1; exit }
    kind == "mpich" && /slots *=/        { wrong = $0; exit }
    kind == "mpich"   { slots += match($1, /:[0-9]+$/) ? substr($1, RSTART + 1) : 1; next }
    match($0, /[ \t]slots *= *[0-9]+/) { text = substr($0, RSTART, RLENGTH); sub(/.*= */, "", text); slots += text; next }
    { slots++ }
    END { if (wrong != "") { print wrong; exit 1 } print slots + 0 }' "$1"
}

# Whether this is a job of a batch system, where the launcher knows the hosts
in_batch_job() { [ -n "${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}" ]; }

# slots_of_hosts: prints the number of slots in HOSTFILE
slots_of_hosts() {
  local hosts slots form=slots=N
  if [ "$MPI_KIND" = mpich ]; then form=:N; fi
  hosts=$(hostfile_path "$HOSTFILE") || exit
  slots=$(hostfile_slots "$hosts") ||
    die 2 "HOSTFILE=$HOSTFILE: \`$slots\`: $(mpi_name) expects the number of ranks of a host as \`$form\`"
  [ "$slots" -gt 0 ] || die 2 "HOSTFILE=$HOSTFILE: the file has no host"
  echo "$slots"
}

# default_ranks: prints the hostfile's slots, or the batch job's tasks, or processors / THREADS.
default_ranks() {
  local ranks
  if [ -n "${HOSTFILE:-}" ]; then
    slots_of_hosts
  elif in_batch_job; then
    [ -n "${SLURM_NTASKS:-}" ] || die 2 "the number of tasks of this batch job is unknown: set RANKS=N"
    echo "$SLURM_NTASKS"
  else
    ranks=$(($(processors) / ${THREADS:-1}))
    echo $((ranks > 0 ? ranks : 1))
  fi
}

# launcher RANKS THREADS: sets LAUNCH to the launcher's command line.
launcher() {
  local ranks=$1 threads=$2 hosts slots
  mpi_environment
  LAUNCH=("$MPIRUN" -n "$ranks")
  if [ -n "${HOSTFILE:-}" ]; then
    hosts=$(hostfile_path "$HOSTFILE") || exit
    slots=$(slots_of_hosts) || exit
    if [ "$MPI_KIND" = mpich ]; then LAUNCH+=(-f "$hosts"); else LAUNCH+=(--hostfile "$hosts"); fi
  fi
  [ "$MPI_KIND" = openmpi ] || return 0
  OPENMPI_VERSION=$("$MPIRUN" --version 2>&1 | awk 'NR == 1 { print int($NF) }')
  # A rank bound to one core would keep its worker threads there.
  [ "$threads" = 1 ] || LAUNCH+=(--bind-to none)
  if [ -n "${HOSTFILE:-}" ]; then
    openmpi_keepalive
    [ "$ranks" -le "$slots" ] || openmpi_option --oversubscribe :OVERSUBSCRIBE
  elif ! in_batch_job; then
    openmpi_on_one_machine "$ranks"
  fi
}

# openmpi_option FLAG POLICY: the flag of version 4 is a mapping policy in version 5.
openmpi_option() { if [ "$OPENMPI_VERSION" -ge 5 ]; then LAUNCH+=(--map-by "$2"); else LAUNCH+=("$1"); fi; }

# Enables TCP keep-alive between mpirun and its daemons: a lost host ends the job after six seconds of silence, not after hours, and
# mpirun names the host. This has to happen before the ranks abort the job (--heartbeat-timeout): mpirun then sends a stop to all
# daemons, TCP sends no keep-alive probes while data is unacknowledged, and mpirun would wait for a quarter of an hour. Version 5 has
# the same options under the name of PRRTE, its launcher. MPICH's mpirun has no such option.
openmpi_keepalive() {
  local project
  for project in OMPI PRTE; do
    keep_or_set "${project}_MCA_oob_tcp_keepalive_time" 3
    keep_or_set "${project}_MCA_oob_tcp_keepalive_intvl" 1
    keep_or_set "${project}_MCA_oob_tcp_keepalive_probes" 3
  done
}

# keep_or_set NAME VALUE: exports a variable unless the environment already has it.
keep_or_set() { export "$1=${!1:-$2}"; }

openmpi_on_one_machine() {
  local ranks=$1
  if [ "$ranks" -gt "$(processors)" ]; then
    openmpi_option --oversubscribe :OVERSUBSCRIBE
  elif [ "$ranks" -gt "$(cores)" ]; then
    openmpi_option --use-hwthread-cpus :HWTCPUS
  fi
  if [ "$OPENMPI_VERSION" = 4 ]; then
    # Without -q, mpirun prints a banner about an aborted job after the answer "no" (exit code 1).
    LAUNCH+=(-q)
    # Shared memory only: mpirun starts faster because it does not probe networks. Version 5 has other names.
    export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1} OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader}
    export OMPI_MCA_btl_vader_single_copy_mechanism=${OMPI_MCA_btl_vader_single_copy_mechanism:-none}
  fi
}
