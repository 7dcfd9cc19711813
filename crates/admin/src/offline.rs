//! The backend of a stopped venue: its machine in this process.

use std::path::{Path, PathBuf};

use cli::Failure;
use engine::Engine;
use log::DataDirLock;
use projection::{Answer, Question};
use server::now_ns;
use types::{AccountId, Command, Entry, Envelope, Event, Origin};
use venue::{AnyLog, Machine, Opened, Settings};

use super::backend::{Backend, Trial};

pub(crate) struct Offline {
    machine: Machine<AnyLog, ()>,
    data_dir: PathBuf,
    _lock: DataDirLock,
}

impl Offline {
    pub(crate) fn open(data_dir: &Path) -> Result<Self, Failure> {
        let opened = Opened::open(Settings::new(data_dir))?;
        let (machine, lock) =
            opened.into_machine(now_ns()).map_err(|error| Failure::new(error.to_string()))?;
        Ok(Self { machine, data_dir: data_dir.to_path_buf(), _lock: lock })
    }
}

impl Backend for Offline {
    fn apply(&mut self, account: AccountId, command: Command) -> Result<Vec<Event>, Failure> {
        let envelope = Envelope { account, ..Envelope::venue(Origin::Admin, now_ns()) };
        self.machine
            .submit(Entry { envelope, command }, ())
            .map_err(|(refused, ())| Failure::new(refused.to_string()))?;
        let mut outputs = Vec::new();
        while self.machine.is_busy() {
            let progress = self
                .machine
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
        question(self.machine.engine());
        Ok(())
    }

    fn set_log_level(&mut self, _: &str) -> Result<(), Failure> {
        Err(Failure::new("the venue is stopped: give its next start --log-level"))
    }

    fn trial(&mut self) -> Option<Trial> {
        None
    }
}
