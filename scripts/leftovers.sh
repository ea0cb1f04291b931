# shellcheck shell=bash disable=SC2034  # scripts/soak reads VERDICT
# Checks what a round of scripts/soak leaves in the journal, in its folder HERE, and in open descriptors. Sets VERDICT. Sourced, never run.

# Checks that no unit is in the journal twice.
check_journal() {
  local twice
  twice=$(complete_lines "$1"/run-*.tsv | awk -F'\t' '!/^#/ && NF == 6 && $1 !~ /\// {
    n = split($1, ranges, ",")
    for (i = 1; i <= n; i++) { m = split(ranges[i], ends, "-"); for (u = ends[1]; u <= ends[m]; u++) if (seen[u]++) print u } }' | head -3 | tr '\n' ' ' || true)
  [ -z "$twice" ] || VERDICT="DUPLICATE units in the journal: $twice"
}

# complete_lines FILE…: the lines of the files, without a last line that was not completely written
complete_lines() {
  local file
  for file; do if [ -n "$(tail -c 1 "$file")" ]; then sed '$d' "$file"; else cat "$file"; fi; done
}

# Files besides the journal, the reports, the output, and the temporary files of MPI, which a killed launcher cannot remove
left_files() {
  (cd "$HERE" && find . -type f ! -path './out-*' ! -path './err-*' ! -path './report-*.json' ! -path './disk/journal/journal.json' \
    ! -path './disk/journal/lock' ! -path './disk/journal/run-*.tsv' ! -path './tmp/ompi.*' ! -path './tmp/prte.*' ! -path './tmp/pmix*' | head -3 | tr '\n' ' ')
}

# check_descriptors BEFORE: checks that there are no more than before, and that no process has a file of this round open
check_descriptors() {
  local now open
  now=(/proc/$$/fd/*)
  open=$(find /proc/[0-9]*/fd -lname "$HERE/*" -printf '%p %l ' 2>/dev/null | head -c 300 || true) # processes come and go
  if [ ${#now[@]} -gt "$1" ]; then VERDICT="descriptor leak: $1 before, ${#now[@]} after"; fi
  if [ -n "$open" ]; then VERDICT="open files: $open"; fi
}
