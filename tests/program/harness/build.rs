//! The programs under test: census without MPI, for Open MPI and for MPICH.
//!
//! `scripts/test` builds all three and passes their paths in the environment. `cargo test` alone has only the one that cargo has
//! built. Each test runs with one of them at a time, the current build of its thread.

use std::cell::Cell;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use super::mpi::Mpi;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    WithoutMpi,
    With(Mpi),
}

const BUILDS: [Build; 3] = [Build::WithoutMpi, Build::With(Mpi::Open), Build::With(Mpi::Mpich)];

static PROGRAMS: LazyLock<Vec<(Build, String)>> = LazyLock::new(find);

thread_local! {
    static CURRENT: Cell<Option<Build>> = const { Cell::new(None) };
}

impl Build {
    /// The builds that exist.
    pub fn all() -> impl Iterator<Item = Build> {
        PROGRAMS.iter().map(|(build, _)| *build)
    }

    pub fn libraries() -> Vec<Mpi> {
        Build::all().filter_map(Build::library).collect()
    }

    /// The build that this thread tests.
    pub fn current() -> Build {
        CURRENT.get().expect("a test runs with a build")
    }

    pub fn set_current(self) {
        CURRENT.set(Some(self));
    }

    pub fn library(self) -> Option<Mpi> {
        match self {
            Build::WithoutMpi => None,
            Build::With(mpi) => Some(mpi),
        }
    }

    /// The suffix of a test's name.
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
    found.map(|(_, path)| path.as_str()).expect("the current build exists")
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

/// The library of `mpirun`, for which cargo builds by default.
fn default_library() -> Mpi {
    let output = Command::new("mpirun").arg("--version").stdin(Stdio::null()).output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if version.contains("HYDRA") || version.contains("MPICH") { Mpi::Mpich } else { Mpi::Open }
}
