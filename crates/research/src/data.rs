//! `buttonwood data`: recordings converted, described and checked.

mod survey;

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, Subcommand};
use cli::Failure;
use recorded::Recording;
use recorded::columnar::{Listed, Writer};

use self::survey::Survey;
use crate::files::{Reading, recording};

#[derive(Args, Debug)]
pub struct Data {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write the events of FILES, merged by time, as one columnar file
    #[command(after_help = "Example: buttonwood data convert btcusdt_*.csv.gz --out btcusdt.bwd")]
    Convert(Convert),
    /// Print the formats, instruments, times and numbers of events of FILES
    #[command(after_help = "Example: buttonwood data info btcusdt.bwd --json")]
    Info(Look),
    /// Read all of FILES, and print what is wrong or unusual
    ///
    /// The exit status is 0 if each event can be read and is in order, else 1.
    #[command(after_help = "Example: buttonwood data check trades.csv --lenient")]
    Check(Look),
}

#[derive(Args, Debug)]
struct Convert {
    /// Recordings; NAME=FILE names the instrument
    #[arg(required = true, value_name = "FILE", value_parser = recording)]
    files: Vec<Recording>,
    /// The file to write; it gets its name when it is complete
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Args, Debug)]
struct Look {
    /// Recordings; NAME=FILE names the instrument
    #[arg(required = true, value_name = "FILE", value_parser = recording)]
    files: Vec<Recording>,
    #[command(flatten)]
    reading: Reading,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Data {
    pub fn run(self) -> Result<(), Failure> {
        match self.action {
            Action::Convert(convert) => convert.run(),
            Action::Info(look) => {
                let (survey, _) = look.survey()?;
                cli::print_line(if look.json { survey.json().to_string() } else { survey.info() })
            }
            Action::Check(look) => {
                let (survey, is_sound) = look.survey()?;
                cli::print_line(if look.json {
                    survey.json().to_string()
                } else {
                    survey.check()
                })?;
                if is_sound {
                    return Ok(());
                }
                Err(Failure::fault(format!("{} rows cannot be read", survey.skipped())))
            }
        }
    }
}

impl Look {
    /// What the files have, and whether no row was left out.
    fn survey(&self) -> Result<(Survey, bool), Failure> {
        let mut stream = self.reading.open(&self.files)?;
        let survey = Survey::of(&mut stream).map_err(fault)?;
        let is_sound = survey.skipped() == 0;
        Ok((survey, is_sound))
    }
}

impl Convert {
    fn run(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        let mut stream = self.reading.open(&self.files)?;
        let out = self.out.display();
        let at_out = |error| Failure::fault(format!("{out}: {error}"));
        let mut writer = Writer::create(&self.out).map_err(at_out)?;
        loop {
            let events = stream.next_batch().map_err(fault)?;
            if events.is_empty() {
                break;
            }
            writer.append(events).map_err(at_out)?;
        }
        let listed: Vec<Listed> = stream
            .instruments()
            .iter()
            .map(|of| Listed { name: of.name.clone(), tick: of.tick, lot: of.lot })
            .collect();
        let written = writer.finish(&listed).map_err(at_out)?;
        let seconds = begun.elapsed().as_secs_f64();
        let per_event = written.bytes as f64 / written.events.max(1) as f64;
        cli::print_line(format_args!(
            "{out}: {} events, {} bytes ({per_event:.1} an event), {seconds:.2} s",
            written.events, written.bytes
        ))?;
        if stream.skipped() > 0 {
            let first = stream.first_skipped().unwrap_or_default();
            cli::print_line(format_args!(
                "{} wrong rows or gaps, first {first}",
                stream.skipped()
            ))?;
        }
        Ok(())
    }
}

fn fault(error: recorded::StreamError) -> Failure {
    Failure::fault(error.to_string())
}
