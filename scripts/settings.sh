# shellcheck shell=bash
# The settings of a sweep, from the command line, a sweep file, and earlier results. Sourced by scripts/sweep, never run.
# A sweep file has lines `key = value…` and comments (#). The keys are the options without their dashes, and the environment
# variables of scripts/run (mpi, hostfile).

KEYS="name puzzles weak ranks threads schedules depths methods repeats warm-up traces seed options mpi hostfile hosts"

NAME='' PUZZLES='' LADDER='' RANKS_LIST='' THREADS_LIST='' SCHEDULES='' DEPTHS='' METHODS='' REPEATS='' WARM_UP='' TRACES='' SEED='' OPTIONS=''

# take WHERE KEY VALUE: checks and stores a setting. WHERE is the prefix of an error: `--ranks`, or `file:3: ranks`.
take() {
  local value=$3
  case $2 in
    ranks | threads | schedules | depths | methods) value=${3//,/ } && set -- "$1" "$2" "$value" ;; # lists by comma or blank
  esac
  case $2 in
    puzzles) value=$(files "$1" "$3") || exit ;;
    weak) value=$(ladder_folder "$1" "$3") || exit ;;
    hosts) return 0 ;; # only information, about results
    *) check_setting "$@" ;;
  esac
  case $2 in
    name) NAME=$value ;;
    puzzles) PUZZLES=$value ;;
    weak) LADDER=$value ;;
    ranks) RANKS_LIST=$(unique "$value") ;;
    threads) THREADS_LIST=$(unique "$value") ;;
    schedules) SCHEDULES=$(unique "$value") ;;
    depths) DEPTHS=$(unique "$value") ;;
    methods) METHODS=$(unique "$value") ;;
    repeats) REPEATS=$value ;;
    warm-up) WARM_UP=$value ;;
    traces) TRACES=$value ;;
    seed) SEED=$value ;;
    options) OPTIONS=$(unwrapped "$value") ;;
    mpi) MPI=${MPI:-$value} ;; # the environment has precedence, like the command line
    hostfile) HOSTFILE=${HOSTFILE:-$value} ;;
  esac
}

check_setting() {
  local where=$1 key=$2 value=$3 word
  [ -n "$(unwrapped "$value")" ] || [ "$key" = options ] || die 2 "$where needs a value"
  for word in $value; do
    case $key in
      ranks) [ "$word" = sequential ] || check_from "$where" "$word" 1 "a number from 1 up, or sequential" ;;
      threads | repeats) check_from "$where" "$word" 1 "a number from 1 up" ;;
      warm-up) check_from "$where" "$word" 0 "a number from 0 up" ;;
      depths) [ "$word" = auto ] || check_from "$where" "$word" 0 "a number of guesses, or auto" ;;
      seed) check_from "$where" "$word" 1 "a number from 1 up" ;;
      schedules) check_among "$where" "$word" "$ALL_SCHEDULES" auto ;;
      methods) check_among "$where" "$word" "$ALL_METHODS" auto ;;
      traces) check_among "$where" "$word" no first all ;;
      mpi) check_among "$where" "$word" openmpi mpich none ;;
      options)
        case ${word%%=*} in
          --method | --schedule | --depth | --threads | --report | --trace | --expect-ranks | --journal | --resume)
            die 2 "$where: ${word%%=*} is set by the sweep" ;;
        esac
        ;;
    esac
  done
  case $key in
    name) case $value in . | .. | */* | *[!A-Za-z0-9._+-]*) die 2 "$where: '$value' is not a folder name of letters, digits and . _ + -" ;; esac ;;
    repeats | warm-up | seed | traces | mpi | hostfile) [ "$(unwrapped "$value")" = "$word" ] || die 2 "$where: '$value' is more than one value" ;;
  esac
}

# check_from WHERE WORD MINIMUM EXPECTED: a number of at most nine digits
check_from() {
  case $2 in
    0) [ "$3" = 0 ] || die 2 "$1: '$2' is not $4" ;;
    '' | 0* | *[!0-9]* | ??????????*) die 2 "$1: '$2' is not $4" ;;
  esac
}

# check_among WHERE WORD CHOICES…
check_among() {
  local where=$1 word=$2
  shift 2
  case " $* " in *" $word "*) ;; *) die 2 "$where: '$word' is none of: $*" ;; esac
}

unwrapped() { printf '%s\n' "$*" | awk '{ $1 = $1; line = line (NR > 1 ? " " : "") $0 } END { print line }'; }

# unique WORDS…: each of them once
# shellcheck disable=SC2048,SC2086  # lists are words
unique() { printf '%s\n' $* | awk '!seen[$0]++' | paste -s -d' ' -; }

# ---- Files and folders: relative to the current directory, or else to the project's root. Those in the project are stored relative
# ---- to its root, so that reports and commands are valid in any copy of it.

# files WHERE PATTERNS: prints the files that match
files() (
  set +f
  found=''
  for word in $2; do
    if ! compgen -G "$word" >/dev/null; then cd "$ROOT" || exit; fi
    for file in $word; do
      [ -f "$file" ] || die 2 "$1: no such file: $file"
      found+=" $(in_project "$file")"
    done
    cd "$START" || exit
  done
  [ -n "$found" ] || die 2 "$1 needs a value"
  unique "$found"
)

ladder_folder() (
  folder=$(unwrapped "$2")
  [ -d "$folder" ] || cd "$ROOT" || exit
  [ -f "$folder/ladder.tsv" ] || die 2 "$1: no such file: $folder/ladder.tsv"
  in_project "$folder"
)

# in_project PATH: relative to the project's root if it is in it, absolute otherwise
in_project() {
  local folder path
  if [ -d "$1" ]; then
    path=$(cd "$1" && pwd)
  else
    case $1 in */*) folder=${1%/*} ;; *) folder=. ;; esac
    path=$(cd "${folder:-/}" && pwd)/${1##*/}
  fi
  case $path in "$ROOT"/*) path=${path#"$ROOT"/} ;; esac
  case $path in *[[:space:]]*) die 2 "'$path': a path in a sweep must not have spaces" ;; esac
  printf '%s\n' "$path"
}

# ---- Sweep files ----

# read_file FILE: takes the settings that the command line (ON_COMMAND_LINE) has not set.
read_file() {
  local file=$1 number=0 line key seen=' '
  [ -f "$file" ] || die 2 "no such sweep file: $file"
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=$(unwrapped "$(printf '%s\n' "${line%$'\r'}" | sed -e 's/^#.*//' -e 's/[[:space:]]#.*//')")
    case $line in
      '') continue ;;
      =*) die 2 "$file:$number: no key before =" ;;
      *=*) key=$(unwrapped "${line%%=*}") ;;
      *) die 2 "$file:$number: not a line \`key = value\`: $line (a puzzle is given with --puzzles)" ;;
    esac
    case " $KEYS " in *" $key "*) ;; *) die 2 "$file:$number: unknown setting '$key' (settings: $KEYS)" ;; esac
    case $seen in *" $key "*) die 2 "$file:$number: $key is set twice" ;; esac
    seen+="$key "
    case $ON_COMMAND_LINE in
      *" $key "*) (take "$file:$number: $key" "$key" "$(unwrapped "${line#*=}")") || exit ;; # checks the value only
      *) take "$file:$number: $key" "$key" "$(unwrapped "${line#*=}")" ;;
    esac
  done <"$file"
}

# ---- sweep.conf: all settings, beside the results ----

# keep_settings: refuses settings whose runs could not be compared with the existing ones. Writes the union of all settings so far.
keep_settings() {
  local conf=$DIRECTORY/sweep.conf
  same_as_before mpi "$MPI_KIND"
  same_as_before hosts "$(hosts_of_sweep)"
  same_as_before options "$OPTIONS"
  same_as_before warm-up "$WARM_UP"
  [ -z "$LADDER" ] || [ -z "$(before weak)" ] || same_as_before weak "$LADDER"
  {
    echo "# A sweep. To resume it, or to repeat it: scripts/sweep $conf [--name NAME]"
    setting name "$NAME"
    setting puzzles "$(unique "$(before puzzles)" "$PUZZLES")"
    setting weak "${LADDER:-$(before weak)}"
    setting ranks "$(unique "$(before ranks)" "$RANKS_LIST")"
    setting threads "$(unique "$(before threads)" "$THREADS_LIST")"
    setting schedules "$(unique "$(before schedules)" "$SCHEDULES")"
    setting depths "$(unique "$(before depths)" "$DEPTHS")"
    setting methods "$(unique "$(before methods)" "$METHODS")"
    setting repeats "$(printf '%s\n' "$(before repeats)" "$REPEATS" | sort -n | tail -n 1)"
    setting warm-up "$WARM_UP"
    setting traces "$TRACES"
    setting seed "$SEED"
    setting options "$OPTIONS"
    setting mpi "$MPI_KIND"
    setting hostfile "${HOSTFILE:-}"
    setting hosts "$(hosts_of_sweep)"
  } >"$conf.partial"
  mv "$conf.partial" "$conf"
}

setting() { [ -z "$2" ] || echo "$1 = $2"; }

# before KEY: the value of a setting in sweep.conf
before() { if [ -f "$DIRECTORY/sweep.conf" ]; then sed -n "s/^$1 = //p" "$DIRECTORY/sweep.conf"; fi; }

same_as_before() {
  local before
  [ -f "$DIRECTORY/sweep.conf" ] || return 0
  before=$(before "$1")
  [ "$before" = "$2" ] || die 2 "$DIRECTORY was made with $1 = ${before:-(nothing)}, not ${2:-(nothing)}: choose another --name"
}

# The place of the ranks: the hosts of the hostfile, a partition of a Slurm cluster, or this machine
hosts_of_sweep() {
  if [ -n "${HOSTFILE:-}" ]; then
    awk '{ sub(/#.*/, "") } NF { $1 = $1; line = line " " $0 } END { print substr(line, 2) }' "$HOSTFILE"
  elif in_slurm_job; then
    echo "slurm ${SLURM_JOB_PARTITION:-}"
  else
    uname -n
  fi
}
