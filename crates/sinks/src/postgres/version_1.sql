-- Numbers of types and states are those of the log's vocabulary. Prices are ticks, quantities lots,
-- amounts smallest units of their asset; times are nanoseconds since 1970. A unique key of an
-- account's rows has the account in it, so that an extension can distribute them by account.

CREATE TABLE progress (
    id smallint PRIMARY KEY CHECK (id = 0),
    -- The last command whose events are here, and the time that it was applied at.
    sequence bigint NOT NULL,
    sequenced_ns bigint NOT NULL,
    -- Where the last command began: it may have left work that was done under further sequences.
    command bigint NOT NULL,
    first_sequence bigint NOT NULL,
    -- Orders, trades and transfers that ended before this time were deleted; 0 if none was.
    kept_since_ns bigint NOT NULL,
    -- The time that a partition spans; 0 before the first.
    partition_ns bigint NOT NULL
);
INSERT INTO progress VALUES (0, 0, 0, 0, 1, 0, 0);

-- Commands whose events were gone before they could be read.
CREATE TABLE gaps (
    first_sequence bigint PRIMARY KEY,
    last_sequence bigint NOT NULL
);

-- Where history lies in several databases, each account's rows are in one of them: its id modulo 256
-- is its bucket, and a bucket is in one database. Public trades, candles and the audit are in the
-- first one, instruments and assets in all.

-- This database among them; without a row it is the only one.
CREATE TABLE shards (
    id smallint PRIMARY KEY CHECK (id = 0),
    -- Drawn when they were put together.
    set_id text NOT NULL,
    -- Its place in the list, from 0 on.
    shard smallint NOT NULL,
    -- Of the table buckets. All databases have it, and the highest version counts.
    map_version bigint NOT NULL
);
CREATE TABLE buckets (
    bucket smallint PRIMARY KEY,
    shard smallint NOT NULL,
    -- The command after which its rows are there, and where they were before; NULL if they never
    -- moved.
    since_sequence bigint NOT NULL,
    from_shard smallint
);
-- Buckets with rows here that do not count: they arrive, or they have left.
CREATE TABLE moves (
    bucket smallint PRIMARY KEY,
    -- The last command whose events the arriving rows have; -1 where rows are to be deleted.
    sequence bigint NOT NULL
);

-- The spans of time that orders, trades and fills have partitions for.
CREATE TABLE partitions (
    from_ns bigint PRIMARY KEY,
    to_ns bigint NOT NULL
);

CREATE TABLE instruments (
    instrument integer PRIMARY KEY,
    symbol text COLLATE "C" NOT NULL,
    base integer NOT NULL,
    quote integer NOT NULL,
    tick_size numeric NOT NULL,
    lot_size numeric NOT NULL,
    tick_lot_minor numeric NOT NULL,
    lot_minor numeric NOT NULL
);

CREATE TABLE assets (
    asset integer PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    decimals smallint NOT NULL
);

-- Each order that has ended, as its last event left it.
CREATE TABLE orders (
    order_id bigint NOT NULL,
    account bigint NOT NULL,
    price bigint NOT NULL,
    order_qty bigint NOT NULL,
    cum_qty bigint NOT NULL,
    created_ns bigint NOT NULL,
    updated_ns bigint NOT NULL,
    order_list_id bigint NOT NULL,
    strategy_id bigint,
    strategy_type integer,
    instrument integer NOT NULL,
    side smallint NOT NULL,
    order_type smallint NOT NULL,
    time_in_force smallint NOT NULL,
    stp_mode smallint NOT NULL,
    status smallint NOT NULL,
    -- NULL unless it expired.
    expire_cause smallint,
    cl_ord_id text COLLATE "C" NOT NULL,
    quote_order_qty numeric NOT NULL,
    cum_quote numeric NOT NULL,
    -- As they lie in the log; NULL for a plain order.
    terms bytea,
    PRIMARY KEY (instrument, order_id, updated_ns, account)
) PARTITION BY RANGE (updated_ns);
CREATE INDEX orders_by_account ON orders (account, instrument, created_ns, order_id);
CREATE INDEX orders_by_cl_ord_id ON orders (account, instrument, cl_ord_id, order_id);

-- The same columns, of orders that have not ended. Rows come and go.
CREATE TABLE open_orders (
    LIKE orders INCLUDING DEFAULTS,
    PRIMARY KEY (instrument, order_id, account)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX open_orders_by_account ON open_orders (account, instrument, created_ns, order_id);
CREATE INDEX open_orders_by_cl_ord_id ON open_orders (account, instrument, cl_ord_id, order_id);

CREATE TABLE amendments (
    order_id bigint NOT NULL,
    -- The event's number among those of its account.
    account_seq bigint NOT NULL,
    account bigint NOT NULL,
    orig_order_qty bigint NOT NULL,
    order_qty bigint NOT NULL,
    orig_price bigint NOT NULL,
    price bigint NOT NULL,
    -- What self-trade prevention had taken off both quantities.
    prevented_qty bigint NOT NULL,
    amended_ns bigint NOT NULL,
    instrument integer NOT NULL,
    orig_cl_ord_id text COLLATE "C" NOT NULL,
    cl_ord_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (instrument, order_id, account_seq, account)
);
CREATE INDEX amendments_by_cl_ord_id ON amendments (account, instrument, cl_ord_id);
CREATE INDEX amendments_by_time ON amendments USING brin (amended_ns);

-- As they were made; `side` is the aggressor's, the taker.
CREATE TABLE trades (
    trade_id bigint NOT NULL,
    sequence bigint NOT NULL,
    traded_ns bigint NOT NULL,
    price bigint NOT NULL,
    qty bigint NOT NULL,
    -- Where the command began that led to it, and whose order it was: what these have in common at
    -- one price is one aggregate trade.
    command bigint NOT NULL,
    taker_order_id bigint NOT NULL,
    instrument integer NOT NULL,
    side smallint NOT NULL,
    quote numeric NOT NULL,
    PRIMARY KEY (instrument, trade_id, traded_ns)
) PARTITION BY RANGE (traded_ns);

-- Both sides of each trade, a row each.
CREATE TABLE fills (
    trade_id bigint NOT NULL,
    account bigint NOT NULL,
    order_id bigint NOT NULL,
    traded_ns bigint NOT NULL,
    price bigint NOT NULL,
    qty bigint NOT NULL,
    -- What became of it later.
    corrected_price bigint,
    corrected_ns bigint,
    busted_ns bigint,
    instrument integer NOT NULL,
    fee_asset integer NOT NULL,
    side smallint NOT NULL,
    is_maker boolean NOT NULL,
    quote numeric NOT NULL,
    fee numeric NOT NULL,
    corrected_quote numeric,
    PRIMARY KEY (instrument, trade_id, is_maker, traded_ns, account)
) PARTITION BY RANGE (traded_ns);
CREATE INDEX fills_by_account ON fills (account, instrument, traded_ns, trade_id, is_maker);

-- Of seconds, minutes, hours and days in which something was traded, in UTC.
CREATE TABLE candles (
    open_ns bigint NOT NULL,
    open bigint NOT NULL,
    high bigint NOT NULL,
    low bigint NOT NULL,
    close bigint NOT NULL,
    trade_count bigint NOT NULL,
    first_trade bigint NOT NULL,
    last_trade bigint NOT NULL,
    instrument integer NOT NULL,
    "interval" text COLLATE "C" NOT NULL,
    volume_lots numeric NOT NULL,
    quote numeric NOT NULL,
    taker_buy_lots numeric NOT NULL,
    taker_buy_quote numeric NOT NULL,
    PRIMARY KEY (instrument, "interval", open_ns)
) WITH (fillfactor = 90);

CREATE TABLE prevented_matches (
    prevented_match_id bigint NOT NULL,
    price bigint NOT NULL,
    qty bigint NOT NULL,
    maker_account bigint NOT NULL,
    maker_order_id bigint NOT NULL,
    -- The quantity that this took off the order; zero if nothing.
    maker_prevented_qty bigint NOT NULL,
    taker_account bigint NOT NULL,
    taker_order_id bigint NOT NULL,
    taker_prevented_qty bigint NOT NULL,
    prevented_ns bigint NOT NULL,
    -- The self-trade group of both accounts; zero is none.
    stp_group bigint NOT NULL,
    instrument integer NOT NULL,
    stp_mode smallint NOT NULL,
    PRIMARY KEY (instrument, prevented_match_id)
);
CREATE INDEX prevented_by_maker ON prevented_matches (instrument, maker_order_id);
CREATE INDEX prevented_by_taker ON prevented_matches (instrument, taker_order_id);
CREATE INDEX prevented_by_time ON prevented_matches USING brin (prevented_ns);

CREATE TABLE order_lists (
    order_list_id bigint NOT NULL,
    account bigint NOT NULL,
    created_ns bigint NOT NULL,
    updated_ns bigint NOT NULL,
    instrument integer NOT NULL,
    -- Once all its orders have ended.
    is_done boolean NOT NULL,
    cl_ord_id text COLLATE "C" NOT NULL,
    -- As it lies in the log.
    list bytea NOT NULL,
    PRIMARY KEY (instrument, order_list_id, account)
);
CREATE INDEX order_lists_done ON order_lists (updated_ns) WHERE is_done;
CREATE INDEX order_lists_by_account ON order_lists (account, created_ns);
CREATE INDEX order_lists_by_cl_ord_id ON order_lists (account, cl_ord_id);

-- Money that came or went otherwise than by trading. Busts and corrections of trades move the base
-- and the quote asset of their instrument.
CREATE TABLE balance_changes (
    account bigint NOT NULL,
    account_seq bigint NOT NULL,
    sequence bigint NOT NULL,
    changed_ns bigint NOT NULL,
    trade_id bigint,
    instrument integer,
    -- NULL where the two amounts of an adjustment are of its instrument's assets.
    asset integer,
    kind text COLLATE "C" NOT NULL CHECK (kind IN
        ('deposit', 'withdrawal', 'trade_bust', 'trade_correction', 'receivable')),
    amount numeric,
    external_ref text COLLATE "C",
    base_amount numeric,
    quote_amount numeric,
    PRIMARY KEY (account, account_seq)
);
CREATE INDEX balance_changes_by_time ON balance_changes USING brin (changed_ns);

-- Deposits and withdrawals, from the first event to the last. A reference names one of them.
CREATE TABLE transfers (
    account bigint NOT NULL,
    -- Of the first event that is here.
    account_seq bigint NOT NULL,
    sequence bigint NOT NULL,
    requested_ns bigint NOT NULL,
    -- 0 while it is open.
    ended_ns bigint NOT NULL,
    asset integer NOT NULL,
    status smallint NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('deposit', 'withdrawal')),
    amount numeric NOT NULL,
    external_ref text COLLATE "C" NOT NULL,
    PRIMARY KEY (account, account_seq)
);
CREATE UNIQUE INDEX transfers_by_external_ref ON transfers (account, external_ref);
CREATE INDEX transfers_by_time ON transfers USING brin (requested_ns);

-- Operators that approved a withdrawal. Its row in the audit has the operator that requested it.
CREATE TABLE withdrawal_approvals (
    account bigint NOT NULL,
    -- Zero through the admin socket.
    key bigint NOT NULL,
    sequence bigint NOT NULL,
    approved_ns bigint NOT NULL,
    external_ref text COLLATE "C" NOT NULL,
    PRIMARY KEY (account, external_ref, key)
);

-- Operators' commands. No retention deletes them.
CREATE TABLE audit (
    sequence bigint PRIMARY KEY,
    sequenced_ns bigint NOT NULL,
    -- Zero through the admin socket.
    key bigint NOT NULL,
    -- The account that it was for: that of the venue, or of a canceled order.
    account bigint NOT NULL,
    -- The way in: Admin is the socket or the tool on a stopped venue, AdminApi is HTTP.
    origin text COLLATE "C" NOT NULL,
    -- Of the client; NULL for Admin.
    address text COLLATE "C",
    -- Its name, and its fields.
    command text COLLATE "C" NOT NULL,
    fields jsonb NOT NULL,
    -- As it lies in the log.
    stored bytea NOT NULL,
    -- Why it was refused; NULL if it was carried out.
    reason text COLLATE "C",
    -- How many events of each kind it led to, such as: KillSwitchSet 1, OrderCanceled 12.
    effect text COLLATE "C" NOT NULL
);

-- For analysts: names in place of numbers, decimals in place of ticks and lots, times of PostgreSQL.
-- A time has microseconds there, and the column beside it all nanoseconds.
CREATE FUNCTION time_of(ns bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN timestamptz 'epoch' + (ns / 1000) * interval '1 microsecond';

CREATE VIEW report_orders AS
    SELECT i.symbol, o.order_id, o.account, o.cl_ord_id,
        CASE o.side WHEN 0 THEN 'buy' ELSE 'sell' END AS side,
        o.is_open, o.status, o.order_type, o.time_in_force,
        o.price * i.tick_size AS price,
        o.order_qty * i.lot_size AS order_qty,
        o.cum_qty * i.lot_size AS cum_qty,
        o.cum_quote / (10::numeric ^ q.decimals) AS cum_quote,
        time_of(o.created_ns) AS created, o.created_ns,
        time_of(o.updated_ns) AS updated, o.updated_ns
    FROM (SELECT false AS is_open, * FROM orders
        UNION ALL SELECT true, * FROM open_orders) o
    JOIN instruments i USING (instrument) JOIN assets q ON q.asset = i.quote;

CREATE VIEW report_trades AS
    SELECT i.symbol, t.trade_id,
        CASE t.side WHEN 0 THEN 'buy' ELSE 'sell' END AS taker_side,
        t.price * i.tick_size AS price,
        t.qty * i.lot_size AS qty,
        t.quote / (10::numeric ^ q.decimals) AS quote,
        time_of(t.traded_ns) AS traded, t.traded_ns
    FROM trades t JOIN instruments i USING (instrument) JOIN assets q ON q.asset = i.quote;

-- With what operators corrected; a busted trade is left out.
CREATE VIEW report_fills AS
    SELECT i.symbol, f.trade_id, f.account, f.order_id, f.is_maker,
        CASE f.side WHEN 0 THEN 'buy' ELSE 'sell' END AS side,
        coalesce(f.corrected_price, f.price) * i.tick_size AS price,
        f.qty * i.lot_size AS qty,
        coalesce(f.corrected_quote, f.quote) / (10::numeric ^ q.decimals) AS quote,
        f.fee / (10::numeric ^ a.decimals) AS fee, a.name AS fee_asset,
        time_of(f.traded_ns) AS traded, f.traded_ns
    FROM fills f JOIN instruments i USING (instrument) JOIN assets q ON q.asset = i.quote
    JOIN assets a ON a.asset = f.fee_asset
    WHERE f.busted_ns IS NULL;

CREATE VIEW report_candles AS
    SELECT i.symbol, c."interval", time_of(c.open_ns) AS opened,
        c.open * i.tick_size AS open, c.high * i.tick_size AS high,
        c.low * i.tick_size AS low, c.close * i.tick_size AS close,
        c.volume_lots * i.lot_size AS volume,
        c.quote / (10::numeric ^ q.decimals) AS quote,
        c.trade_count
    FROM candles c JOIN instruments i USING (instrument) JOIN assets q ON q.asset = i.quote;

CREATE VIEW report_transfers AS
    SELECT t.account, t.kind, a.name AS asset,
        t.amount / (10::numeric ^ a.decimals) AS amount, t.external_ref, t.status,
        time_of(t.requested_ns) AS requested,
        CASE WHEN t.ended_ns > 0 THEN time_of(t.ended_ns) END AS ended
    FROM transfers t JOIN assets a USING (asset);

-- What each account paid in fees and traded, by day in UTC.
CREATE VIEW report_daily_accounts AS
    SELECT (traded AT TIME ZONE 'UTC')::date AS day, account, symbol, fee_asset,
        count(*) AS fills, sum(qty) AS qty, sum(quote) AS quote, sum(fee) AS fee
    FROM report_fills GROUP BY 1, 2, 3, 4;
