//! The table of tests, and the builds with which each of them runs.
use super::build::Build;
use super::mpi::Mpi;
use super::runner::turn;
use crate::cluster::Hosts;
use crate::page::Browser;

pub struct Test {
    pub module: &'static str,
    pub name: &'static str,
    pub when: When,
    pub body: Body,
}

inventory::collect!(Test);

/// The function of a test, by the resource that it needs
#[derive(Clone, Copy)]
pub enum Body {
    /// No resource but processors
    Shared(fn()),
    /// The hosts of `scripts/cluster`
    Hosts(fn(&'static Hosts)),
    /// Hosts of `scripts/cluster` with Slurm
    Slurm(fn(&'static Hosts)),
    Browser(fn(&Browser)),
}

/// Defines a test: `test!(WHEN, its_name, || { … })`. With a resource of [`Body`]: `test!(WHEN, its_name, Hosts, |hosts| { … })`.
macro_rules! test {
    ($when:expr, $name:ident, $body:expr) => {
        $crate::harness::test!($when, $name, Shared, $body);
    };
    ($when:expr, $name:ident, $needs:ident, $body:expr) => {
        inventory::submit! {
            $crate::harness::Test {
                module: module_path!(),
                name: stringify!($name),
                when: $when,
                body: $crate::harness::Body::$needs($body),
            }
        }
    };
}
pub(crate) use test;

impl Test {
    /// All tests, sorted by name.
    pub fn all() -> Vec<&'static Test> {
        let mut tests: Vec<&Test> = inventory::iter::<Test>().collect();
        tests.sort_by_key(|test| (test.module, test.name));
        tests
    }

    /// The path without the crate.
    pub fn path(&self) -> String {
        let module = self.module.split_once("::").map_or(self.module, |(_, module)| module);
        format!("{module}::{}", self.name)
    }
}

/// The builds with which a test runs
#[derive(Clone, Copy, Debug)]
pub struct When {
    builds: Builds,
    only_all: bool,
}

#[derive(Clone, Copy, Debug)]
enum Builds {
    Once,
    Alone,
    OneLibrary,
    This(Mpi),
    EveryLibrary,
    Everywhere,
}

/// Independent of MPI: with one build, also with `--all`.
pub const ONCE: When = When { builds: Builds::Once, only_all: false };
/// Starts no ranks: with the build without MPI. With `--all`, with every build.
pub const ALONE: When = When { builds: Builds::Alone, only_all: false };
/// Starts ranks: with one library, alternating between tests. With `--all`, with every library.
pub const ONE_LIBRARY: When = When { builds: Builds::OneLibrary, only_all: false };
/// Starts ranks and tests behaviour of Open MPI: with Open MPI if there is a build for it. With `--all`, with every library.
pub const OPEN_MPI: When = When { builds: Builds::This(Mpi::Open), only_all: false };
/// Starts ranks, and depends on their launcher: with every library.
pub const EVERY_LIBRARY: When = When { builds: Builds::EveryLibrary, only_all: false };
/// Starts ranks if the build has MPI ([`rank_counts`]): with the build without MPI, and with one library, alternating between tests.
/// With `--all`, with every build.
pub const EVERYWHERE: When = When { builds: Builds::Everywhere, only_all: false };

impl When {
    /// Only with `--all`: for slow tests of what others cover, too.
    pub const fn only_all(self) -> When {
        When { only_all: true, ..self }
    }

    /// The builds to run with, of the existing ones: none if MPI is missing, `None` if the test runs only with `--all`. The turn
    /// selects the library.
    pub fn builds(self, existing: &[Build], scope: Scope, turn: usize) -> Option<Vec<Build>> {
        let all = scope == Scope::All;
        if self.only_all && !all {
            return None;
        }
        let libraries: Vec<Build> = existing.iter().copied().filter(|build| build.library().is_some()).collect();
        let selected = libraries.get(turn % libraries.len().max(1)).copied();
        let without = existing.iter().copied().find(|build| build.library().is_none());
        Some(match self.builds {
            Builds::Alone | Builds::Everywhere if all => existing.to_vec(),
            Builds::OneLibrary | Builds::This(_) if all => libraries,
            Builds::This(mpi) if existing.contains(&Build::With(mpi)) => vec![Build::With(mpi)],
            Builds::EveryLibrary => libraries,
            Builds::Once | Builds::Alone => without.or(selected).into_iter().collect(),
            Builds::OneLibrary | Builds::This(_) => selected.into_iter().collect(),
            Builds::Everywhere => without.into_iter().chain(selected).collect(),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every test once or twice, and a covering array of combinations
    Covering,
    /// Every test with every build, and every combination
    All,
}

impl Scope {
    /// All with `CENSUS_TESTS=all`, which `scripts/test --all` sets.
    pub fn chosen() -> Scope {
        match std::env::var("CENSUS_TESTS").as_deref() {
            Ok("all") => Scope::All,
            _ => Scope::Covering,
        }
    }

    pub fn is_all() -> bool {
        Scope::chosen() == Scope::All
    }
}

/// The numbers of ranks to test with the current build, where 0 is a process without a launcher: without MPI, only 0; with a library,
/// one of the others, alternating between tests, and 0 if there is no build without MPI. With `--all`, all of them.
pub fn rank_counts(ranks: &[usize]) -> Vec<usize> {
    let (alone, launched): (Vec<usize>, Vec<usize>) = ranks.iter().partition(|&&ranks| ranks == 0);
    match Build::current() {
        Build::WithoutMpi => alone,
        Build::With(_) if Scope::is_all() => ranks.to_vec(),
        Build::With(_) => {
            let elsewhere = Build::all().any(|build| build == Build::WithoutMpi);
            // The lowest bit of the turn selects one of two libraries.
            let selected = launched.get(turn() / 2 % launched.len().max(1)).copied();
            alone.into_iter().filter(|_| !elsewhere).chain(selected).collect()
        }
    }
}
