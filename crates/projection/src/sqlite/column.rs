//! How values of the house lie in columns.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, Value, ValueRef};
use rusqlite::{Row, RowIndex, ToSql};
use types::{
    AccountId, Amount, AssetId, Candle, ClOrdId, InstrumentId, Order, OrderId, OrderStatus,
    OrderTerms, OrderType, Price, Qty, Reader, Side, StpMode, TimeInForce, TradeId, Wire,
};

/// An id, a number of lots or a time.
pub(crate) fn int(value: u64) -> i64 {
    i64::try_from(value).expect("ids and lots are below 2^53, and times until the year 2262")
}

/// 128 bits: an integer where it is one of SQLite's, else its digits.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Wide(pub(crate) i128);

impl From<Amount> for Wide {
    fn from(amount: Amount) -> Self {
        Self(amount.minor())
    }
}

impl ToSql for Wide {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(match i64::try_from(self.0) {
            Ok(integer) => Value::Integer(integer),
            Err(_) => Value::Text(self.0.to_string()),
        }))
    }
}

impl FromSql for Wide {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Integer(integer) => Ok(Self(integer.into())),
            ValueRef::Text(_) => {
                value.as_str()?.parse().map(Self).map_err(|_| FromSqlError::InvalidType)
            }
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// Gets values of the house out of a row.
pub(crate) trait Columns {
    fn wide<I: RowIndex>(&self, index: I) -> rusqlite::Result<i128>;
    fn uint<I: RowIndex>(&self, index: I) -> rusqlite::Result<u64>;
    fn amount<I: RowIndex>(&self, index: I) -> rusqlite::Result<Amount> {
        self.wide(index).map(Amount::from_minor)
    }
    fn price<I: RowIndex>(&self, index: I) -> rusqlite::Result<Price>;
    fn qty<I: RowIndex>(&self, index: I) -> rusqlite::Result<Qty> {
        self.uint(index).map(Qty::from_lots)
    }
    /// What `parse` makes of it; `None` is a damage.
    fn parsed<T: FromSql, R>(
        &self,
        name: &str,
        parse: impl FnOnce(T) -> Option<R>,
    ) -> rusqlite::Result<R>;
}

impl Columns for Row<'_> {
    fn wide<I: RowIndex>(&self, index: I) -> rusqlite::Result<i128> {
        self.get::<_, Wide>(index).map(|wide| wide.0)
    }

    fn uint<I: RowIndex>(&self, index: I) -> rusqlite::Result<u64> {
        let value: i64 = self.get(index)?;
        u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, value))
    }

    fn price<I: RowIndex>(&self, index: I) -> rusqlite::Result<Price> {
        self.get(index).map(Price::from_ticks)
    }

    fn parsed<T: FromSql, R>(
        &self,
        name: &str,
        parse: impl FnOnce(T) -> Option<R>,
    ) -> rusqlite::Result<R> {
        parse(self.get(name)?).ok_or_else(|| rusqlite::Error::InvalidColumnName(name.to_owned()))
    }
}

/// A row of `orders`.
pub(crate) fn order(row: &Row<'_>) -> rusqlite::Result<Order> {
    Ok(Order {
        instrument: InstrumentId(row.get("instrument")?),
        account: AccountId(row.get("account")?),
        order_id: OrderId(row.uint("order_id")?),
        cl_ord_id: row.parsed("cl_ord_id", |text: String| ClOrdId::parse(&text))?,
        side: row.parsed("side", Side::from_number)?,
        order_type: row.parsed("order_type", OrderType::from_number)?,
        time_in_force: row.parsed("time_in_force", TimeInForce::from_number)?,
        stp_mode: row.parsed("stp_mode", StpMode::from_number)?,
        status: row.parsed("status", OrderStatus::from_number)?,
        strategy_id: row.get("strategy_id")?,
        strategy_type: row.get("strategy_type")?,
        price: row.price("price")?,
        order_qty: row.qty("order_qty")?,
        quote_order_qty: row.amount("quote_order_qty")?,
        cum_qty: row.qty("cum_qty")?,
        cum_quote: row.amount("cum_quote")?,
        created_ns: row.uint("created_ns")?,
        updated_ns: row.uint("updated_ns")?,
        terms: row.parsed("terms", |terms: Option<Vec<u8>>| match terms {
            None => Some(None),
            Some(bytes) => read_wire::<OrderTerms>(&bytes).map(Some),
        })?,
    })
}

/// All columns of `candles` but instrument and interval, in their order.
pub(crate) fn candle(row: &Row<'_>) -> rusqlite::Result<Candle> {
    Ok(Candle {
        open_ns: row.uint("open_ns")?,
        open: row.price("open")?,
        high: row.price("high")?,
        low: row.price("low")?,
        close: row.price("close")?,
        volume_lots: row.wide("volume_lots")?,
        quote: row.amount("quote")?,
        taker_buy_lots: row.wide("taker_buy_lots")?,
        taker_buy_quote: row.amount("taker_buy_quote")?,
        trade_count: row.uint("trade_count")?,
        first_trade: TradeId(row.uint("first_trade")?),
        last_trade: TradeId(row.uint("last_trade")?),
    })
}

pub(crate) fn asset(row: &Row<'_>, name: &str) -> rusqlite::Result<AssetId> {
    row.get(name).map(AssetId)
}

/// What was written as it lies in the log.
pub(crate) fn read_wire<T: Wire>(bytes: &[u8]) -> Option<T> {
    let mut r = Reader(bytes);
    let value = r.read()?;
    r.is_empty().then_some(value)
}

pub(crate) fn wire<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}
