//! The programs under test: census without MPI, built for Open MPI and built for MPICH.
//!
//! `scripts/test` builds all three and names them in the environment. `cargo test` alone has the one that cargo built for it.
//! Every test runs with one of them at a time, its thread's current build.

use std::cell::Cell;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use super::mpi::Mpi;

/// A build of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    WithoutMpi,
    With(Mpi),
}

/// All of them, in the order in which tests try them.
const BUILDS: [Build; 3] = [Build::WithoutMpi, Build::With(Mpi::Open), Build::With(Mpi::Mpich)];

static PROGRAMS: LazyLock<Vec<(Build, String)>> = LazyLock::new(find);

thread_local! {
    static CURRENT: Cell<Option<Build>> = const { Cell::new(None) };
}

impl Build {
    /// The builds there are.
    pub fn all() -> impl Iterator<Item = Build> {
        PROGRAMS.iter().map(|(build, _)| *build)
    }

    /// The libraries that there is a build for.
    pub fn libraries() -> Vec<Mpi> {
        Build::all().filter_map(Build::library).collect()
    }

    /// The build that this thread tests.
    pub fn current() -> Build {
        CURRENT.get().expect("a test runs with a build")
    }

    /// Has this thread test this build.
    pub fn set_current(self) {
        CURRENT.set(Some(self));
    }

    pub fn library(self) -> Option<Mpi> {
        match self {
            Build::WithoutMpi => None,
            Build::With(mpi) => Some(mpi),
        }
    }

    /// What it is called behind the name of a test.
    pub fn name(self) -> &'static str {
        match self {
            Build::WithoutMpi => "no mpi",
            Build::With(mpi) => mpi.name(),
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Build::WithoutMpi => "CENSUS_WITHOUT_MPI",
            Build::With(Mpi::Open) => "CENSUS_OPENMPI",
            Build::With(Mpi::Mpich) => "CENSUS_MPICH",
        }
    }
}

/// The program of the current build.
pub fn program_path() -> &'static str {
    let found = PROGRAMS.iter().find(|(build, _)| *build == Build::current());
    found.map(|(_, path)| path.as_str()).expect("the current build is one of those there are")
}

fn find() -> Vec<(Build, String)> {
    let named = BUILDS.into_iter().filter_map(|build| Some((build, env::var(build.variable()).ok()?)));
    let named: Vec<_> = named.filter(|(_, path)| !path.is_empty()).collect();
    for (build, path) in &named {
        assert!(Path::new(path).is_file(), "{}={path}: no such file", build.variable());
    }
    if !named.is_empty() {
        return named;
    }
    let build = if cfg!(feature = "mpi") { Build::With(default_library()) } else { Build::WithoutMpi };
    vec![(build, env!("CARGO_BIN_EXE_census").into())]
}

/// The library that `mpirun` belongs to: the one that cargo builds for, unless told otherwise.
fn default_library() -> Mpi {
    let output = Command::new("mpirun").arg("--version").stdin(Stdio::null()).output();
    let words = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if words.contains("HYDRA") || words.contains("MPICH") { Mpi::Mpich } else { Mpi::Open }
}
