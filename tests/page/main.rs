//! The page that `census report` writes, in a real browser: what is drawn, what can be sorted, filtered, hovered and reached by
//! keys, how it looks on a phone, on a laptop, in the dark and on paper, and that it asks nobody for anything.
//!
//! The sweeps are made up, so that no MPI is needed. Where there is no browser, tests are ignored, with the reason. One browser
//! serves them all; pictures of the page stay in `target/page`.

mod bed;
mod browser;
#[path = "../common/mod.rs"]
mod common;
mod eyes;
mod looks;
mod opening;
mod plots;
mod points;
mod sweep;
mod tab;
mod table;
mod workload;

use std::env;
use std::sync::{Arc, OnceLock};

use bed::Bed;
use libtest_mimic::{Arguments, Completion, Trial};

/// What tests share, once somebody has needed it, or the reason why it cannot be had.
type Shared = Arc<OnceLock<Result<Bed, String>>>;

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let bed = Shared::default();
    // A page does not depend on MPI: of the rounds of scripts/test, the one without it is enough.
    let trials = if env::var_os("CENSUS_MPI").is_some() { Vec::new() } else { trials(&bed) };
    let conclusion = libtest_mimic::run(&arguments, trials);
    drop(bed); // `exit` drops nothing, and the browser would stay
    conclusion.exit()
}

fn trials(bed: &Shared) -> Vec<Trial> {
    /// Tests by their own names.
    macro_rules! trials {
        ($($room:ident::$test:ident),* $(,)?) => {
            vec![$({
                let bed = bed.clone();
                Trial::ignorable_test(concat!(stringify!($room), "::", stringify!($test)), move || run(&bed, $room::$test))
            }),*]
        };
    }
    trials![
        opening::what_goes_wrong_in_a_page_is_seen,
        opening::nothing_goes_wrong_and_nothing_is_asked_for,
        opening::five_hundred_runs_open_within_two_seconds_and_take_less_than_five_megabytes,
        opening::strange_names_and_commands_stay_what_they_are,
        opening::a_single_run_is_a_page_too,
        opening::two_sweeps_against_each_other_are_a_page_too,
        opening::without_scripts_everything_is_there,
        plots::every_puzzle_has_every_figure,
        plots::every_repeat_is_a_point_of_time_speed_up_and_efficiency_once,
        plots::points_are_where_their_numbers_are,
        plots::every_figure_says_in_a_sentence_what_it_shows,
        plots::every_picture_has_a_name_and_every_input_a_label,
        table::a_column_of_numbers_is_sorted_up_and_down,
        table::words_hide_the_rows_that_do_not_have_them_and_the_rest_is_counted,
        table::lists_hide_the_rows_of_others,
        points::the_mouse_on_a_point_tells_its_run,
        points::arrow_keys_walk_from_point_to_point_and_enter_goes_to_the_row,
        looks::dark_and_light_differ_and_all_text_can_be_read_in_both,
        looks::a_phone_shows_it_without_scrolling_sideways,
        looks::a_laptop_shows_it_without_scrolling_sideways,
        looks::it_can_be_printed,
    ]
}

fn run(bed: &Shared, test: fn(&Bed)) -> Result<Completion, libtest_mimic::Failed> {
    match bed.get_or_init(Bed::start) {
        Err(reason) => Ok(Completion::ignored_with(reason.clone())),
        Ok(bed) => {
            test(bed);
            Ok(Completion::Completed)
        }
    }
}
