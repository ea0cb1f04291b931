# shellcheck shell=bash
# The settings of a sweep: said on the command line, in a sweep file, or by the results that are there already. Sourced by
# scripts/sweep, never run. A sweep file has lines `key = value…` and comments (#); keys are the options without their dashes, and
# what scripts/run reads from the environment (mpi, hostfile).

KEYS="name puzzles weak ranks threads schedules depths methods repeats warm-up traces seed options mpi hostfile hosts"

NAME='' PUZZLES='' LADDER='' RANKS_LIST='' THREADS_LIST='' SCHEDULES='' DEPTHS='' METHODS='' REPEATS='' WARM_UP='' TRACES='' SEED='' OPTIONS=''

# take WHERE KEY VALUE: checks a setting, and keeps it. WHERE is what an error begins with: `--ranks`, or `file:3: ranks`.
take() {
  local value=$3
  case $2 in
    puzzles) value=$(files "$1" "$3") || exit ;;
    weak) value=$(ladder_folder "$1" "$3") || exit ;;
    hosts) return 0 ;; # a note of where results come from
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
    mpi) MPI=${MPI:-$value} ;; # the environment wins, as the command line does
    hostfile) HOSTFILE=${HOSTFILE:-$value} ;;
  esac
}

check_setting() {
  local where=$1 key=$2 value=$3 word
  [ -n "$(unwrapped "$value")" ] || [ "$key" = options ] || die 2 "$where wants a value"
  for word in $value; do
    case $key in
      ranks) [ "$word" = sequential ] || check_from "$where" "$word" 1 "a number from 1 up, nor sequential" ;;
      threads | repeats) check_from "$where" "$word" 1 "a number from 1 up" ;;
      warm-up) check_from "$where" "$word" 0 "a number from 0 up" ;;
      depths) [ "$word" = auto ] || check_from "$where" "$word" 0 "a number of guesses, nor auto" ;;
      seed) check_from "$where" "$word" 1 "a number from 1 up" ;;
      schedules) check_among "$where" "$word" static cyclic dynamic guided steal auto ;;
      methods) check_among "$where" "$word" search bands auto ;;
      traces) check_among "$where" "$word" no first all ;;
      mpi) check_among "$where" "$word" openmpi mpich none ;;
      options)
        case ${word%%=*} in
          --method | --schedule | --depth | --threads | --report | --trace | --expect-ranks | --journal | --resume)
            die 2 "$where: ${word%%=*} is for the sweep itself to say" ;;
        esac
        ;;
    esac
  done
  case $key in
    name) case $value in . | .. | */* | *[!A-Za-z0-9._+-]*) die 2 "$where: '$value' is not a name for a folder: letters, digits and . _ + -" ;; esac ;;
    repeats | warm-up | seed | traces | mpi | hostfile) [ "$(unwrapped "$value")" = "$word" ] || die 2 "$where: one value, please, not '$value'" ;;
  esac
}

# check_from WHERE WORD LEAST WORDS. Nine digits are enough for everything here.
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

# ---- Files and folders: as seen from where we are, or else from the project's folder. Those of the project are called as they
# ---- are seen from there: reports and commands then mean the same in any copy of the project.

# files WHERE WORDS: the files that these words and patterns name
files() (
  set +f
  found=''
  for word in $2; do
    if ! compgen -G "$word" >/dev/null; then cd "$ROOT" || exit; fi
    for file in $word; do
      [ -f "$file" ] || die 2 "$1: no file $file"
      found+=" $(in_project "$file")"
    done
    cd "$START" || exit
  done
  [ -n "$found" ] || die 2 "$1 wants a value"
  unique "$found"
)

ladder_folder() (
  folder=$(unwrapped "$2")
  [ -d "$folder" ] || cd "$ROOT" || exit
  [ -f "$folder/ladder.tsv" ] || die 2 "$1: there is no ladder $folder/ladder.tsv"
  in_project "$folder"
)

# in_project PATH
in_project() {
  local folder path
  if [ -d "$1" ]; then
    path=$(cd "$1" && pwd)
  else
    case $1 in */*) folder=${1%/*} ;; *) folder=. ;; esac
    path=$(cd "${folder:-/}" && pwd)/${1##*/}
  fi
  case $path in "$ROOT"/*) path=${path#"$ROOT"/} ;; esac
  case $path in *[[:space:]]*) die 2 "'$path': in a sweep, please, no names with spaces" ;; esac
  printf '%s\n' "$path"
}

# ---- Sweep files ----

# read_file FILE: takes what the command line (SAID) has not said already.
read_file() {
  local file=$1 number=0 line key seen=' '
  [ -f "$file" ] || die 2 "there is no sweep file $file"
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    line=$(unwrapped "$(printf '%s\n' "${line%$'\r'}" | sed -e 's/^#.*//' -e 's/[[:space:]]#.*//')")
    case $line in
      '') continue ;;
      =*) die 2 "$file:$number: there is no key before the =" ;;
      *=*) key=$(unwrapped "${line%%=*}") ;;
      *) die 2 "$file:$number: not a line \`key = value\`: $line" ;;
    esac
    case " $KEYS " in *" $key "*) ;; *) die 2 "$file:$number: '$key' is none of the settings: $KEYS" ;; esac
    case $seen in *" $key "*) die 2 "$file:$number: $key was said before" ;; esac
    seen+="$key "
    case $SAID in
      *" $key "*) (take "$file:$number: $key" "$key" "$(unwrapped "${line#*=}")") || exit ;; # only to see whether it is right
      *) take "$file:$number: $key" "$key" "$(unwrapped "${line#*=}")" ;;
    esac
  done <"$file"
}

# ---- Beside the results: all settings, as a sweep file ----

# keep_settings: refuses settings that would make runs that cannot be compared with those that are there, and notes the others,
# those of earlier starts among them.
keep_settings() {
  local conf=$DIRECTORY/sweep.conf
  same_as_before mpi "$MPI_KIND"
  same_as_before hosts "$(hosts_of_sweep)"
  same_as_before options "$OPTIONS"
  same_as_before warm-up "$WARM_UP"
  [ -z "$LADDER" ] || [ -z "$(before weak)" ] || same_as_before weak "$LADDER"
  {
    echo "# A sweep. To go on with it, or to make it once more: scripts/sweep $conf [--name NAME]"
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

# before KEY: what the runs that are there were made with
before() { if [ -f "$DIRECTORY/sweep.conf" ]; then sed -n "s/^$1 = //p" "$DIRECTORY/sweep.conf"; fi; }

same_as_before() {
  local before
  [ -f "$DIRECTORY/sweep.conf" ] || return 0
  before=$(before "$1")
  [ "$before" = "$2" ] || die 2 "$DIRECTORY was made with $1 = ${before:-(nothing)}, not ${2:-(nothing)}: please choose another --name"
}

# Where ranks run: the hosts of the hostfile, the partition of a cluster, or this machine.
hosts_of_sweep() {
  if [ -n "${HOSTFILE:-}" ]; then
    awk '{ sub(/#.*/, "") } NF { $1 = $1; line = line " " $0 } END { print substr(line, 2) }' "$HOSTFILE"
  elif in_slurm_job; then
    echo "slurm ${SLURM_JOB_PARTITION:-}"
  else
    uname -n
  fi
}
