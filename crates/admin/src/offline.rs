//! The backend of a stopped venue: its state in this process, and its machine for commands.

use std::mem;
use std::path::{Path, PathBuf};

use cli::Failure;
use engine::Engine;
use log::DataDirLock;
use projection::{Answer, Question};
use server::now_ns;
use types::{AccountId, Command, Entry, Envelope, Event, Origin};
use venue::{AnyLog, Machine, Opened, Retention, Settings};

use super::backend::{Backend, Trial};

pub(crate) struct Offline {
    venue: Venue,
    data_dir: PathBuf,
}

enum Venue {
    /// A query changes nothing, so it needs no more.
    Opened(Box<Opened>),
    /// From the first command on. The machine begins an epoch, which is a batch of the log.
    Leads { machine: Box<Machine<AnyLog, ()>>, _lock: DataDirLock },
    /// The machine could not begin.
    Failed,
}

impl Offline {
    pub(crate) fn open(data_dir: &Path) -> Result<Self, Failure> {
        // How much of the events is kept is a setting of `serve`, which this process does not have.
        let settings = Settings { retention: Retention::ALL, ..Settings::new(data_dir) };
        let venue = Venue::Opened(Box::new(Opened::open(settings)?));
        Ok(Self { venue, data_dir: data_dir.to_path_buf() })
    }

    fn engine(&self) -> Result<&Engine, Failure> {
        match &self.venue {
            Venue::Opened(opened) => Ok(opened.engine()),
            Venue::Leads { machine, .. } => Ok(machine.engine()),
            Venue::Failed => Err(failed()),
        }
    }

    fn machine(&mut self) -> Result<&mut Machine<AnyLog, ()>, Failure> {
        if let Venue::Opened(_) = &self.venue
            && let Venue::Opened(opened) = mem::replace(&mut self.venue, Venue::Failed)
        {
            let (machine, lock) =
                opened.into_machine(now_ns()).map_err(|error| Failure::new(error.to_string()))?;
            self.venue = Venue::Leads { machine: Box::new(machine), _lock: lock };
        }
        match &mut self.venue {
            Venue::Leads { machine, .. } => Ok(machine),
            Venue::Opened(_) | Venue::Failed => Err(failed()),
        }
    }
}

fn failed() -> Failure {
    Failure::new("the venue's log could not be continued, as said before")
}

impl Backend for Offline {
    fn apply(&mut self, account: AccountId, command: Command) -> Result<Vec<Event>, Failure> {
        let envelope = Envelope { account, ..Envelope::venue(Origin::Admin, now_ns()) };
        let machine = self.machine()?;
        machine
            .submit(Entry { envelope, command }, ())
            .map_err(|(refused, ())| Failure::new(refused.to_string()))?;
        let mut outputs = Vec::new();
        while machine.is_busy() {
            let progress = machine
                .poll(now_ns(), &mut outputs)
                .map_err(|error| Failure::new(error.to_string()))?;
            if !progress.is_any {
                // This thread has no other work while it waits for the disk.
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
        }
        let own = outputs.into_iter().find(|output| output.ticket.is_some());
        let own = own.ok_or_else(|| Failure::new("the command was not carried out"))?;
        Ok(own.reply.events().copied().collect())
    }

    /// The read model is as the last run left it: commands of this process come to it at the next
    /// start.
    fn ask_history(&mut self, question: Question) -> Result<Answer, Failure> {
        Ok(projection::sqlite::ask(&self.data_dir, &question)?)
    }

    fn ask(&mut self, question: Box<dyn FnOnce(&Engine) + Send>) -> Result<(), Failure> {
        question(self.engine()?);
        Ok(())
    }

    fn set_log_level(&mut self, _: &str) -> Result<(), Failure> {
        Err(Failure::new("the venue is stopped: give its next start --log-level"))
    }

    fn trial(&mut self) -> Option<Trial> {
        None
    }
}
