//! One transaction of one database: the rows of a page that are its own, and its position.

use projection::changes::Changes;
use projection::{HistoryRetention, Progress, Standstill};

use crate::postgres::candle::write_candles;
use crate::postgres::copy::int;
use crate::postgres::failure::Failed;
use crate::postgres::forget::{self, Forgotten};
use crate::postgres::map::Scope;
use crate::postgres::order::{LastOrders, write_amendments, write_orders};
use crate::postgres::partition::Partitions;
use crate::postgres::rest::{write_listed, write_rest};
use crate::postgres::session::Session;
use crate::postgres::trade::{write_revisions, write_trades};

/// What one transaction uses and changes.
pub(crate) struct Page<'a> {
    pub(crate) session: &'a Session,
    pub(crate) progress: Progress,
    pub(crate) partitions: &'a mut Partitions,
    pub(crate) last_orders: &'a mut LastOrders,
    pub(crate) scope: &'a Scope,
}

impl Page<'_> {
    /// First of all in a transaction: another writer waits here for the end of this one, and then
    /// finds another position than it knows.
    async fn move_on(&mut self, to: Progress) -> Result<(), Failed> {
        let update = "UPDATE progress SET sequence = $2, sequenced_ns = $3, command = $4, \
                      first_sequence = $5, kept_since_ns = $6 WHERE id = 0 AND sequence = $1";
        let from = self.progress.sequence;
        let Progress { sequence, sequenced_ns, command, first_sequence, kept_since_ns } = to;
        let numbers = [from, sequence, sequenced_ns, command, first_sequence, kept_since_ns];
        let [a, b, c, d, e, f] = numbers.map(int);
        let moved = self.session.execute(update, &[&a, &b, &c, &d, &e, &f]).await?;
        if moved == 0 {
            return Err(not_at(from));
        }
        self.progress = to;
        Ok(())
    }

    pub(crate) async fn write(&mut self, changes: &Changes) -> Result<(), Failed> {
        self.move_on(after(changes, self.progress)).await?;
        write_listed(self.session, changes).await?;
        self.write_rows(changes).await
    }

    /// Rows that arrive from another database. `buckets` are those of the scope.
    pub(crate) async fn write_arriving(
        &mut self,
        changes: &Changes,
        buckets: &Vec<i16>,
    ) -> Result<(), Failed> {
        let update = "UPDATE moves SET sequence = $3 WHERE bucket = ANY ($1) AND sequence = $2";
        let (from, to) = (self.progress.sequence, after(changes, self.progress));
        let moved = self.session.execute(update, &[buckets, &int(from), &int(to.sequence)]).await?;
        if moved != buckets.len() as u64 {
            return Err(not_at(from));
        }
        self.progress = to;
        self.write_rows(changes).await
    }

    async fn write_rows(&mut self, changes: &Changes) -> Result<(), Failed> {
        let (session, scope) = (self.session, self.scope);
        self.partitions.provide(session, changes).await?;
        write_orders(session, changes, scope, self.last_orders).await?;
        write_amendments(session, changes, scope).await?;
        write_trades(session, changes, scope).await?;
        if scope.has_public {
            write_candles(session, changes).await?;
        }
        // Of trades that are here by now.
        write_revisions(session, changes, scope).await?;
        write_rest(session, changes, scope).await
    }

    pub(crate) async fn pass_over(&mut self, first: u64) -> Result<(), Failed> {
        let missing = self.progress.sequence + 1;
        let is_beginning = missing == self.progress.first_sequence;
        // Work that goes on behind the hole is of no command that is here.
        let mut to =
            Progress { sequence: first - 1, sequenced_ns: 0, command: first, ..self.progress };
        if is_beginning {
            to.first_sequence = first;
        }
        self.move_on(to).await?;
        if !is_beginning {
            let insert = "INSERT INTO gaps VALUES ($1, $2) ON CONFLICT (first_sequence) \
                          DO UPDATE SET last_sequence = excluded.last_sequence";
            self.session.execute(insert, &[&int(missing), &int(first - 1)]).await?;
        }
        Ok(())
    }

    pub(crate) async fn forget(&mut self, retention: &HistoryRetention) -> Result<bool, Failed> {
        let Forgotten { kept_since_ns, has_more } =
            forget::forget(self.session, self.partitions, &self.progress, retention).await?;
        if kept_since_ns != self.progress.kept_since_ns {
            self.move_on(Progress { kept_since_ns, ..self.progress }).await?;
        }
        Ok(has_more)
    }
}

fn after(changes: &Changes, progress: Progress) -> Progress {
    Progress {
        sequence: changes.sequence,
        sequenced_ns: changes.sequenced_ns,
        command: changes.command,
        ..progress
    }
}

fn not_at(sequence: u64) -> Failed {
    let sentence = format!(
        "is no longer at command {sequence}: another program writes to it, or it was restored"
    );
    Failed::Other(Standstill::Failed, sentence)
}
