//! Options: how they are declared, which values they take, and what is said about a wrong one.

use std::fmt::Debug;
use std::time::Duration;

use census::cli::error::one_line;
use census::cli::{Cli, Command, CountArgs, VerifyArgs};
use census::cluster::HeartbeatTimeout;
use census::count::Depth;
use clap::{CommandFactory, Parser};

#[test]
fn the_options_are_well_formed() {
    Cli::command().debug_assert();
}

/// Which values an option of a command takes.
fn check<T: PartialEq + Debug>(
    (command, option): (&str, &str),
    value: fn(Command) -> Option<T>,
    accepted: &[(&str, T)],
    refused: &[&str],
) {
    let parse = |text: &str| Cli::try_parse_from(["census", command, &format!("{option}={text}"), "x"]).ok();
    for (text, expected) in accepted {
        assert_eq!(parse(text).and_then(|cli| value(cli.command)).as_ref(), Some(expected), "{option}={text}");
    }
    for text in refused {
        assert!(parse(text).is_none(), "{option}={text}");
    }
}

fn of_count<T>(command: Command, value: fn(CountArgs) -> Option<T>) -> Option<T> {
    if let Command::Count(args) = command { value(args) } else { None }
}

#[test]
fn values_are_read_with_their_units_or_refused() {
    let depth = |command| of_count(command, |args| Some(args.distribution.depth));
    check(("count", "--depth"), depth, &[("auto", Depth::Auto), ("14", Depth::Fixed(14))], &["-1", "deep"]);
    let sizes = [("off", 0), ("0", 0), ("0M", 0), ("1000000", 1_000_000), ("64M", 64 << 20), ("1g", 1 << 30)];
    let no_sizes = ["", "M", "-1", "+1", "1.5G", "64 M", "64MB", "on", "99999999999999999999", "99999999999G", "１"];
    check(("count", "--cache"), |command| of_count(command, |args| args.cache), &sizes, &no_sizes);
    let share = |command| if let Command::Verify(VerifyArgs { share, .. }) = command { Some(share) } else { None };
    let shares = [("5%", 0.05), ("5 %", 0.05), ("0.05", 0.05), ("100%", 1.0), ("1", 1.0), ("0.5%", 0.005)];
    let no_shares = ["", "%", "0", "0%", "-5%", "101%", "1.01", "5", "nan", "inf", "half"];
    check(("verify", "--share"), share, &shares, &no_shares);
    let timeouts = [("off", HeartbeatTimeout::Off), ("1m", HeartbeatTimeout::After(Duration::from_secs(60)))];
    let no_timeouts = ["0", "0.5", "-1", "never", "", "1000years"];
    let timeout = |command| of_count(command, |args| args.distribution.ranks.heartbeat_timeout);
    check(("count", "--heartbeat-timeout"), timeout, &timeouts, &no_timeouts);
    let times = [("1.5", Duration::from_millis(1500)), ("1h30m", Duration::from_secs(5400))];
    let time = |command| of_count(command, |args| args.time_limit);
    check(("count", "--time-limit"), time, &times, &["-1", "soon", "", "nan", "1e30", "inf"]);
}

fn message(arguments: &str) -> Option<String> {
    let words = ["census"].into_iter().chain(arguments.split_whitespace());
    let first = arguments.split(' ').next().unwrap_or_default();
    Cli::try_parse_from(words).err().and_then(|error| one_line(&error, first))
}

#[test]
fn an_error_says_on_one_line_what_is_wrong_and_what_was_probably_meant() {
    for (arguments, expected) in [
        ("cuont x", "unknown command `cuont`; did you mean `count`? (`census --help`)"),
        ("x.txt", "unknown command `x.txt` (`census --help`)"),
        ("README.md", "unknown command `README.md`; did you mean `census count README.md`? (`census --help`)"),
        ("count --shedule static x", "unknown option `--shedule`; did you mean `--schedule`? (`census count --help`)"),
        ("solve x y", "unexpected argument `y` (`census solve --help`)"),
        ("count", "missing <PUZZLE>... (`census count --help`)"),
        ("count --limit", "missing value for `--limit <N>` (`census count --help`)"),
        (
            "count --schedule stael x",
            "invalid value `stael` for `--schedule <SCHEDULE>`: expected one of static, cyclic, dynamic, guided, steal, \
             auto; did you mean `steal`? (`census count --help`)",
        ),
        (
            "count --depth deep x",
            "invalid value `deep` for `--depth <N|auto>`: a depth is a number, or `auto` (`census count --help`)",
        ),
        ("count --units x", "missing --report <FILE> (`census count --help`)"),
    ] {
        assert_eq!(message(arguments).as_deref(), Some(expected), "{arguments}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for arguments in ["", "--help", "count -h", "--version", "help count"] {
        assert_eq!(message(arguments), None, "{arguments}");
    }
}
