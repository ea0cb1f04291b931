//! Which tests there are, and with which builds each of them runs.

use super::build::Build;
use super::mpi::Mpi;
use super::runner::turn;
use crate::cluster::Hosts;
use crate::page::Browser;

/// A test of the program.
pub struct Test {
    pub module: &'static str,
    pub name: &'static str,
    pub when: When,
    pub body: Body,
}

inventory::collect!(Test);

/// What is run, with what it needs.
#[derive(Clone, Copy)]
pub enum Body {
    /// Nothing but processors.
    Shared(fn()),
    /// The hosts of `scripts/cluster`.
    Hosts(fn(&'static Hosts)),
    /// Hosts of `scripts/cluster` with Slurm on them.
    Slurm(fn(&'static Hosts)),
    /// A browser.
    Browser(fn(&Browser)),
}

/// A test: `test!(WHEN, its_name, || { … })`. A body that is handed something says what, as [`Body`] calls it:
/// `test!(WHEN, its_name, Hosts, |hosts| { … })`.
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
    /// All tests, in the order of their names.
    pub fn all() -> Vec<&'static Test> {
        let mut tests: Vec<&Test> = inventory::iter::<Test>().collect();
        tests.sort_by_key(|test| (test.module, test.name));
        tests
    }

    /// The name without that of this crate.
    pub fn path(&self) -> String {
        let module = self.module.split_once("::").map_or(self.module, |(_, module)| module);
        format!("{module}::{}", self.name)
    }
}

/// With which builds a test runs.
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

/// What it tries has nothing to do with MPI: with one build, always.
pub const ONCE: When = When { builds: Builds::Once, only_all: false };
/// It starts no ranks: with the build without MPI. With `--all`, with every build.
pub const ALONE: When = When { builds: Builds::Alone, only_all: false };
/// It starts ranks: with the libraries by turns. With `--all`, with each of them.
pub const ONE_LIBRARY: When = When { builds: Builds::OneLibrary, only_all: false };
/// It starts ranks, and what is tried is the doing of Open MPI: with that where there is a build for it. With `--all`, with each.
pub const OPEN_MPI: When = When { builds: Builds::This(Mpi::Open), only_all: false };
/// It starts ranks, and what happens depends on their launcher: with each library.
pub const EVERY_LIBRARY: When = When { builds: Builds::EveryLibrary, only_all: false };
/// It starts ranks or none, as the build permits ([`crews`]): without MPI, and with the libraries by turns. With `--all`, with
/// every build.
pub const EVERYWHERE: When = When { builds: Builds::Everywhere, only_all: false };

impl When {
    /// Only with `--all`: it takes long, and others cover what it tries.
    pub const fn only_all(self) -> When {
        When { only_all: true, ..self }
    }

    /// The builds to run with, of those there are: none where they lack MPI, `None` where this is left to `--all`. The turn
    /// decides between libraries.
    pub fn builds(self, there: &[Build], scope: Scope, turn: usize) -> Option<Vec<Build>> {
        let all = scope == Scope::All;
        if self.only_all && !all {
            return None;
        }
        let libraries: Vec<Build> = there.iter().copied().filter(|build| build.library().is_some()).collect();
        let by_turns = libraries.get(turn % libraries.len().max(1)).copied();
        let without = there.iter().copied().find(|build| build.library().is_none());
        Some(match self.builds {
            Builds::Alone | Builds::Everywhere if all => there.to_vec(),
            Builds::OneLibrary | Builds::This(_) if all => libraries,
            Builds::This(mpi) if there.contains(&Build::With(mpi)) => vec![Build::With(mpi)],
            Builds::EveryLibrary => libraries,
            Builds::Once | Builds::Alone => without.or(by_turns).into_iter().collect(),
            Builds::OneLibrary | Builds::This(_) => by_turns.into_iter().collect(),
            Builds::Everywhere => without.into_iter().chain(by_turns).collect(),
        })
    }
}

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every test once or twice, and of combinations enough to cover every choice.
    Covering,
    /// Every test with every build, and every combination.
    All,
}

impl Scope {
    /// `CENSUS_TESTS=all`, which `scripts/test --all` sets, or a covering set.
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

/// The numbers of ranks to try with the current build, of which 0 is a process on its own: without MPI that; with a library
/// one of the others by turns, and the process on its own only where no other build tries it. With `--all`, all of them.
pub fn crews(ranks: &[usize]) -> Vec<usize> {
    let (alone, started): (Vec<usize>, Vec<usize>) = ranks.iter().partition(|&&ranks| ranks == 0);
    match Build::current() {
        Build::WithoutMpi => alone,
        Build::With(_) if Scope::is_all() => ranks.to_vec(),
        Build::With(_) => {
            let elsewhere = Build::all().any(|build| build == Build::WithoutMpi);
            // A turn decides between two libraries, the next between numbers of ranks.
            let by_turns = started.get(turn() / 2 % started.len().max(1)).copied();
            alone.into_iter().filter(|_| !elsewhere).chain(by_turns).collect()
        }
    }
}
