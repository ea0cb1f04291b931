# shellcheck shell=bash
# How scripts/run starts a job again that has died: from its journal, on the hosts that still answer. Sourced, never run.
# A job has died if it has left no report and was not told to stop: census writes one whenever it ends in order.

# Seconds that a host may take to answer, and that the last rank of a dead job may take to let go of the journal. Where
# every host is busy, a login takes longer than usual.
ANSWER_WITHIN=${ANSWER_WITHIN:-10}
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
    [ ! -e "$JOURNAL" ] || die 2 "$JOURNAL is there already: --journal $JOURNAL --resume takes it up, --journal DIR begins another"
    ARGUMENTS+=(--journal "$JOURNAL")
  fi
}

# shellcheck disable=SC2012  # a number at the front of the line is what it is
# The number of the report's file; a new report is a new file, whatever the clocks of its disk say.
report_number() { if [ -e "$REPORT" ]; then ls -i -- "$REPORT" | awk '{ print $1 }'; fi; }
has_report() { [ -e "$REPORT" ] && [ "$(report_number)" != "$OLD_REPORT" ]; }

# is_dead CODE: whether the job has died, rather than ended. Bad usage and bad input are the same the next time.
is_dead() {
  [ "$RESTARTS" != 0 ] && [ "$1" != 2 ] && [ -z "$STOPPING" ] && ! has_report
}

# may_restart CODE: whether to start again. Says what happened and what will happen, and sets where.
may_restart() {
  local before=${FINISHED:-0} gone='' died="the job has died (exit code $1)"
  if [ "$RESTARTED" -ge "$RESTARTS" ]; then
    say "run: $died. After $RESTARTED restarts that is all."
    return 1
  fi
  FINISHED=$(finished_lines)
  if [ "$FINISHED" -gt "$before" ]; then FRUITLESS=0; else FRUITLESS=$((FRUITLESS + 1)); fi
  if [ "$FRUITLESS" -ge 2 ]; then
    say "run: $died, and two starts in a row have finished nothing: it is not started again."
    return 1
  fi
  RESTARTED=$((RESTARTED + 1))
  if [ -n "$ALL_HOSTS" ] && [ "$MPI_KIND" != none ]; then
    if ! gone=$(answering_hosts); then
      say "run: $died, and no host of $ALL_HOSTS answers."
      return 1
    fi
    use_hosts "$gone"
  fi
  wait_for_release
  say "run: $died${gone:+; no answer from ${gone}}. Restart $RESTARTED of $RESTARTS, on $STARTED_RANKS ranks, from $JOURNAL"
}

# How many lines the ranks have written: more of them, and a start was not for nothing.
finished_lines() { cat "$JOURNAL"/run-*.tsv 2>/dev/null | grep -vc '^#' || true; }

# answering_hosts: writes the lines of the user's hostfile whose hosts answer to $FOLDER/hosts, and prints the names of the others.
# Fails if none answers.
answering_hosts() {
  local line host file silent=''
  file=$(hostfile_path "$ALL_HOSTS") || exit
  rm -rf "$FOLDER/answers" "$FOLDER/hosts"
  mkdir "$FOLDER/answers"
  : >"$FOLDER/hosts"
  # All are asked at the same time: a host that is gone takes its time not to answer.
  while read -r line || [ -n "$line" ]; do
    host=$(host_of "$line")
    [ -n "$host" ] || continue
    (if answers "$host"; then : >"$FOLDER/answers/$host"; fi) &
  done <"$file"
  wait
  while read -r line || [ -n "$line" ]; do
    host=$(host_of "$line")
    [ -n "$host" ] || continue
    if [ -e "$FOLDER/answers/$host" ]; then printf '%s\n' "$line" >>"$FOLDER/hosts"; else silent+=", $host"; fi
  done <"$file"
  printf '%s' "${silent#, }"
  [ -s "$FOLDER/hosts" ]
}

# host_of LINE: the name of the host in a line of a hostfile, of either dialect
host_of() {
  local word
  read -r word _ <<<"${1%%#*}"
  printf '%s' "${word%%:*}"
}

# answers HOST: whether a command can be run there, in the way in which the launcher would
answers() {
  local agent=${OMPI_MCA_plm_rsh_agent:-ssh} options=() limit=''
  if [ "$MPI_KIND" = mpich ]; then agent=${HYDRA_LAUNCHER_EXEC:-ssh}; fi
  case $1 in localhost | 127.* | "$(hostname)") return 0 ;; esac
  if have timeout; then limit="timeout $ANSWER_WITHIN"; fi
  case ${agent##*/} in ssh) options=(-o BatchMode=yes -o "ConnectTimeout=$ANSWER_WITHIN") ;; esac
  # shellcheck disable=SC2086  # both are words
  $limit $agent ${options[@]+"${options[@]}"} "$1" true >/dev/null 2>&1 </dev/null
}

# use_hosts GONE: the next start is on the hosts that answer, with as many ranks as they have room for, or on all of them as before.
use_hosts() {
  local slots
  STARTED_RANKS=$ALL_RANKS HOSTFILE=$ALL_HOSTS
  [ -n "$1" ] || return 0
  HOSTFILE=$FOLDER/hosts
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
  if [ "$OWN_JOURNAL" = yes ] && [ "$1" -le 1 ] && has_report; then rm -rf "$JOURNAL"; fi
  if [ "$OWN_JOURNAL" = yes ] && [ -e "$JOURNAL/journal.json" ]; then
    say "run: what is done is in $JOURNAL: the same with --journal $JOURNAL --resume goes on"
  fi
}
