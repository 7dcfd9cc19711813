//! `buttonwood completions`: a script with which a shell completes the command line.

use clap::CommandFactory;
use clap_complete::Shell;
use cli::Failure;

/// Print the completion script of a shell
///
/// For bash: `buttonwood completions bash > /etc/bash_completion.d/buttonwood`
#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut script = Vec::new();
        let mut command = crate::Buttonwood::command();
        clap_complete::generate(self.shell, &mut command, "buttonwood", &mut script);
        cli::print(String::from_utf8_lossy(&script))
    }
}
