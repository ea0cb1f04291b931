//! What started this process, as far as the environment says. MPI knows only if launcher and library belong together
//! (docs/protocol.md, Handshake), so the size that the launcher gives is compared with MPI's. It also tells a process
//! its rank before MPI is initialized.

use std::env;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    pub name: &'static str,
    /// The number of processes it started, if known.
    pub size: Option<usize>,
    pub rank: Option<usize>,
}

/// Launchers with their variables for the size of the job and the rank. The first match counts: `mpirun` inside a Slurm job
/// leaves Slurm's variables in place, which describe the Slurm step.
const KNOWN: [(&str, &str, &str); 7] = [
    ("Open MPI mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("MPICH mpirun", "PMI_SIZE", "PMI_RANK"),
    ("MVAPICH mpirun", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"),
    ("jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"),
    ("Flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK"),
    ("Slurm srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
    ("a PMIx launcher", "PMIX_SIZE", "PMIX_RANK"),
];

impl Launcher {
    /// The launcher of this process; `None` if it was started without one.
    pub fn detect() -> Option<Launcher> {
        Launcher::detect_in(|name| env::var(name).ok())
    }

    fn detect_in(variable: impl Fn(&str) -> Option<String>) -> Option<Launcher> {
        let number = |name| variable(name).and_then(|value| value.trim().parse().ok());
        KNOWN.iter().find_map(|&(name, size, rank)| {
            let (size, rank) = (number(size), number(rank));
            // In a batch script itself, Slurm sets a rank but no size of a step: that is not a launch.
            let launched = size.is_some() || (rank.is_some() && name != "Slurm srun");
            launched.then_some(Launcher { name, size, rank })
        })
    }
}

/// The job of a batch system that this process belongs to, such as `slurm 4711`.
pub fn batch_job() -> Option<String> {
    [("slurm", "SLURM_JOB_ID"), ("pbs", "PBS_JOBID"), ("lsf", "LSB_JOBID"), ("sge", "JOB_ID")]
        .iter()
        .find_map(|(system, variable)| env::var(variable).ok().map(|job| format!("{system} {job}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_detected_by_their_variables() {
        let launcher = |name, size, rank| Some(Launcher { name, size: Some(size), rank: Some(rank) });
        let srun = [("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_PROCID", "7")];
        let mpirun_in_slurm = [srun[0], srun[1], ("PMI_SIZE", "4"), ("PMI_RANK", "3")];
        for (variables, expected) in [
            (&[("HOME", "x")][..], None),
            (&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "64")], None), // a batch script is not a step
            (&[("OMPI_COMM_WORLD_SIZE", "4"), ("OMPI_COMM_WORLD_RANK", "3")], launcher("Open MPI mpirun", 4, 3)),
            (&srun, launcher("Slurm srun", 8, 7)),
            (&mpirun_in_slurm, launcher("MPICH mpirun", 4, 3)),
        ] {
            let value = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string());
            assert_eq!(Launcher::detect_in(value), expected, "{variables:?}");
        }
    }
}
