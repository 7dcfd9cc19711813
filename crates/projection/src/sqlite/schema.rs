//! The tables of the read model, their versions, and how a file with them is opened.
//!
//! Numbers of types and states are those of the log's vocabulary (`types`). Prices are ticks,
//! quantities lots, amounts smallest units of their asset; times are nanoseconds since 1970.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::ProjectionError;
use crate::sqlite::failure;

/// The number of migrations, and one. A file of an unknown older version is made anew.
pub const SCHEMA_VERSION: i32 = SCHEMA.version();
/// Marks our files among other databases: "BWPJ".
const APPLICATION_ID: i32 = 0x4257_504A;

/// Pages of 4 KiB that are gathered before the file is brought up to date. That takes a sync, for
/// which the log may have to wait.
const CHECKPOINT_PAGES: i32 = 8_000;

/// KiB of the file that are kept in memory. With SQLite's own 2 MiB, pages of indexes in which rows
/// come anywhere are read, and written, more than once for each transaction.
const CACHE_KIB: i32 = 32 << 10;

/// How long another process may hold the file before that is an error.
const BUSY_MAX: Duration = Duration::from_secs(5);

pub(crate) const TABLES: &str = "
CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    -- The last command whose events are here, and the time that it was applied at.
    sequence INTEGER NOT NULL,
    sequenced_ns INTEGER NOT NULL,
    -- Where the last command began: it may have left work that was done under further sequences.
    command INTEGER NOT NULL,
    first_sequence INTEGER NOT NULL,
    -- Orders, trades and transfers that ended before this time were deleted; 0 if none was.
    kept_since_ns INTEGER NOT NULL
) STRICT;
INSERT INTO progress VALUES (0, 0, 0, 0, 1, 0);

-- Commands whose events were gone before they could be read.
CREATE TABLE gaps (
    first_sequence INTEGER PRIMARY KEY,
    last_sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE instruments (
    instrument INTEGER PRIMARY KEY,
    symbol TEXT NOT NULL,
    base INTEGER NOT NULL,
    quote INTEGER NOT NULL,
    tick_size TEXT NOT NULL,
    lot_size TEXT NOT NULL,
    tick_lot_minor INTEGER NOT NULL,
    lot_minor INTEGER NOT NULL
) STRICT;

CREATE TABLE assets (
    asset INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    decimals INTEGER NOT NULL
) STRICT;

-- Each order as its last event left it.
CREATE TABLE orders (
    instrument INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    account INTEGER NOT NULL,
    cl_ord_id TEXT NOT NULL,
    side INTEGER NOT NULL,
    order_type INTEGER NOT NULL,
    time_in_force INTEGER NOT NULL,
    stp_mode INTEGER NOT NULL,
    status INTEGER NOT NULL,
    strategy_id INTEGER,
    strategy_type INTEGER,
    price INTEGER NOT NULL,
    order_qty INTEGER NOT NULL,
    quote_order_qty ANY NOT NULL,
    cum_qty INTEGER NOT NULL,
    cum_quote ANY NOT NULL,
    created_ns INTEGER NOT NULL,
    updated_ns INTEGER NOT NULL,
    order_list_id INTEGER NOT NULL,
    -- As they lie in the log; NULL for a plain order.
    terms BLOB,
    -- NULL unless it expired.
    expire_cause INTEGER,
    PRIMARY KEY (instrument, order_id)
) STRICT, WITHOUT ROWID;
-- Which orders an account has among 1,024 ids, and a hash of the name of each: `blocks.rs`.
CREATE TABLE order_blocks (
    account INTEGER NOT NULL,
    instrument INTEGER NOT NULL,
    -- order_id >> 10
    block INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (account, instrument, block)
) STRICT, WITHOUT ROWID;

-- Which names the orders of 65,536 ids have, as bits that a hash of account and name selects:
-- `names.rs`.
CREATE TABLE name_filters (
    instrument INTEGER NOT NULL,
    part INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    bits BLOB NOT NULL,
    PRIMARY KEY (instrument, part, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE amendments (
    instrument INTEGER NOT NULL,
    order_id INTEGER NOT NULL,
    -- The event's number among those of its account.
    account_seq INTEGER NOT NULL,
    account INTEGER NOT NULL,
    orig_cl_ord_id TEXT NOT NULL,
    cl_ord_id TEXT NOT NULL,
    orig_order_qty INTEGER NOT NULL,
    order_qty INTEGER NOT NULL,
    orig_price INTEGER NOT NULL,
    price INTEGER NOT NULL,
    -- What self-trade prevention had taken off both quantities.
    prevented_qty INTEGER NOT NULL,
    amended_ns INTEGER NOT NULL,
    PRIMARY KEY (instrument, order_id, account_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX amendments_by_cl_ord_id ON amendments (account, instrument, cl_ord_id);

-- As they were made, with both their sides; `side` is the aggressor's, the taker.
CREATE TABLE trades (
    instrument INTEGER NOT NULL,
    trade_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    traded_ns INTEGER NOT NULL,
    price INTEGER NOT NULL,
    qty INTEGER NOT NULL,
    quote ANY NOT NULL,
    side INTEGER NOT NULL,
    -- Where the command began that led to it, and whose order it was (`taker_order_id`): what these
    -- have in common at one price is one aggregate trade.
    command INTEGER NOT NULL,
    maker_account INTEGER NOT NULL,
    maker_order_id INTEGER NOT NULL,
    maker_fee ANY NOT NULL,
    maker_fee_asset INTEGER NOT NULL,
    taker_account INTEGER NOT NULL,
    taker_order_id INTEGER NOT NULL,
    taker_fee ANY NOT NULL,
    taker_fee_asset INTEGER NOT NULL,
    -- What became of it later.
    corrected_price INTEGER,
    corrected_quote ANY,
    corrected_ns INTEGER,
    busted_ns INTEGER,
    PRIMARY KEY (instrument, trade_id)
) STRICT, WITHOUT ROWID;

-- Both sides of each trade, a row each.
CREATE VIEW fills AS
    SELECT maker_account AS account, instrument, trade_id, 1 AS is_maker,
        maker_order_id AS order_id, 1 - side AS side,
        maker_fee AS fee, maker_fee_asset AS fee_asset FROM trades
    UNION ALL
    SELECT taker_account, instrument, trade_id, 0,
        taker_order_id, side,
        taker_fee, taker_fee_asset FROM trades;

-- In which trades an account has a side among 1,024 ids, and the order of each: `blocks.rs`.
CREATE TABLE trade_blocks (
    account INTEGER NOT NULL,
    instrument INTEGER NOT NULL,
    -- trade_id >> 10
    block INTEGER NOT NULL,
    ids BLOB NOT NULL,
    PRIMARY KEY (account, instrument, block)
) STRICT, WITHOUT ROWID;

-- Of seconds, minutes, hours and days in which something was traded, in UTC. Those of seconds lead to
-- the trades of a time, too: ids go up with it.
CREATE TABLE candles (
    instrument INTEGER NOT NULL,
    interval TEXT NOT NULL,
    open_ns INTEGER NOT NULL,
    open INTEGER NOT NULL,
    high INTEGER NOT NULL,
    low INTEGER NOT NULL,
    close INTEGER NOT NULL,
    volume_lots ANY NOT NULL,
    quote ANY NOT NULL,
    taker_buy_lots ANY NOT NULL,
    taker_buy_quote ANY NOT NULL,
    trade_count INTEGER NOT NULL,
    first_trade INTEGER NOT NULL,
    last_trade INTEGER NOT NULL,
    PRIMARY KEY (instrument, interval, open_ns)
) STRICT, WITHOUT ROWID;

CREATE TABLE prevented_matches (
    instrument INTEGER NOT NULL,
    prevented_match_id INTEGER NOT NULL,
    price INTEGER NOT NULL,
    qty INTEGER NOT NULL,
    stp_mode INTEGER NOT NULL,
    -- The self-trade group of both accounts; zero is none.
    stp_group INTEGER NOT NULL,
    maker_account INTEGER NOT NULL,
    maker_order_id INTEGER NOT NULL,
    -- The quantity that this took off the order; zero if nothing.
    maker_prevented_qty INTEGER NOT NULL,
    taker_account INTEGER NOT NULL,
    taker_order_id INTEGER NOT NULL,
    taker_prevented_qty INTEGER NOT NULL,
    prevented_ns INTEGER NOT NULL,
    PRIMARY KEY (instrument, prevented_match_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX prevented_by_maker ON prevented_matches (instrument, maker_order_id);
CREATE INDEX prevented_by_taker ON prevented_matches (instrument, taker_order_id);

CREATE TABLE order_lists (
    instrument INTEGER NOT NULL,
    order_list_id INTEGER NOT NULL,
    account INTEGER NOT NULL,
    cl_ord_id TEXT NOT NULL,
    created_ns INTEGER NOT NULL,
    updated_ns INTEGER NOT NULL,
    -- 1 once all its orders have ended.
    is_done INTEGER NOT NULL,
    -- As it lies in the log.
    list BLOB NOT NULL,
    PRIMARY KEY (instrument, order_list_id)
) STRICT, WITHOUT ROWID;
-- For the retention, which open lists must not slow down.
CREATE INDEX order_lists_done ON order_lists (updated_ns) WHERE is_done;
CREATE INDEX order_lists_by_account ON order_lists (account, created_ns);
CREATE INDEX order_lists_by_cl_ord_id ON order_lists (account, cl_ord_id);

-- Money that came or went otherwise than by trading. Busts and corrections of trades move the
-- base and the quote asset of their instrument.
CREATE TABLE balance_changes (
    account INTEGER NOT NULL,
    account_seq INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN
        ('deposit', 'withdrawal', 'trade_bust', 'trade_correction', 'receivable')),
    sequence INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    -- NULL where the two amounts of an adjustment are of its instrument's assets.
    asset INTEGER,
    amount ANY,
    external_ref TEXT,
    instrument INTEGER,
    trade_id INTEGER,
    base_amount ANY,
    quote_amount ANY,
    PRIMARY KEY (account, account_seq)
) STRICT, WITHOUT ROWID;

-- Deposits and withdrawals, from the first event to the last. A reference names one of them.
CREATE TABLE transfers (
    account INTEGER NOT NULL,
    -- Of the first event that is here.
    account_seq INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'withdrawal')),
    asset INTEGER NOT NULL,
    amount ANY NOT NULL,
    external_ref TEXT NOT NULL,
    status INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    requested_ns INTEGER NOT NULL,
    -- 0 while it is open.
    ended_ns INTEGER NOT NULL,
    PRIMARY KEY (account, account_seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX transfers_by_external_ref ON transfers (account, external_ref);

-- Operators that approved a withdrawal. Its row in the audit has the operator that requested it.
CREATE TABLE withdrawal_approvals (
    account INTEGER NOT NULL,
    external_ref TEXT NOT NULL,
    -- Zero through the admin socket.
    key INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    approved_ns INTEGER NOT NULL,
    PRIMARY KEY (account, external_ref, key)
) STRICT, WITHOUT ROWID;

-- Operators' commands. No retention deletes them.
CREATE TABLE audit (
    sequence INTEGER PRIMARY KEY,
    sequenced_ns INTEGER NOT NULL,
    -- Zero through the admin socket.
    key INTEGER NOT NULL,
    -- The way in: Admin is the socket or the tool on a stopped venue, AdminApi is HTTP.
    origin TEXT NOT NULL,
    -- Of the client; NULL for Admin.
    address TEXT,
    -- The account that it was for: that of the venue, or of a canceled order.
    account INTEGER NOT NULL,
    -- Its name, and its fields as JSON.
    command TEXT NOT NULL,
    fields TEXT NOT NULL,
    -- As it lies in the log.
    stored BLOB NOT NULL,
    -- Why it was refused; NULL if it was carried out.
    reason TEXT,
    -- How many events of each kind it led to, such as: KillSwitchSet 1, OrderCanceled 12.
    effect TEXT NOT NULL
) STRICT;
";

/// The tables of a version, and what leads to them from earlier ones.
pub(crate) struct Schema {
    pub(crate) tables: &'static str,
    /// The first leads from version 1 to version 2. A statement keeps its released text.
    pub(crate) migrations: &'static [&'static str],
}

const SCHEMA: Schema = Schema { tables: TABLES, migrations: &[] };

impl Schema {
    const fn version(&self) -> i32 {
        self.migrations.len() as i32 + 1
    }

    /// What leads from these tables to this version's. `None` if nothing does.
    fn migrations_from(&self, version: i32) -> Option<String> {
        let done = usize::try_from(version.checked_sub(1)?).ok()?;
        Some(self.migrations.get(done..)?.concat())
    }

    /// Opens the file for its writer. If there was none, the tables are made.
    pub(crate) fn open(&self, path: &Path) -> Result<Connection, ProjectionError> {
        let connection = Connection::open(path).map_err(failure::at(path))?;
        // SQLite gives the files beside it the same mode.
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(|error| {
            ProjectionError::Database { path: path.into(), error: error.into() }
        })?;
        let prepare = || {
            let version = self.prepare(&connection)?;
            self.known_version(&connection, version)
        };
        let version = prepare().map_err(failure::at(path))?;
        check_version(path, version, self.version())?;
        Ok(connection)
    }

    /// The version of the file; that of no release if it claims this one and has other tables.
    /// Builds before the first release have changed the tables and not the version.
    fn known_version(&self, connection: &Connection, version: i32) -> rusqlite::Result<i32> {
        if version != self.version() {
            return Ok(version);
        }
        let fresh = Connection::open_in_memory()?;
        fresh.execute_batch(self.tables)?;
        let found = parts(connection)?;
        let has_all = parts(&fresh)?.iter().all(|(name, part)| found.get(name) == Some(part));
        Ok(if has_all { version } else { 0 })
    }

    /// The version of the tables, once they are of this one where that is possible.
    fn prepare(&self, connection: &Connection) -> rusqlite::Result<i32> {
        connection.busy_timeout(BUSY_MAX)?;
        let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let ours: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let statements = if tables == 0 {
            self.tables.to_owned()
        } else if ours != APPLICATION_ID {
            return Err(not_ours());
        } else if let Some(migrations) = self.migrations_from(version) {
            migrations
        } else {
            return Ok(version);
        };
        // Readers go on during a write. What a loss of power takes is read from the spool again.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        // Below zero it is in KiB.
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.set_prepared_statement_cache_capacity(64);
        if tables > 0 && version == self.version() {
            return Ok(version);
        }
        self.run(connection, &statements, (tables > 0).then_some(version))
    }

    /// Makes the tables, or migrates them from a version, in one transaction.
    fn run(
        &self,
        connection: &Connection,
        statements: &str,
        from: Option<i32>,
    ) -> rusqlite::Result<i32> {
        let to = self.version();
        let transaction = format!(
            "BEGIN IMMEDIATE; {statements} PRAGMA application_id = {APPLICATION_ID}; \
             PRAGMA user_version = {to}; COMMIT;"
        );
        let Some(from) = from else { return connection.execute_batch(&transaction).map(|()| to) };
        tracing::info!(
            from,
            to,
            "the read model is migrated to this version: until then, queries of the past are \
             refused, and a stop waits for it"
        );
        let begun = Instant::now();
        match connection.execute_batch(&transaction) {
            Ok(()) => {
                let seconds = begun.elapsed().as_secs_f64();
                tracing::info!(seconds, "the read model is of this version");
                Ok(to)
            }
            // Its tables are not those of that version. The transaction ends with the connection.
            Err(error) if is_of_other_tables(&error) => Ok(from),
            Err(error) => Err(error),
        }
    }
}

/// Opens the file for its writer.
pub(crate) fn open(path: &Path) -> Result<Connection, ProjectionError> {
    SCHEMA.open(path)
}

/// The columns of each table, and the text of each index and view.
fn parts(connection: &Connection) -> rusqlite::Result<BTreeMap<String, Vec<String>>> {
    let select = "SELECT m.name, coalesce(m.sql, ''), coalesce(c.name, ''), coalesce(c.type, ''), \
                  coalesce(c.\"notnull\", 0), coalesce(c.pk, 0) FROM sqlite_schema m \
                  LEFT JOIN pragma_table_xinfo(m.name) c ON m.type = 'table' \
                  WHERE m.type IN ('table', 'index', 'view') ORDER BY m.name, c.cid";
    let mut select = connection.prepare(select)?;
    let mut rows = select.query([])?;
    let mut parts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (text, column): (String, String) = (row.get(1)?, row.get(2)?);
        let part = if column.is_empty() {
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            let (kind, not_null, key): (String, i64, i64) = (row.get(3)?, row.get(4)?, row.get(5)?);
            format!("{column} {kind} {not_null} {key}")
        };
        parts.entry(row.get(0)?).or_default().push(part);
    }
    Ok(parts)
}

fn check_version(path: &Path, version: i32, ours: i32) -> Result<(), ProjectionError> {
    let path = path.to_path_buf();
    match version.cmp(&ours) {
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(ProjectionError::Newer { path, version }),
        Ordering::Less => Err(ProjectionError::Older { path, version }),
    }
}

/// Whether a statement names what is not there.
fn is_of_other_tables(error: &rusqlite::Error) -> bool {
    matches!(error, rusqlite::Error::SqlInputError { .. })
        || error.sqlite_error_code() == Some(ErrorCode::Unknown)
}

/// A database that is not ours: treated as one that is none.
fn not_ours() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
    rusqlite::Error::SqliteFailure(code, Some("it is a database of another program".to_owned()))
}

/// Opens the file for a reader, which changes nothing.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, ProjectionError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_MAX)?;
        connection.set_prepared_statement_cache_capacity(64);
        let ours: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        if ours != APPLICATION_ID {
            return Err(not_ours());
        }
        let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let version = SCHEMA.known_version(&connection, version)?;
        Ok((connection, version))
    };
    let (connection, version) = open().map_err(failure::at(path))?;
    check_version(path, version, SCHEMA_VERSION)?;
    Ok(connection)
}
