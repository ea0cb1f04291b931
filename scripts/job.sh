# shellcheck shell=bash
# A job that a script starts, waits for, and can stop. Sourced, never run.

# run_job [WATCHER]: runs COMMAND, with descriptor 3 as its standard input, and waits for its end; until then, a function WATCHER is
# called in the background with the job's number, and must start no process that lasts. The job is out of reach of the
# terminal's Ctrl-C: a launcher that gets a signal itself ends the ranks in its own way and with its own exit code. A rank that
# gets one has all ranks end in order. So the script traps signals and calls stop_job.
run_job() {
  local code=0 watcher=''
  JOB=''
  if have setsid; then
    setsid "${COMMAND[@]}" <&3 &
  else
    "${COMMAND[@]}" <&3 &
  fi
  JOB=$!
  if [ -n "$STOPPING" ]; then kill -TERM "$JOB" 2>/dev/null || true; fi # the signal was sooner than the job
  if [ $# -gt 0 ]; then
    "$1" "$JOB" &
    watcher=$!
  fi
  while :; do
    wait "$JOB" 2>/dev/null && code=0 || code=$?
    kill -0 "$JOB" 2>/dev/null || break # otherwise it was a signal that ended the wait, not the job
  done
  wait "$JOB" 2>/dev/null && code=0 || code=$? # the shell remembers it, should the job have ended during the trap
  JOB=''
  if [ -n "$watcher" ]; then
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
  fi
  return "$code"
}

# stop_job: for a trap. The first time it asks a rank to end, so that all end in order; the second time the launcher.
# shellcheck disable=SC2317  # traps call it
stop_job() {
  local rank=''
  if [ -z "$STOPPING" ] && [ -n "$JOB" ]; then rank=$(rank_of "$JOB"); fi
  STOPPING=yes
  [ -z "$JOB" ] || kill -TERM "${rank:-$JOB}" 2>/dev/null || true
}

# rank_of PID: a process census that this one, or one that it started, has started on this machine
# shellcheck disable=SC2317
rank_of() {
  have ps || return 0
  ps -e -o pid= -o ppid= -o comm= 2>/dev/null | awk -v job="$1" '
    { parent[$1] = $2; name[$1] = $3 }
    END { for (pid in parent) if (name[pid] ~ /(^|\/)census$/) { for (up = pid; up > 1; up = parent[up]) if (up == job) { print pid; exit } } }'
}
