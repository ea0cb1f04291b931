//! The examples in the help of each command.

pub(super) const COUNT: &str = "\
Examples:
  census count puzzles/inkala19.ss                    all solutions, on all cores
  mpirun -n 4 census count --schedule steal P         on four ranks, balanced by work stealing
  census count --method bands puzzles/empty-9x9.txt   a plain 9×9 with any number of solutions
  census count --limit 2 puzzles.sdm                  for each puzzle: 0, 1, or 2 for several
  census count --report run.json P                    with a JSON report of the run
  census count --journal DIR --resume P               what is counted survives the end of the job
  census count 8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

pub(super) const LIST: &str = "\
Examples:
  census list --limit 10 puzzles/inkala19.ss          the first ten solutions
  mpirun -n 4 census list P --output solutions.txt    all of them, in the same order as on one rank
  census list P | sort | uniq -d                      no solution is listed twice";

pub(super) const SOLVE: &str = "\
Examples:
  census solve puzzles/inkala.sdk                     draws the first solution
  census solve -                                      the puzzle is read from standard input";

pub(super) const CHECK: &str = "\
Examples:
  census check puzzles/solved.txt                     exit code 0 if no house has a value twice
  census check puzzles/famous.sdm                     each grid of a collection";

pub(super) const SHOW: &str = "\
Examples:
  census show puzzles/inkala19.ss                     a drawing, with candidates
  census show --format line puzzles/jigsaw-9.txt      converts it to another format";

pub(super) const ESTIMATE: &str = "\
Examples:
  census estimate puzzles/goldennugget17.txt          how long will it take?
  census estimate --probes 1000000 P                  with smaller standard errors";

pub(super) const VERIFY: &str = "\
Examples:
  census count --units --report run.json P            a count that can be verified
  census verify run.json                              recounts 5 % of its units
  mpirun -n 4 census verify run.json --share 100%     all of them, on four ranks";

pub(super) const PLAN: &str = "\
Examples:
  census count --trace --report run.json P            records run.trace.tsv
  census plan run.trace.tsv                           which schedule for 1 to 4,096 ranks?
  census plan --ranks 48,96 --latency 5us run.trace.tsv";

pub(super) const REPORT: &str = "\
Examples:
  scripts/sweep --puzzles P --ranks 1,2,4             a sweep, in results/sweep
  census report results/sweep                         tables, and the page report.html
  census report results/before results/after          what changed, and what is noise";

pub(super) const COMPLETIONS: &str = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  census completions bash > ~/.local/share/bash-completion/completions/census
  census completions zsh > ~/.zfunc/_census           fpath+=~/.zfunc before compinit
  census completions fish > ~/.config/fish/completions/census.fish";

pub(super) const MAN: &str = "\
Examples:
  census man | man -l -                               reads the page at once
  census man --output ~/.local/share/man/man1         installs the pages of all commands";
