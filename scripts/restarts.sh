# shellcheck shell=bash
# How scripts/run restarts a job that has died: from its journal, on the hosts that still answer. Sourced, never run.
# A job has died if it has no report and was not stopped: census writes a report whenever it ends in order.

# Timeouts in seconds: for a login on a host, which takes longer on a busy one, and for the last rank of a dead job to release the
# journal
ANSWER_WITHIN=${ANSWER_WITHIN:-10}
RELEASE_WITHIN=20

# Checks the options, and chooses a journal if none is given.
# shellcheck disable=SC2153  # scripts/run sets RESTARTS
prepare_restarts() {
  case $RESTARTS in '' | *[!0-9]*) die 2 "--restarts $RESTARTS is not a number" ;; esac
  [ "$PUZZLE" != - ] || die 2 "--restarts reads the puzzle again at each start: pass a file, not standard input"
  [ "$REPORT" != - ] || die 2 "--restarts checks the report after each run: pass a file to --report, not standard output"
  OWN_JOURNAL=no RESTARTED=0 FRUITLESS=0
  if [ -z "$JOURNAL" ]; then
    OWN_JOURNAL=yes
    JOURNAL=${REPORT%.json}.journal
    [ ! -e "$JOURNAL" ] || die 2 "$JOURNAL already exists: resume it (--journal $JOURNAL --resume), or choose another (--journal DIR)"
    ARGUMENTS+=(--journal "$JOURNAL")
  fi
}

# The inode of the report: a new report is a new file. Its time of modification depends on the clock of the file server.
# shellcheck disable=SC2012  # no `stat` is portable
report_inode() { if [ -e "$REPORT" ]; then ls -i -- "$REPORT" | awk '{ print $1 }'; fi; }
has_report() { [ -e "$REPORT" ] && [ "$(report_inode)" != "$OLD_REPORT" ]; }

# is_dead CODE: whether the job has died. After bad usage or bad input, a restart is useless.
is_dead() {
  [ "$RESTARTS" != 0 ] && [ "$1" != 2 ] && [ -z "$STOPPING" ] && ! has_report
}

# may_restart CODE: decides and reports whether to restart. Sets HOSTFILE and STARTED_RANKS.
may_restart() {
  local before=${FINISHED:-0} gone='' died="the job has died (exit code $1)"
  if [ "$RESTARTED" -ge "$RESTARTS" ]; then
    say "run: $died. Giving up after $RESTARTED restarts."
    return 1
  fi
  FINISHED=$(journal_lines "$JOURNAL")
  if [ "$FINISHED" -gt "$before" ]; then FRUITLESS=0; else FRUITLESS=$((FRUITLESS + 1)); fi
  if [ "$FRUITLESS" -ge 2 ]; then
    say "run: $died. Giving up: two starts in a row have made no progress."
    return 1
  fi
  RESTARTED=$((RESTARTED + 1))
  if [ -n "$ALL_HOSTS" ] && [ "$MPI_KIND" != none ]; then
    if ! gone=$(answering_hosts); then
      say "run: $died. Giving up: no host of $ALL_HOSTS answers."
      return 1
    fi
    use_hosts "$gone"
  fi
  wait_for_release
  say "run: $died${gone:+; no answer from ${gone}}. Restart $RESTARTED of $RESTARTS, on $STARTED_RANKS ranks, from $JOURNAL"
}

# answering_hosts: writes the lines of the user's hostfile whose hosts answer to $FOLDER/hosts. Prints the names of the others, and fails
# if no host answers.
answering_hosts() {
  local line host file silent=''
  file=$(hostfile_path "$ALL_HOSTS") || exit
  rm -rf "$FOLDER/answers" "$FOLDER/hosts"
  mkdir "$FOLDER/answers"
  : >"$FOLDER/hosts"
  # All at the same time: an unreachable host takes until the timeout.
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

# host_of LINE: the name of the host in a line of a hostfile for either library
host_of() {
  local word
  read -r word _ <<<"${1%%#*}"
  printf '%s' "${word%%:*}"
}

# answers HOST: whether a command can be run on the host by the launcher's agent
answers() {
  local agent=${OMPI_MCA_plm_rsh_agent:-ssh} options=() limit=''
  if [ "$MPI_KIND" = mpich ]; then agent=${HYDRA_LAUNCHER_EXEC:-ssh}; fi
  case $1 in localhost | 127.* | "$(hostname)") return 0 ;; esac
  if have timeout; then limit="timeout $ANSWER_WITHIN"; fi
  case ${agent##*/} in ssh) options=(-o BatchMode=yes -o "ConnectTimeout=$ANSWER_WITHIN") ;; esac
  # shellcheck disable=SC2086  # both may be several words
  $limit $agent ${options[@]+"${options[@]}"} "$1" true >/dev/null 2>&1 </dev/null
}

# use_hosts GONE: sets HOSTFILE and STARTED_RANKS for the hosts that answer and their slots, or for all hosts if none is gone.
use_hosts() {
  local slots
  STARTED_RANKS=$ALL_RANKS HOSTFILE=$ALL_HOSTS
  [ -n "$1" ] || return 0
  HOSTFILE=$FOLDER/hosts
  slots=$(slots_of_hosts) || exit
  if [ "$STARTED_RANKS" -gt "$slots" ]; then STARTED_RANKS=$slots; fi
}

# Waits until the lock of the journal is free: ranks that were cut off take a while until their heartbeat times out.
wait_for_release() {
  if have flock && [ -e "$JOURNAL/lock" ]; then flock --wait "$RELEASE_WITHIN" "$JOURNAL/lock" true || true; fi
}

# end_restarts CODE: after a complete count, removes the journal if it is not the user's.
end_restarts() {
  [ "$RESTARTS" != 0 ] || return 0
  if [ "$OWN_JOURNAL" = yes ] && [ "$1" -le 1 ] && has_report; then rm -rf "$JOURNAL"; fi
  if [ "$OWN_JOURNAL" = yes ] && [ -e "$JOURNAL/journal.json" ]; then
    say "run: the journal is in $JOURNAL. To resume: the same command with --journal $JOURNAL --resume"
  fi
}
