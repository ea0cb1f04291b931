//! An error in the arguments as one line, like all other errors.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use super::Cli;

/// What is wrong, what was probably meant, and where the help is. `None` for a request for help or for the version. `first` is the
/// first argument, perhaps a command.
pub fn one_line(error: &clap::Error, first: &str) -> Option<String> {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            let is_file = Path::new(&name).is_file();
            let meant = if is_file { format!("; did you mean `census count {name}`?") } else { String::new() };
            format!("unknown command `{name}`{meant}")
        }
        ErrorKind::UnknownArgument if argument.starts_with('-') => format!("unknown option `{argument}`"),
        ErrorKind::UnknownArgument => format!("unexpected argument `{argument}`"),
        ErrorKind::MissingRequiredArgument => format!("missing {argument}"),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => invalid_value(error, &argument, text),
        // The message is the first line.
        _ => {
            let rendered = error.render().to_string();
            rendered.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
        }
    };
    // After `census help`, clap suggests no command.
    if let (ErrorKind::InvalidSubcommand, "help", Some(name)) =
        (error.kind(), first, text(ContextKind::InvalidSubcommand))
        && let Err(error) = Cli::try_parse_from(["census", &name])
    {
        return one_line(&error, "");
    }
    let similar = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg].into_iter().find_map(text);
    let similar = similar.map(|name| format!("; did you mean `{}`?", name.trim_matches('\''))).unwrap_or_default();
    let command = if Cli::command().find_subcommand(first).is_some() { format!(" {first}") } else { String::new() };
    Some(format!("{what}{similar} (`census{command} --help`)"))
}

fn invalid_value(error: &clap::Error, argument: &str, text: impl Fn(ContextKind) -> Option<String>) -> String {
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    if value.is_empty() {
        return format!("missing value for `{argument}`");
    }
    let mut what = format!("invalid value `{value}` for `{argument}`");
    if let Some(values) = text(ContextKind::ValidValue) {
        what += &format!(": expected one of {values}");
    } else if let Some(cause) = std::error::Error::source(error) {
        what += &format!(": {}", plain_range(&cause.to_string()));
    }
    if let Some(similar) = text(ContextKind::SuggestedValue) {
        what += &format!("; did you mean `{similar}`?");
    }
    what
}

/// `0 is not in 1..=9` as an expectation; any other text as it is.
fn plain_range(cause: &str) -> String {
    let range = cause.split_once(" is not in ").and_then(|(_, range)| range.split_once(".."));
    match range.map(|(low, high)| (low, high.trim_start_matches('='))) {
        Some((low, high)) if [u64::MAX, u32::MAX.into()].iter().any(|max| max.to_string() == high) => {
            format!("expected a number from {low} up")
        }
        Some((low, high)) => format!("expected a number from {low} to {high}"),
        None => cause.into(),
    }
}
