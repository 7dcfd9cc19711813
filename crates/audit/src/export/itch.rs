//! The market order by order, as files of ITCH 5.0: one for each numbering day.
//!
//! Each message stands after its length in two bytes, as in Nasdaq's own files. A file has the
//! messages of the feed. Those of a later day begin with the orders that stand from the day before,
//! which the feed does not repeat: so each file can be read alone.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use cli::Failure;
use gateway::ItchEncoder;
use marketdata::ShownOrders;
use serde_json::{Map, Value, json};
use spool::Applied;

use super::create_new;

pub(super) struct Days {
    out: PathBuf,
    encoder: ItchEncoder,
    orders: ShownOrders,
    file: Option<DayFile>,
    /// The messages of each file.
    counts: Map<String, Value>,
}

struct DayFile {
    day: u32,
    path: PathBuf,
    writer: BufWriter<File>,
    messages: u64,
    /// The orders from the day before are still to be written.
    is_new: bool,
}

impl Days {
    pub(super) fn new(out: &Path) -> Self {
        Self {
            out: out.to_path_buf(),
            encoder: ItchEncoder::default(),
            orders: ShownOrders::default(),
            file: None,
            counts: Map::new(),
        }
    }

    /// Takes the next command.
    pub(super) fn take(&mut self, applied: &Applied) -> Result<(), Failure> {
        let Self { out, encoder, orders, file, counts } = self;
        let mut written = Ok(());
        encoder.command(applied, |message, bytes| {
            orders.apply(message);
            if written.is_ok() {
                written = DayFile::of_day(file, message.day, out, counts)
                    .and_then(|file| file.write(bytes));
            }
        });
        written?;
        if let Some(file) = &mut self.file
            && std::mem::take(&mut file.is_new)
        {
            let listed: Vec<_> = self.encoder.stream().listed().map(|(id, _)| id).collect();
            for id in listed {
                for order in self.orders.orders(id) {
                    file.write(self.encoder.standing(id, order, applied.sequenced_ns))?;
                }
            }
        }
        Ok(())
    }

    /// The messages of each file, by its name.
    pub(super) fn finish(mut self) -> Result<Value, Failure> {
        if let Some(file) = self.file.take() {
            file.finish(&mut self.counts)?;
        }
        Ok(json!(self.counts))
    }
}

impl DayFile {
    /// The file of a day, after that of the day before is finished.
    fn of_day<'a>(
        current: &'a mut Option<Self>,
        day: u32,
        out: &Path,
        counts: &mut Map<String, Value>,
    ) -> Result<&'a mut Self, Failure> {
        if current.as_ref().is_none_or(|file| file.day != day) {
            let is_new = current.is_some();
            if let Some(before) = current.take() {
                before.finish(counts)?;
            }
            let path = out.join(format!("day-{day}.itch"));
            let created = create_new(&path).map_err(|error| cannot_write(&path, &error))?;
            let writer = BufWriter::new(created);
            *current = Some(Self { day, path, writer, messages: 0, is_new });
        }
        Ok(current.as_mut().expect("it is there by now"))
    }

    fn write(&mut self, message: &[u8]) -> Result<(), Failure> {
        self.messages += 1;
        let length = (message.len() as u16).to_be_bytes();
        let written = self.writer.write_all(&length).and_then(|()| self.writer.write_all(message));
        written.map_err(|error| cannot_write(&self.path, &error))
    }

    fn finish(mut self, counts: &mut Map<String, Value>) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| cannot_write(&self.path, &error))?;
        counts.insert(format!("day-{}", self.day), json!(self.messages));
        Ok(())
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("writing {} failed: {error}", path.display()))
}
