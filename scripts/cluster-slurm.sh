# shellcheck shell=bash
# Slurm on the hosts of scripts/cluster, which sources this file: munged and slurmctld on node1, a slurmd on each host.
# All that Slurm writes is in the cluster's own directory, and `down` ends it with everything else.

slurm_dir() { echo "$STATE/slurm"; }
slurm_conf() { echo "$STATE/slurm/slurm.conf"; }

cluster_slurm() {
  check_up
  case ${1:-up} in
    up) slurm_up ;;
    down) slurm_down ;;
    *) die 2 "slurm $1: expected up or down" ;;
  esac
}

slurm_up() {
  local tool host
  for tool in munged slurmctld slurmd sbatch srun scontrol sinfo; do
    have "$tool" || die "$UNAVAILABLE" "$tool is not installed (scripts/setup --tests installs Slurm on Debian and Ubuntu)"
  done
  [ ! -e "$(slurm_conf)" ] || die 3 "Slurm is already up; scripts/cluster slurm down ends it"
  mkdir -p "$(slurm_dir)"
  trap 'slurm_down' EXIT # until all daemons are up
  start_munge
  write_slurm_conf
  export SLURM_CONF
  SLURM_CONF=$(slurm_conf)
  in_slurm_dir node1 slurmctld
  for host in $(hosts); do in_slurm_dir "$host" slurmd; done
  wait_for_nodes
  trap - EXIT
  say "Slurm is up. For example: scripts/cluster exec node1 srun -n 4 hostname"
}

# Clients and daemons authenticate with munge. One munged is enough, because the hosts share their files.
start_munge() {
  local dir
  dir=$(slurm_dir)
  (umask 077 && head -c 128 /dev/urandom >"$dir/munge.key")
  in_slurm_dir node1 munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munge.pid" \
    --log-file="$dir/munge.log" --seed-file="$dir/munge.seed"
}

# Slurm as on a cluster, except where that needs systemd, control groups, a database, or one machine for each host.
write_slurm_conf() {
  local dir slots
  dir=$(slurm_dir)
  slots=$(sed -n '1s/.*://p' "$STATE/mpich")
  mkdir -p "$dir/state" "$dir/spool" "$dir/tmp"
  for host in $(hosts); do mkdir -p "$dir/spool/$host" "$dir/tmp/$host"; done
  cat >"$dir/slurm.conf" <<END
ClusterName=$CLUSTER
SlurmctldHost=node1
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
TmpFS=$dir/tmp/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=15
KillWait=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
NodeName=$(hosts | paste -s -d,) CPUs=$slots
PartitionName=all Nodes=ALL Default=YES OverSubscribe=YES MaxTime=INFINITE State=UP
END
  echo 'CgroupPlugin=cgroup/v1' >"$dir/cgroup.conf"
}

# in_slurm_dir HOST COMMAND…: starts a daemon in a session of its own, with its output in a file
in_slurm_dir() {
  local host=$1 log
  shift
  log=$(slurm_dir)/$1.$host.out
  on "$host" setsid "$@" >"$log" 2>&1 </dev/null || die 3 "$1 does not start on $host: $(tail -n 3 "$log")"
}

wait_for_nodes() {
  local wanted idle
  wanted=$(hosts | wc -l)
  for _ in $(seq 150); do
    idle=$(on node1 sinfo --noheader --Node --states=idle --format=%N 2>/dev/null | sort -u | wc -l)
    [ "$idle" -lt "$wanted" ] || return 0
    sleep 0.1
  done
  die 3 "Slurm does not start: $idle of $wanted hosts are idle after 15 s. $(tail -n 3 "$(slurm_dir)/slurmctld.log")"
}

# Kills the daemons and the processes that they have started, and removes all state.
slurm_down() {
  local host pid left
  for _ in $(seq 100); do
    left=''
    for host in $(hosts); do
      for pid in $(processes_on "$host"); do
        case $(name_of "$pid") in
          munged | slurmctld | slurmd | slurmstepd | slurmscriptd | slurm_script | sattach | srun) left+=" $pid" ;;
        esac
      done
    done
    [ -n "$left" ] || break
    # shellcheck disable=SC2086  # a list of PIDs
    kill -KILL $left 2>/dev/null || true
    sleep 0.05
  done
  rm -rf "$(slurm_dir)"
}
