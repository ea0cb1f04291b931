//! A cluster that fails: hosts with names, addresses and TCP between them (`scripts/cluster`), cables that are pulled, ranks,
//! daemons and launchers that are killed, and jobs under a real Slurm.
//!
//! Where the machine does not permit such hosts, or has no Slurm, tests are ignored, with the reason. One cluster serves them
//! all, one after the other; it goes when they are done.

mod bed;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod hosts;
mod restarts;
mod slurm;
mod sweeps;

use bed::{Bed, Need};
use libtest_mimic::{Arguments, Completion, Trial};

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let conclusion = libtest_mimic::run(&arguments, trials());
    bed::down();
    conclusion.exit()
}

/// A test by its own name, and what it needs beside hosts.
macro_rules! trial {
    ($room:ident::$test:ident $(, $need:expr)*) => {
        Trial::ignorable_test(concat!(stringify!($room), "::", stringify!($test)), || run(&[$($need),*], $room::$test))
    };
}

fn trials() -> Vec<Trial> {
    vec![
        trial!(hosts::ranks_are_on_four_hosts_and_count_the_same_with_every_schedule),
        trial!(hosts::the_answer_no_and_bad_input_keep_their_exit_codes),
        trial!(hosts::scripts_run_takes_a_hostfile),
        trial!(hosts::a_host_without_a_cable_cannot_be_reached_until_it_is_plugged_in),
        trial!(faults::a_killed_rank_ends_the_job),
        trial!(faults::a_killed_daemon_ends_the_job),
        trial!(faults::a_killed_launcher_ends_the_job),
        trial!(faults::a_pulled_cable_ends_the_job),
        trial!(restarts::a_pulled_cable_costs_a_host_and_not_the_count),
        trial!(restarts::a_killed_rank_is_a_restart_on_all_hosts),
        trial!(restarts::a_full_disk_ends_the_job_and_what_is_in_the_journal_is_good),
        trial!(restarts::a_folder_that_hosts_do_not_share_is_refused),
        trial!(slurm::srun_starts_ranks_on_four_hosts, Need::Slurm),
        trial!(slurm::an_array_leaves_a_report_for_each_number_of_ranks, Need::Slurm),
        trial!(slurm::a_cancelled_job_leaves_a_report_of_what_it_has_counted, Need::Slurm),
        trial!(slurm::a_job_that_is_out_of_time_and_keeps_no_journal_ends_with_a_report, Need::Slurm),
        trial!(slurm::a_job_that_is_out_of_time_goes_back_to_the_queue_and_goes_on, Need::Slurm),
        trial!(slurm::a_job_that_loses_a_host_goes_back_to_the_queue_and_goes_on, Need::Slurm),
        trial!(sweeps::a_sweep_takes_a_hostfile),
        trial!(sweeps::a_sweep_in_a_slurm_job_has_srun_start_its_ranks, Need::Slurm),
        trial!(sweeps::a_sweep_that_is_out_of_time_goes_back_to_the_queue_and_goes_on, Need::Slurm),
        trial!(sweeps::a_cancelled_sweep_ends_and_says_how_to_go_on, Need::Slurm),
    ]
}

fn run(needs: &[Need], test: fn(&'static Bed)) -> Result<Completion, libtest_mimic::Failed> {
    match bed::with(needs) {
        Err(reason) => Ok(Completion::ignored_with(reason)),
        Ok(bed) => {
            test(bed);
            Ok(Completion::Completed)
        }
    }
}
