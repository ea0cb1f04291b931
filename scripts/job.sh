# shellcheck shell=bash
# A job that a script starts, waits for, and can stop. Sourced, never run.

# run_job [WATCHER]: runs COMMAND, with descriptor 3 as its standard input, and waits for its end. Meanwhile, the function WATCHER
# runs in the background with the job's PID as its argument; it must not start processes that outlive it. The job has a session of
# its own, which Ctrl-C does not reach: a launcher that gets a signal kills the ranks and ends with its own exit code, whereas a
# rank that gets one stops the count in order on all ranks. So the script has to trap signals and to call stop_job.
run_job() {
  local code=0 watcher=''
  JOB=''
  if have setsid; then
    setsid "${COMMAND[@]}" <&3 &
  else
    "${COMMAND[@]}" <&3 &
  fi
  JOB=$!
  if [ -n "$STOPPING" ]; then kill -TERM "$JOB" 2>/dev/null || true; fi # a signal has arrived before the job was started
  if [ $# -gt 0 ]; then
    "$1" "$JOB" &
    watcher=$!
  fi
  wait_for "$JOB" || code=$?
  JOB=''
  if [ -n "$watcher" ]; then
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
  fi
  return "$code"
}

# wait_for PID: waits for a child of this shell, also if traps interrupt the wait. Returns its exit code.
wait_for() {
  while :; do
    wait "$1" 2>/dev/null || true
    kill -0 "$1" 2>/dev/null || break # if it still runs, a signal has interrupted the wait
  done
  wait "$1" 2>/dev/null # the exit code, which the shell remembers
}

# stop_job: for a trap. Sends SIGTERM to a rank, which stops the count in order; the second time, to the launcher.
# shellcheck disable=SC2317  # traps call it
stop_job() {
  local rank=''
  if [ -z "$STOPPING" ] && [ -n "$JOB" ]; then rank=$(rank_of "$JOB"); fi
  STOPPING=yes
  [ -z "$JOB" ] || kill -TERM "${rank:-$JOB}" 2>/dev/null || true
}

# rank_of PID: the PID of a census process on this machine that is a descendant of PID
# shellcheck disable=SC2317
rank_of() {
  have ps || return 0
  ps -e -o pid= -o ppid= -o comm= 2>/dev/null | awk -v job="$1" '
    { parent[$1] = $2; name[$1] = $3 }
    END { for (pid in parent) if (name[pid] ~ /(^|\/)census$/) { for (up = pid; up > 1; up = parent[up]) if (up == job) { print pid; exit } } }'
}
