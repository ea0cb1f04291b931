//! The layer `report`: statistics, simulations, traces, and sweeps from their files to tables and pages.

mod advice;
mod efficiency;
mod fake_run;
mod page;
mod reading;
mod render;
mod scaling;
mod simulation;
mod stats;
mod sweep;
mod trace;
mod units;
mod verification;
