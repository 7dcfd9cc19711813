//! The file, for its writer.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use types::{Candle, OrderListStatus};

use crate::changes::{Changes, LEVELS, Trade};
use crate::error::ProjectionError;
use crate::feed::backend::Store;
use crate::progress::Progress;
use crate::retention::HistoryRetention;
use crate::sqlite::audit::write_audit;
use crate::sqlite::column::{self, Columns, Wide, int, wire};
use crate::sqlite::failure;
use crate::sqlite::files;
use crate::sqlite::forget::{cutoff_ns, forget};
use crate::sqlite::names::Filtered;
use crate::sqlite::order::{write_amendments, write_orders};
use crate::sqlite::query::blocks::{self, Ids};
use crate::sqlite::rows;
use crate::sqlite::schema;
use crate::sqlite::transfer::{write_approval, write_transfer};

/// The file, open for writing.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Connection,
    /// Of the file that is open.
    inode: u64,
    progress: Progress,
    filtered: Filtered,
    /// The time before which rows are being deleted, until none is left.
    forgets_ns: Option<u64>,
}

impl SqliteStore {
    pub(crate) fn open(path: &Path) -> Result<Self, ProjectionError> {
        Self::of(path, schema::open(path)?)
    }

    pub(crate) fn of(path: &Path, connection: Connection) -> Result<Self, ProjectionError> {
        let progress = read_progress(&connection).map_err(failure::at(path))?;
        let filtered = Filtered::read(&connection).map_err(failure::at(path))?;
        let inode = files::inode(path)?;
        let path = path.to_path_buf();
        Ok(Self { path, connection, inode, progress, filtered, forgets_ns: None })
    }

    /// All that is in it lies in the one file after this.
    pub(crate) fn finish(self) -> Result<(), ProjectionError> {
        let Self { path, connection, .. } = self;
        let finish = || {
            connection.pragma_update(None, "journal_mode", "DELETE")?;
            connection.close().map_err(|(_, error)| error)
        };
        finish().map_err(failure::at(&path))
    }

    fn commit(&mut self, changes: &Changes) -> rusqlite::Result<()> {
        let progress = Progress {
            sequence: changes.sequence,
            sequenced_ns: changes.sequenced_ns,
            command: changes.command,
            ..self.progress
        };
        let transaction = self.connection.transaction()?;
        write_changes(&transaction, changes, &mut self.filtered)?;
        write_progress(&transaction, &progress)?;
        transaction.commit()?;
        self.progress = progress;
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn begin(&mut self) -> rusqlite::Result<Transaction<'_>> {
        self.connection.transaction()
    }

    /// Beyond these the disk is full.
    #[cfg(test)]
    pub(crate) fn allow_pages(&self, pages: u32) {
        let set = self.connection.pragma_update(None, "max_page_count", pages);
        set.expect("a pragma of SQLite's");
    }
}

impl Store for SqliteStore {
    type Page = Changes;

    fn progress(&self) -> Progress {
        self.progress
    }

    fn gaps(&self) -> Result<Vec<(u64, u64)>, ProjectionError> {
        read_gaps(&self.connection).map_err(failure::at(&self.path))
    }

    fn write(&mut self, changes: &Changes) -> Result<(), ProjectionError> {
        let written = self.commit(changes);
        written.map_err(failure::at(&self.path))?;
        files::write_back_wal(&self.path)
    }

    fn forget(&mut self, retention: &HistoryRetention) -> Result<bool, ProjectionError> {
        let mut progress = self.progress;
        let cutoff_ns = match self.forgets_ns {
            Some(cutoff_ns) => Some(cutoff_ns),
            None => cutoff_ns(&self.connection, &progress, retention)
                .map_err(failure::at(&self.path))?,
        };
        let Some(cutoff_ns) = cutoff_ns else { return Ok(false) };
        progress.kept_since_ns = progress.kept_since_ns.max(cutoff_ns);
        let mut forget = || {
            let transaction = self.connection.transaction()?;
            let changes = transaction.total_changes();
            let has_more = forget(&transaction, cutoff_ns)?;
            let deleted = transaction.total_changes() > changes;
            write_progress(&transaction, &progress)?;
            transaction.commit()?;
            Ok((has_more, deleted))
        };
        let (has_more, deleted) = forget().map_err(failure::at(&self.path))?;
        self.progress = progress;
        self.forgets_ns = has_more.then_some(cutoff_ns);
        // A limit of size takes several steps, as long as each leaves less.
        Ok(has_more || (deleted && retention.max_bytes.is_some()))
    }

    fn check_in_place(&mut self) -> Result<(), ProjectionError> {
        let path = self.path.clone();
        if files::inode(&path)? == self.inode {
            Ok(())
        } else {
            Err(ProjectionError::Missing { path })
        }
    }

    fn checkpoint(&self) -> Result<(), ProjectionError> {
        let checkpoint = "PRAGMA wal_checkpoint(PASSIVE)";
        let done = self.connection.query_row(checkpoint, [], |_| Ok(()));
        done.map_err(failure::at(&self.path))
    }

    fn pass_over(&mut self, first: u64) -> Result<(), ProjectionError> {
        let missing = self.progress.sequence + 1;
        let is_beginning = self.progress.sequence + 1 == self.progress.first_sequence;
        // Work that goes on behind the hole is of no command that is here.
        let mut progress =
            Progress { sequence: first - 1, sequenced_ns: 0, command: first, ..self.progress };
        if is_beginning {
            progress.first_sequence = first;
        }
        let mut pass_over = || {
            let transaction = self.connection.transaction()?;
            if !is_beginning {
                let gap = params![int(missing), int(first - 1)];
                transaction.execute("INSERT OR REPLACE INTO gaps VALUES (?1, ?2)", gap)?;
            }
            write_progress(&transaction, &progress)?;
            transaction.commit()
        };
        pass_over().map_err(failure::at(&self.path))?;
        self.progress = progress;
        Ok(())
    }
}

pub(crate) fn read_progress(connection: &Connection) -> rusqlite::Result<Progress> {
    connection.query_row("SELECT * FROM progress", [], |row| {
        Ok(Progress {
            sequence: row.uint("sequence")?,
            sequenced_ns: row.uint("sequenced_ns")?,
            command: row.uint("command")?,
            first_sequence: row.uint("first_sequence")?,
            kept_since_ns: row.uint("kept_since_ns")?,
        })
    })
}

pub(crate) fn read_gaps(connection: &Connection) -> rusqlite::Result<Vec<(u64, u64)>> {
    let mut gaps = connection.prepare("SELECT * FROM gaps ORDER BY first_sequence")?;
    gaps.query_map([], |row| Ok((row.uint(0)?, row.uint(1)?)))?.collect()
}

fn write_progress(transaction: &Transaction<'_>, progress: &Progress) -> rusqlite::Result<()> {
    let Progress { sequence, sequenced_ns, command, first_sequence, kept_since_ns } = *progress;
    let mut update = transaction.prepare_cached(
        "UPDATE progress SET sequence = ?1, sequenced_ns = ?2, command = ?3, first_sequence = ?4, \
         kept_since_ns = ?5",
    )?;
    let numbers = [sequence, sequenced_ns, command, first_sequence, kept_since_ns];
    update.execute(numbers.map(int))?;
    Ok(())
}

pub(crate) fn write_changes(
    transaction: &Transaction<'_>,
    changes: &Changes,
    filtered: &mut Filtered,
) -> rusqlite::Result<()> {
    write_listed(transaction, changes)?;
    write_orders(transaction, changes, filtered)?;
    write_amendments(transaction, changes)?;
    write_trades(transaction, changes)?;
    write_candles(transaction, changes)?;
    // Of trades that are here by now.
    write_corrections(transaction, changes)?;
    write_rest(transaction, changes)
}

fn write_listed(transaction: &Transaction<'_>, changes: &Changes) -> rusqlite::Result<()> {
    for (id, asset) in &changes.assets {
        let row = params![id.0, asset.name.as_str(), asset.decimals];
        transaction.execute("INSERT OR REPLACE INTO assets VALUES (?, ?, ?)", row)?;
    }
    for (id, instrument) in &changes.instruments {
        let spec = &instrument.spec;
        let row = params![
            id.0,
            spec.symbol.as_str(),
            spec.base.0,
            spec.quote.0,
            spec.tick_size.format(1, 0),
            spec.lot_size.format(1, 0),
            instrument.tick_lot_minor,
            instrument.lot_minor,
        ];
        let insert = "INSERT OR REPLACE INTO instruments VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        transaction.execute(insert, row)?;
    }
    Ok(())
}

fn write_trades(transaction: &Transaction<'_>, changes: &Changes) -> rusqlite::Result<()> {
    let values = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL)";
    rows::insert(transaction, "trades", values, &changes.trades, |row, made| {
        let Trade { instrument, sequence, command, trade, side, maker, taker } = made;
        row.bind(params![
            instrument.0,
            int(trade.trade_id.0),
            int(*sequence),
            int(trade.traded_ns),
            trade.price.ticks(),
            int(trade.qty.lots()),
            Wide::from(trade.quote),
            side.number(),
            int(*command),
            maker.account.0,
            int(maker.order_id.0),
            Wide::from(maker.fee),
            maker.fee_asset.0,
            taker.account.0,
            int(taker.order_id.0),
            Wide::from(taker.fee),
            taker.fee_asset.0,
        ])
    })?;
    let mut ids = Ids::default();
    for Trade { instrument, trade, maker, taker, .. } in &changes.trades {
        for part in [maker, taker] {
            let whose = (part.account, *instrument);
            ids.insert(whose, int(trade.trade_id.0), blocks::order_tag(int(part.order_id.0)));
        }
    }
    ids.add(transaction, blocks::TRADES)
}

fn write_candles(transaction: &Transaction<'_>, changes: &Changes) -> rusqlite::Result<()> {
    let mut find = transaction.prepare_cached(
        "SELECT * FROM candles WHERE instrument = ? AND interval = ? AND open_ns = ?",
    )?;
    let mut insert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO candles VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (&(instrument, level, open_ns), later) in &changes.candles() {
        let interval = LEVELS[level].name();
        let key = params![instrument.0, interval, int(open_ns)];
        let mut candle: Candle = *later;
        if let Some(mut begun) = find.query_row(key, column::candle).optional()? {
            begun.add(later);
            candle = begun;
        }
        insert.execute(params![
            instrument.0,
            interval,
            int(open_ns),
            candle.open.ticks(),
            candle.high.ticks(),
            candle.low.ticks(),
            candle.close.ticks(),
            Wide(candle.volume_lots),
            Wide::from(candle.quote),
            Wide(candle.taker_buy_lots),
            Wide::from(candle.taker_buy_quote),
            int(candle.trade_count),
            int(candle.first_trade.0),
            int(candle.last_trade.0),
        ])?;
    }
    Ok(())
}

fn write_corrections(transaction: &Transaction<'_>, changes: &Changes) -> rusqlite::Result<()> {
    for (busted_ns, busted) in &changes.busts {
        let row = params![busted.instrument.0, int(busted.trade_id.0), int(*busted_ns)];
        let update = "UPDATE trades SET busted_ns = ?3 WHERE instrument = ?1 AND trade_id = ?2";
        transaction.execute(update, row)?;
    }
    // A trade from before history begins is not here.
    for (corrected_ns, corrected) in &changes.corrections {
        let update = "UPDATE trades SET corrected_price = ?3, corrected_quote = ?4, \
                      corrected_ns = ?5 WHERE instrument = ?1 AND trade_id = ?2";
        let row = params![
            corrected.instrument.0,
            int(corrected.trade_id.0),
            corrected.price.ticks(),
            Wide::from(corrected.quote),
            int(*corrected_ns),
        ];
        transaction.execute(update, row)?;
    }
    Ok(())
}

fn write_rest(transaction: &Transaction<'_>, changes: &Changes) -> rusqlite::Result<()> {
    for e in &changes.prevented {
        let row = params![
            e.instrument.0,
            int(e.prevented_match_id),
            e.price.ticks(),
            int(e.qty.lots()),
            e.stp_mode.number(),
            e.stp_group,
            e.maker_account.0,
            int(e.maker_order_id.0),
            int(e.maker_prevented_qty.lots()),
            e.taker_account.0,
            int(e.taker_order_id.0),
            int(e.taker_prevented_qty.lots()),
            int(e.prevented_ns),
        ];
        let insert = "INSERT OR REPLACE INTO prevented_matches \
                      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        transaction.prepare_cached(insert)?.execute(row)?;
    }
    for list in changes.order_lists.values() {
        let row = params![
            list.instrument.0,
            int(list.order_list.0),
            list.account.0,
            list.cl_ord_id.as_str(),
            int(list.created_ns),
            int(list.updated_ns),
            list.status == OrderListStatus::AllDone,
            wire(list),
        ];
        let insert = "INSERT OR REPLACE INTO order_lists VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        transaction.prepare_cached(insert)?.execute(row)?;
    }
    write_audit(transaction, changes)?;
    for transfer in &changes.transfers {
        write_transfer(transaction, transfer)?;
    }
    for approval in &changes.approvals {
        write_approval(transaction, approval)?;
    }
    for change in &changes.balance_changes {
        let row = params![
            change.account.0,
            int(change.account_seq),
            change.kind.name(),
            int(change.sequence),
            int(change.changed_ns),
            change.asset.map(|(asset, _)| asset.0),
            change.asset.map(|(_, amount)| Wide::from(amount)),
            change.external_ref.map(|text| text.as_str().to_owned()),
            change.trade.map(|(instrument, _)| instrument.0),
            change.trade.map(|(_, trade_id)| int(trade_id.0)),
            change.adjusted.map(|(base, _)| Wide::from(base)),
            change.adjusted.map(|(_, quote)| Wide::from(quote)),
        ];
        let insert =
            "INSERT OR REPLACE INTO balance_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        transaction.prepare_cached(insert)?.execute(row)?;
    }
    Ok(())
}
