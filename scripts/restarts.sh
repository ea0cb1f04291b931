# shellcheck shell=bash
# How scripts/run starts a job again that has died: from its journal, on the hosts that still answer. Sourced, never run.
# A job has died if it has left no report and was not told to stop: census writes one whenever it ends in order.

# How long a host may take to answer, and how long the last rank of a dead job may take to let go of the journal.
ANSWER_WITHIN=5
RELEASE_WITHIN=20

# Sees to it that there is a journal, and remembers when this began.
# shellcheck disable=SC2153  # scripts/run reads RESTARTS
prepare_restarts() {
  case $RESTARTS in '' | *[!0-9]*) die 2 "--restarts $RESTARTS is not a number" ;; esac
  [ "$PUZZLE" != - ] || die 2 "--restarts has to read the puzzle again: it cannot come from standard input"
  [ "$REPORT" != - ] || die 2 "--restarts needs a report in a file, to see whether the job has ended in order"
  OWN_JOURNAL=no RESTARTED=0 FRUITLESS=0
  if [ -z "$JOURNAL" ]; then
    OWN_JOURNAL=yes
    JOURNAL=${REPORT%.json}.journal
    ARGUMENTS+=(--journal "$JOURNAL")
  fi
  BEGUN=$(mktemp)
  trap 'rm -f "$BEGUN" "$BEGUN.hosts"' EXIT
}

# is_dead CODE: whether the job has died, rather than ended. Bad usage and bad input are the same the next time.
is_dead() {
  [ "$RESTARTS" != 0 ] && [ "$1" != 2 ] && [ -z "$STOPPING" ] && ! [ "$REPORT" -nt "$BEGUN" ]
}

# may_restart CODE: whether to start again. Says what happened and what will happen, and sets where.
may_restart() {
  local before=${FINISHED:-0} gone='' died="the job has died (exit code $1)"
  if [ "$RESTARTED" -ge "$RESTARTS" ]; then
    say "run: $died. After $RESTARTED restarts that is all; what is done is in $JOURNAL (--journal $JOURNAL --resume)."
    return 1
  fi
  FINISHED=$(finished_lines)
  if [ "$FINISHED" -gt "$before" ]; then FRUITLESS=0; else FRUITLESS=$((FRUITLESS + 1)); fi
  if [ "$FRUITLESS" -ge 2 ]; then
    say "run: $died, and two starts in a row have finished nothing: it is not started again."
    return 1
  fi
  RESTARTED=$((RESTARTED + 1))
  if [ -n "${HOSTFILE:-}" ] && [ "$MPI_KIND" != none ]; then
    gone=$(answering_hosts) || return 1
    if [ -n "$gone" ]; then fewer_hosts; fi
  fi
  wait_for_release
  say "run: $died${gone:+; no answer from ${gone}}. Restart $RESTARTED of $RESTARTS, on $STARTED_RANKS ranks, from $JOURNAL"
}

# How many lines the ranks have written: more of them, and a start was not for nothing.
finished_lines() { cat "$JOURNAL"/run-*.tsv 2>/dev/null | grep -vc '^#' || true; }

# answering_hosts: writes the lines of the hostfile whose hosts answer to ANSWERING, and prints the names of the others.
answering_hosts() {
  local line host silent='' folder
  folder=$(mktemp -d)
  # All are asked at the same time: a host that is gone takes its time not to answer.
  while read -r line || [ -n "$line" ]; do
    host=$(host_of "$line")
    [ -n "$host" ] || continue
    (if answers "$host"; then : >"$folder/$host"; fi) &
  done <"$(hostfile_path "$HOSTFILE")"
  wait
  : >"$BEGUN.hosts"
  while read -r line || [ -n "$line" ]; do
    host=$(host_of "$line")
    if [ -z "$host" ]; then continue; fi
    if [ -e "$folder/$host" ]; then printf '%s\n' "$line" >>"$BEGUN.hosts"; else silent+=", $host"; fi
  done <"$(hostfile_path "$HOSTFILE")"
  rm -rf "$folder"
  if ! [ -s "$BEGUN.hosts" ]; then
    say "run: the job has died, and no host of $HOSTFILE answers."
    return 1
  fi
  printf '%s' "${silent#, }"
}

# host_of LINE: the name of the host in a line of a hostfile, of either dialect
host_of() {
  local word
  read -r word _ <<<"${1%%#*}"
  printf '%s' "${word%%:*}"
}

# answers HOST: whether a command can be run there, in the way in which the launcher would
answers() {
  local agent=${OMPI_MCA_plm_rsh_agent:-ssh} options=()
  if [ "$MPI_KIND" = mpich ]; then agent=${HYDRA_LAUNCHER_EXEC:-ssh}; fi
  case $1 in localhost | 127.* | "$(hostname)") return 0 ;; esac
  case ${agent##*/} in ssh) options=(-o BatchMode=yes -o "ConnectTimeout=$ANSWER_WITHIN") ;; esac
  # shellcheck disable=SC2086  # an agent may have options of its own
  timeout "$ANSWER_WITHIN" $agent ${options[@]+"${options[@]}"} "$1" true >/dev/null 2>&1 </dev/null
}

# From now on, only the hosts that answer: no more ranks than they have room for.
fewer_hosts() {
  local slots
  HOSTFILE=$BEGUN.hosts
  slots=$(slots_of_hosts) || exit
  if [ "$STARTED_RANKS" -gt "$slots" ]; then STARTED_RANKS=$slots; fi
}

# Waits until nobody holds the lock of the journal: the ranks of a job that was cut off may take a while to notice.
wait_for_release() {
  if have flock && [ -e "$JOURNAL/lock" ]; then flock --wait "$RELEASE_WITHIN" "$JOURNAL/lock" true || true; fi
}

# end_restarts CODE: a journal of our own is of no use any more when the count is done.
end_restarts() {
  [ "$RESTARTS" != 0 ] || return 0
  if [ "$OWN_JOURNAL" = yes ] && [ "$1" -le 1 ] && [ "$REPORT" -nt "$BEGUN" ]; then rm -rf "$JOURNAL"; fi
}
