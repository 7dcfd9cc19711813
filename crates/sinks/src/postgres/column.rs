//! Values of the house out of rows.

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use types::{
    AccountId, Amount, AssetId, Candle, ClOrdId, InstrumentId, Order, OrderId, OrderStatus,
    OrderTerms, OrderType, Price, Qty, Reader, Side, StpMode, TimeInForce, TradeId, Wire,
};

use crate::postgres::failure::Failed;
use crate::postgres::number::Wide;

/// Reads the columns of a row one after the other.
#[derive(Debug)]
pub(crate) struct Cells<'a> {
    row: &'a Row,
    next: usize,
}

type Cell<T> = Result<T, Failed>;

impl<'a> Cells<'a> {
    pub(crate) fn new(row: &'a Row) -> Self {
        Self { row, next: 0 }
    }

    pub(crate) fn get<T: FromSql<'a>>(&mut self) -> Cell<T> {
        let value = self.row.try_get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    /// What `parse` makes of it; `None` is a damage.
    pub(crate) fn parsed<T: FromSql<'a>, R>(
        &mut self,
        parse: impl FnOnce(T) -> Option<R>,
    ) -> Cell<R> {
        let column = self.row.columns().get(self.next).map_or("", |column| column.name());
        parse(self.get()?).ok_or_else(|| Failed::damaged(column))
    }

    pub(crate) fn uint(&mut self) -> Cell<u64> {
        self.parsed(|value: i64| u64::try_from(value).ok())
    }

    pub(crate) fn u32(&mut self) -> Cell<u32> {
        self.parsed(|value: i64| u32::try_from(value).ok())
    }

    pub(crate) fn wide(&mut self) -> Cell<i128> {
        self.get::<Wide>().map(|wide| wide.0)
    }

    pub(crate) fn amount(&mut self) -> Cell<Amount> {
        self.wide().map(Amount::from_minor)
    }

    pub(crate) fn price(&mut self) -> Cell<Price> {
        self.get().map(Price::from_ticks)
    }

    pub(crate) fn qty(&mut self) -> Cell<Qty> {
        self.uint().map(Qty::from_lots)
    }

    pub(crate) fn account(&mut self) -> Cell<AccountId> {
        self.u32().map(AccountId)
    }

    pub(crate) fn instrument(&mut self) -> Cell<InstrumentId> {
        self.parsed(|value: i32| u32::try_from(value).ok()).map(InstrumentId)
    }

    pub(crate) fn asset(&mut self) -> Cell<AssetId> {
        self.parsed(|value: i32| u16::try_from(value).ok()).map(AssetId)
    }

    /// The choice of a number.
    pub(crate) fn choice<T>(&mut self, of: impl FnOnce(u8) -> Option<T>) -> Cell<T> {
        self.parsed(|value: i16| u8::try_from(value).ok().and_then(of))
    }

    pub(crate) fn cl_ord_id(&mut self) -> Cell<ClOrdId> {
        self.parsed(|text: &str| ClOrdId::parse(text))
    }

    /// What was written as it lies in the log.
    pub(crate) fn stored<T: Wire>(&mut self) -> Cell<T> {
        self.parsed(read_wire)
    }
}

/// The columns of [`order`].
pub(crate) const ORDER: &str = "instrument, account, order_id, cl_ord_id, side, order_type, \
    time_in_force, stp_mode, status, strategy_id, strategy_type, price, order_qty, \
    quote_order_qty, cum_qty, cum_quote, created_ns, updated_ns, terms";

pub(crate) fn order(row: &Row) -> Cell<Order> {
    let mut cells = Cells::new(row);
    Ok(Order {
        instrument: cells.instrument()?,
        account: cells.account()?,
        order_id: OrderId(cells.uint()?),
        cl_ord_id: cells.cl_ord_id()?,
        side: cells.choice(Side::from_number)?,
        order_type: cells.choice(OrderType::from_number)?,
        time_in_force: cells.choice(TimeInForce::from_number)?,
        stp_mode: cells.choice(StpMode::from_number)?,
        status: cells.choice(OrderStatus::from_number)?,
        strategy_id: cells.get()?,
        strategy_type: cells.get()?,
        price: cells.price()?,
        order_qty: cells.qty()?,
        quote_order_qty: cells.amount()?,
        cum_qty: cells.qty()?,
        cum_quote: cells.amount()?,
        created_ns: cells.uint()?,
        updated_ns: cells.uint()?,
        terms: cells.parsed(|terms: Option<&[u8]>| match terms {
            None => Some(None),
            Some(bytes) => read_wire::<OrderTerms>(bytes).map(Some),
        })?,
    })
}

/// The columns of [`candle`].
pub(crate) const CANDLE: &str = "c.open_ns, c.open, c.high, c.low, c.close, c.volume_lots, \
    c.quote, c.taker_buy_lots, c.taker_buy_quote, c.trade_count, c.first_trade, c.last_trade";

pub(crate) fn candle(row: &Row) -> Cell<Candle> {
    let mut cells = Cells::new(row);
    Ok(Candle {
        open_ns: cells.uint()?,
        open: cells.price()?,
        high: cells.price()?,
        low: cells.price()?,
        close: cells.price()?,
        volume_lots: cells.wide()?,
        quote: cells.amount()?,
        taker_buy_lots: cells.wide()?,
        taker_buy_quote: cells.amount()?,
        trade_count: cells.uint()?,
        first_trade: TradeId(cells.uint()?),
        last_trade: TradeId(cells.uint()?),
    })
}

/// What was written as it lies in the log.
fn read_wire<T: Wire>(bytes: &[u8]) -> Option<T> {
    let mut r = Reader(bytes);
    let value = r.read()?;
    r.is_empty().then_some(value)
}

pub(crate) fn wire<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}
