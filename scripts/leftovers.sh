# shellcheck shell=bash disable=SC2034  # scripts/soak reads VERDICT
# What a round of scripts/soak must not leave: in the journal, in its folder HERE, and among the descriptors. Sets VERDICT. Sourced, never run.

# Units that stand in the journal more than once
check_journal() {
  local twice
  twice=$(whole_lines "$1"/run-*.tsv | awk -F'\t' '!/^#/ && NF == 6 && $1 !~ /\// {
    n = split($1, ranges, ",")
    for (i = 1; i <= n; i++) { m = split(ranges[i], ends, "-"); for (u = ends[1]; u <= ends[m]; u++) if (seen[u]++) print u } }' | head -3 | tr '\n' ' ' || true)
  [ -z "$twice" ] || VERDICT="TWICE in the journal: units $twice"
}

# whole_lines FILE…: their lines, but for a last one that was not written to its end
whole_lines() {
  local file
  for file; do if [ -n "$(tail -c 1 "$file")" ]; then sed '$d' "$file"; else cat "$file"; fi; done
}

# Files besides the journal, the reports and what was said. What a launcher that was killed has left of itself is not ours.
left_files() {
  (cd "$HERE" && find . -type f ! -path './out-*' ! -path './err-*' ! -path './report-*.json' ! -path './disk/journal/journal.json' \
    ! -path './disk/journal/lock' ! -path './disk/journal/run-*.tsv' ! -path './tmp/ompi.*' ! -path './tmp/prte.*' ! -path './tmp/pmix*' | head -3 | tr '\n' ' ')
}

# check_descriptors BEFORE: whether there are more than before, or anybody has a file of this round open
check_descriptors() {
  local now open
  now=(/proc/$$/fd/*)
  open=$(find /proc/[0-9]*/fd -lname "$HERE/*" -printf '%p %l ' 2>/dev/null | head -c 300 || true) # processes come and go
  if [ ${#now[@]} -gt "$1" ]; then VERDICT="descriptors: $1 before, ${#now[@]} after"; fi
  if [ -n "$open" ]; then VERDICT="open: $open"; fi
}
