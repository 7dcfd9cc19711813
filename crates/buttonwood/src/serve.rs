//! `buttonwood serve`: runs a venue in this process.

use clap::Args;
use cli::{Failure, Flags, Recovery};
use server::Host;
use venue::Replayed;

#[derive(Args, Debug)]
#[command(after_help = "Example: buttonwood serve --demo --data my-venue")]
pub(crate) struct Serve {
    #[command(flatten)]
    flags: Flags,
}

impl Serve {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let settings = self.flags.settings()?;
        cli::init_trace(&settings.logging)?;
        let mut process = Process { recovery: Recovery::begin() };
        Ok(server::run(settings, &mut process, &admin::Requests)?)
    }
}

/// This process around the venue: its terminal, and the program that started it.
#[derive(Debug)]
struct Process {
    recovery: Recovery,
}

impl Host for Process {
    fn recovery_begins(&mut self) {
        self.recovery = Recovery::begin();
    }

    fn replayed(&mut self, replayed: Replayed) {
        self.recovery.replayed(replayed);
    }

    fn recovery_ends(&mut self) {
        self.recovery.end();
    }

    fn open(&mut self, page_url: &str) -> Result<(), String> {
        cli::print_line(format_args!("open {page_url}"))
            .map_err(|failure| format!("the line with the page's address: {failure}"))
    }

    fn listening(&mut self, protocol: &str, place: &str) -> Result<(), String> {
        cli::print_line(format_args!("listening {protocol} {place}"))
            .map_err(|failure| format!("the line with the port of {protocol}: {failure}"))
    }

    fn ready(&mut self, base_url: &str) -> Result<(), String> {
        cli::print_line(format_args!("ready {base_url}"))
            .map_err(|failure| format!("the ready line: {failure}"))
    }
}
