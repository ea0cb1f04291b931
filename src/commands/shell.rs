//! `census completions` and `census man`: what a shell and `man` know of the program, from its options.

use std::fs;

use clap::CommandFactory;

use super::streams::write_stdout;
use super::{CommandError, Exit, Outcome};
use crate::cli::{Cli, CompletionsArgs, ManArgs};

pub(super) fn completions(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "census", &mut script);
    write_stdout(|stdout| stdout.write_all(&script))?;
    Ok(Exit::Done)
}

pub(super) fn man(args: &ManArgs) -> Outcome {
    let mut census = Cli::command().disable_help_subcommand(true);
    census.build();
    match &args.output {
        None => write_stdout(|stdout| clap_mangen::Man::new(census).render(stdout)).map(|_| Exit::Done),
        Some(folder) => {
            let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(census, folder));
            written.map(|()| Exit::Done).map_err(|error| CommandError::io(folder, error))
        }
    }
}
