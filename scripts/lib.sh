# shellcheck shell=bash
# What the scripts share: how they speak, where the tools are, how census is built and how it is launched.
# Sourced, never run. Works with bash 3.2, which is what macOS has.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# About five million solutions, a few seconds.
# shellcheck disable=SC2034  # read by the scripts that source this file
DEFAULT_PUZZLE=puzzles/goldennugget16.txt

# scripts/setup ends with this code when all is there for the one-machine build, but not for MPI.
# shellcheck disable=SC2034  # read by the scripts that source this file
NO_MPI=4

# ---- How the scripts speak: everything that is not an answer goes to standard error ----

say() { printf '%s\n' "$*" >&2; }

# die CODE WORDS…
die() {
  local code=$1
  shift
  say "${0##*/}: $*"
  exit "$code"
}

# Prints the head comment of a script: all the comment lines below the first line.
usage_of() { awk 'NR == 1 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$1"; }

# quietly WORDS COMMAND…: runs a command without its output. Says WORDS if it takes more than a second, shows the output if it fails.
quietly() {
  local words=$1 log code=0 notice
  shift
  log=$(mktemp)
  (sleep 1 >/dev/null 2>&1 && say "$words") &
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

# ---- Where the tools are ----

have() { command -v "$1" >/dev/null 2>&1; }

# The oldest Rust that builds census, as Cargo.toml says: 1.89
rust_wanted() { sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$ROOT/Cargo.toml"; }

# The cargo in PATH, if it works: 1.95.0
rust_found() { cargo --version 2>/dev/null | awk '{ print $2 }'; }

# Is there a cargo, and is it new enough?
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

# Makes the Rust that rustup installed usable in this script, where the one in PATH is missing or too old.
find_rust() {
  if rust_ready; then return; fi
  local bin=${CARGO_HOME:-$HOME/.cargo}/bin
  if [ -x "$bin/cargo" ]; then
    export PATH="$bin:$PATH"
    if ! rust_ready && RUSTUP_TOOLCHAIN=stable rust_ready; then export RUSTUP_TOOLCHAIN=stable; fi
  fi
}

# Prints the directory of a libclang that has its headers beside it. The library alone is not enough:
# it is asked to read stddef.h, which is in a package of its own.
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

# mpi_kind MPIRUN: prints openmpi or mpich (and its kin, which start alike), or nothing.
mpi_kind() {
  case $("$1" --version 2>&1 </dev/null || true) in
    *"Open MPI"* | *OpenRTE*) echo openmpi ;;
    *HYDRA* | *MPICH* | *Intel*MPI*) echo mpich ;;
  esac
}

# mpicc_kind MPICC: the same for a compiler wrapper, and only if its mpi.h is there.
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

# find_mpi [openmpi|mpich]: sets MPI_KIND, MPIRUN and MPI_CC to a launcher and a compiler wrapper of one and the same library:
# the one asked for, or else the default `mpirun`'s. Fails if there is no such pair.
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

# What MPI needs in the environment. Root is who a container's user often is, and Open MPI refuses root unless told twice.
mpi_environment() {
  if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
}

# ---- Building ----

# The directory that cargo builds in: MPICH's build has its own, as changing the library in one directory does not relink.
target_dir() {
  local base=${CARGO_TARGET_DIR:-$ROOT/target}
  if [ "${1:-}" = mpich ]; then base=$base/mpich; fi
  printf '%s\n' "$base"
}

# cargo_for openmpi|mpich|none ARGUMENTS…: cargo in the project, against that library, whatever the current directory.
cargo_for() (
  kind=$1
  shift
  CARGO_TARGET_DIR=$(target_dir "$kind")
  export CARGO_TARGET_DIR
  # Set only where it has to be: a build by hand, without it, is then the same build.
  if [ "$kind" = none ] || [ "$MPI_CC" = mpicc ]; then unset MPICC; else export MPICC=$MPI_CC; fi
  # Apple's libclang is found without help, Homebrew's is not.
  if [ "$kind" != none ] && [ "$(uname)" = Darwin ] && [ -z "${LIBCLANG_PATH:-}" ]; then
    LIBCLANG_PATH=$(libclang_dir) && export LIBCLANG_PATH
  fi
  cd "$ROOT" && cargo "$@"
)

# build_census: sets up what MPI asks for (openmpi, mpich, none, or empty: what is there), builds, and sets MPI_KIND and CENSUS.
# A program that CENSUS names in the environment is taken as it is.
build_census() {
  local code=0
  case ${MPI:-} in '' | openmpi | mpich | none) ;; *) die 2 "MPI=$MPI is not openmpi, mpich or none" ;; esac
  if [ -n "${CENSUS:-}" ]; then
    [ -x "$CENSUS" ] || die 2 "CENSUS=$CENSUS: no such program"
    if [ "${MPI:-}" = none ]; then MPI_KIND=none; else find_mpi "${MPI:-}" || die 3 "no mpirun and mpicc of one library (${MPI:-any}) found"; fi
    return
  fi
  if [ "${MPI:-}" = none ]; then
    "$ROOT/scripts/setup" --no-mpi || exit 3
  else
    MPI=${MPI:-} "$ROOT/scripts/setup" || code=$?
    [ "$code" = 0 ] || [ "$code" = "$NO_MPI" ] || exit 3
  fi
  find_rust
  if [ "${MPI:-}" != none ] && [ "$code" = 0 ]; then
    find_mpi "${MPI:-}" || die 3 "no mpirun and mpicc of one library (${MPI:-any}) found"
    quietly "building census against $(mpi_name) (about a minute the first time)…" cargo_for "$MPI_KIND" build --release ||
      die 3 "the build failed; MPI=none ${0##*/} … builds and runs without MPI"
  else
    MPI_KIND=none
    [ "$code" = 0 ] || say "MPI is not here and could not be installed: going on with the one-machine build, which uses all cores of this machine."
    quietly "building census for one machine (about half a minute the first time)…" cargo_for none build --release --no-default-features ||
      die 3 "the build failed"
  fi
  # shellcheck disable=SC2034  # read by the scripts that source this file
  CENSUS=$(target_dir "$MPI_KIND")/release/census
}

# slurm_census: in a Slurm job nothing is built. Sets MPI_KIND to what MPI asks for, or else what is there, CENSUS to the build for
# it unless the environment names one, and PMI to how srun starts its ranks.
# shellcheck disable=SC2034  # read by the scripts that source this file
slurm_census() {
  case ${MPI:-} in
    '') find_mpi || die 3 "no MPI found on $(hostname)" ;;
    openmpi | mpich) MPI_KIND=$MPI ;;
    *) die 2 "MPI=$MPI is not openmpi or mpich" ;;
  esac
  if [ "$MPI_KIND" = mpich ]; then PMI=pmi2; else PMI=pmix; fi
  CENSUS=${CENSUS:-$(target_dir "$MPI_KIND")/release/census}
  [ -x "$CENSUS" ] || die 2 "there is no $CENSUS; please build it first"
}

mpi_name() { if [ "$MPI_KIND" = mpich ]; then echo MPICH; else echo "Open MPI"; fi; }

# ---- Launching ----

# The processors that this process may use, and how many of them are cores of their own.
processors() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN; }
cores() {
  local all found
  all=$(processors)
  if have lscpu; then found=$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l); else found=$(sysctl -n hw.physicalcpu 2>/dev/null || echo 0); fi
  if [ "$found" -gt 0 ] && [ "$found" -lt "$all" ]; then echo "$((found))"; else echo "$all"; fi
}

# hostfile_path NAME: as seen from the current directory, or else from the project's.
hostfile_path() {
  if [ -f "$1" ]; then printf '%s\n' "$1"; elif [ -f "$ROOT/$1" ]; then printf '%s\n' "$ROOT/$1"; else die 2 "HOSTFILE=$1: no such file"; fi
}

# hostfile_slots FILE: prints the sum of the hosts' slots; a host without a number has one.
# Fails on a line that the chosen launcher would read as something else.
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

# Are we inside a batch system's job? Its launcher then knows the hosts.
in_batch_job() { [ -n "${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}" ]; }

# slots_of_hosts: how many ranks HOSTFILE has room for
slots_of_hosts() {
  local hosts slots form=slots=N
  if [ "$MPI_KIND" = mpich ]; then form=:N; fi
  hosts=$(hostfile_path "$HOSTFILE") || exit
  slots=$(hostfile_slots "$hosts") ||
    die 2 "HOSTFILE=$HOSTFILE: $(mpi_name) writes the number of ranks of a host as \`$form\`, this file says \`$slots\`"
  [ "$slots" -gt 0 ] || die 2 "HOSTFILE=$HOSTFILE names no host"
  echo "$slots"
}

# default_ranks: the hostfile's slots, or the batch job's tasks, or one rank for each processor of this machine.
default_ranks() {
  local ranks
  if [ -n "${HOSTFILE:-}" ]; then
    slots_of_hosts
  elif in_batch_job; then
    [ -n "${SLURM_NTASKS:-}" ] || die 2 "inside this batch job please say how many ranks: RANKS=N"
    echo "$SLURM_NTASKS"
  else
    ranks=$(($(processors) / ${THREADS:-1}))
    echo $((ranks > 0 ? ranks : 1))
  fi
}

# launcher RANKS THREADS: sets LAUNCH to the command line that starts census on so many ranks.
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

# openmpi_option FLAG POLICY: what is a flag in version 4 is a mapping policy in version 5.
openmpi_option() { if [ "$OPENMPI_VERSION" -ge 5 ]; then LAUNCH+=(--map-by "$2"); else LAUNCH+=("$1"); fi; }

# Has mpirun and its daemons ask each other for a sign of life: a host that is gone ends the job after six seconds of silence, not
# after hours. That has to be sooner than the ranks themselves give up (--heartbeat-timeout): when they do, mpirun tells all daemons to
# stop, and a connection with bytes on the way is not asked for signs of life any more. mpirun then waits for a quarter of an
# hour. It says which host is missing, too. The same words are for PRRTE, which version 5 starts ranks by. MPICH's mpirun has
# nothing like it.
openmpi_keepalive() {
  local project
  for project in OMPI PRTE; do
    keep_or_set "${project}_MCA_oob_tcp_keepalive_time" 3
    keep_or_set "${project}_MCA_oob_tcp_keepalive_intvl" 1
    keep_or_set "${project}_MCA_oob_tcp_keepalive_probes" 3
  done
}

# keep_or_set NAME VALUE: what the user has put into the environment stays.
keep_or_set() { export "$1=${!1:-$2}"; }

openmpi_on_one_machine() {
  local ranks=$1
  if [ "$ranks" -gt "$(processors)" ]; then
    openmpi_option --oversubscribe :OVERSUBSCRIBE
  elif [ "$ranks" -gt "$(cores)" ]; then
    openmpi_option --use-hwthread-cpus :HWTCPUS
  fi
  if [ "$OPENMPI_VERSION" = 4 ]; then
    # Without -q an answer of "no" (exit code 1) gets a banner about an aborted job.
    LAUNCH+=(-q)
    # Shared memory and nothing else: no search for networks, a faster start. Only version 4 names it so.
    export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1} OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader}
    export OMPI_MCA_btl_vader_single_copy_mechanism=${OMPI_MCA_btl_vader_single_copy_mechanism:-none}
  fi
}
