//! Instruments: tick and lot, bounds, and fees.

use std::fmt;

use crate::asset::Asset;
use crate::decimal::Increment;
use crate::id::{AssetId, InstrumentId};
use crate::number::{AMOUNT_MAX, Amount, PRICE_MAX, Price, QTY_MAX, Qty};
use crate::text::Symbol;
use crate::wire::record;

record! {
    /// Fees in hundredths of a basis point (10^-6) of what is received.
    pub struct FeeRates {
        pub maker_fee_bps_x100: u32,
        pub taker_fee_bps_x100: u32,
    }
}

impl FeeRates {
    pub const ZERO: Self = Self { maker_fee_bps_x100: 0, taker_fee_bps_x100: 0 };
    /// A fee is taken from the received amount, so it may not exceed it.
    pub const MAX_BPS_X100: u32 = 1_000_000;
}

record! {
    /// An instrument as an operator specifies it.
    pub struct InstrumentSpec {
        pub symbol: Symbol,
        pub base: AssetId,
        pub quote: AssetId,
        pub tick_size: Increment,
        pub lot_size: Increment,
        /// Zero or negative only for accounts without balances: no other account trades at such
        /// prices.
        pub min_price: Price,
        pub max_price: Price,
        pub min_qty: Qty,
        pub max_qty: Qty,
        /// The largest quantity of one market order.
        pub market_max_qty: Qty,
        /// Price times quantity, in the quote asset; a market order is measured at the best price.
        pub min_notional: Amount,
        pub max_notional: Amount,
        /// Limit of the open orders of one account here.
        pub max_open_orders: u32,
        pub fees: FeeRates,
    }
}

record! {
    /// A listed instrument: the spec and the sizes derived from it.
    pub struct Instrument {
        pub id: InstrumentId,
        pub spec: InstrumentSpec,
        /// Price of one lot at one tick, in the quote asset's smallest units.
        pub tick_lot_minor: i64,
        /// Size of one lot, in the base asset's smallest units.
        pub lot_minor: i64,
    }
}

/// Why an instrument cannot be listed, in order of precedence.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ListingError {
    /// A bound is beyond the venue's own, a minimum is above its maximum, or a size or a quantity
    /// is zero. Prices may be negative.
    BoundsInvalid,
    /// Base and quote are the same asset.
    BaseIsQuote,
    /// A fee above 100 %.
    FeeTooHigh,
    /// One tick times one lot is not a whole number of the quote asset's smallest unit.
    TickTimesLotNotWhole,
    /// One lot is not a whole number of the base asset's smallest unit.
    LotNotWhole,
    /// The largest quantity at the largest price is more than [`AMOUNT_MAX`].
    AmountsTooLarge,
}

impl Instrument {
    pub fn new(
        id: InstrumentId,
        spec: InstrumentSpec,
        base: &Asset,
        quote: &Asset,
    ) -> Result<Self, ListingError> {
        let (tick, lot) = (spec.tick_size, spec.lot_size);
        let bounds_valid = tick.units > 0
            && lot.units > 0
            && tick.decimals <= Asset::DECIMALS_MAX
            && lot.decimals <= Asset::DECIMALS_MAX
            && spec.min_price.ticks() >= -PRICE_MAX.ticks()
            && spec.min_price <= spec.max_price
            && spec.max_price <= PRICE_MAX
            && spec.min_qty.lots() > 0
            && spec.min_qty <= spec.max_qty
            && spec.max_qty <= QTY_MAX
            && spec.min_qty <= spec.market_max_qty
            && spec.market_max_qty <= QTY_MAX
            && spec.min_notional >= Amount::ZERO
            && spec.min_notional <= spec.max_notional;
        if !bounds_valid {
            return Err(ListingError::BoundsInvalid);
        }
        if spec.base == spec.quote {
            return Err(ListingError::BaseIsQuote);
        }
        let fees = spec.fees;
        if fees.maker_fee_bps_x100.max(fees.taker_fee_bps_x100) > FeeRates::MAX_BPS_X100 {
            return Err(ListingError::FeeTooHigh);
        }
        let tick_lot_units = u128::from(tick.units) * u128::from(lot.units);
        let tick_lot_minor = rescale(tick_lot_units, tick.decimals + lot.decimals, quote.decimals)
            .ok_or(ListingError::TickTimesLotNotWhole)?;
        let lot_minor = rescale(u128::from(lot.units), lot.decimals, base.decimals)
            .ok_or(ListingError::LotNotWhole)?;
        let qty_max = u128::from(spec.max_qty.max(spec.market_max_qty).lots());
        let farthest = |price: Price| u128::from(price.ticks().unsigned_abs());
        let price_max = farthest(spec.min_price).max(farthest(spec.max_price));
        Ok(Self {
            id,
            spec,
            tick_lot_minor: fit(tick_lot_minor, price_max * qty_max)?,
            lot_minor: fit(lot_minor, qty_max)?,
        })
    }

    /// Cost of `qty` at `price`, in the quote asset. It cannot overflow within the instrument's
    /// bounds, which listing has checked.
    #[inline]
    pub fn notional(&self, price: Price, qty: Qty) -> Amount {
        // Most products fit into 64 bits, and that check is cheaper than a product of 128 bits.
        let (ticks, tick_lot) = (price.ticks().cast_unsigned(), self.tick_lot_minor);
        let lots_ticks = ticks.checked_mul(qty.lots()).filter(|_| price.ticks() >= 0);
        match lots_ticks.and_then(|product| product.checked_mul(tick_lot.cast_unsigned())) {
            Some(product) => Amount::from_minor(i128::from(product)),
            None => self.notional_wide(price, qty),
        }
    }

    #[cold]
    fn notional_wide(&self, price: Price, qty: Qty) -> Amount {
        let lots_ticks = i128::from(price.ticks()) * i128::from(qty.lots());
        Amount::from_minor(lots_ticks * i128::from(self.tick_lot_minor))
    }

    /// `qty` in the base asset's smallest units.
    #[inline]
    pub fn base_amount(&self, qty: Qty) -> Amount {
        Amount::from_minor(i128::from(qty.lots()) * i128::from(self.lot_minor))
    }

    /// The most whole lots that `amount` of the quote asset buys at `price`. Zero at a price of
    /// zero or less, at which an amount does not bound the quantity.
    pub fn lots_for(&self, amount: Amount, price: Price) -> Qty {
        let lot_cost = i128::from(price.ticks()) * i128::from(self.tick_lot_minor);
        if lot_cost <= 0 {
            return Qty::ZERO;
        }
        let lots = amount.minor().max(0) / lot_cost;
        Qty::from_lots(u64::try_from(lots).unwrap_or(u64::MAX))
    }

    /// The whole lots in `amount` of the base asset.
    pub fn lots_in(&self, amount: Amount) -> Qty {
        let lots = amount.minor().max(0) / i128::from(self.lot_minor);
        Qty::from_lots(u64::try_from(lots).unwrap_or(u64::MAX))
    }

    /// `None` unless the text is a whole number of ticks, at most [`PRICE_MAX`].
    pub fn parse_price(&self, text: &str) -> Option<Price> {
        let ticks = i64::try_from(self.spec.tick_size.count(text)?).ok()?;
        let price = Price::from_ticks(ticks);
        (price <= PRICE_MAX).then_some(price)
    }

    /// `None` unless the text is a whole number of lots, at most [`QTY_MAX`].
    pub fn parse_qty(&self, text: &str) -> Option<Qty> {
        let qty = Qty::from_lots(u64::try_from(self.spec.lot_size.count(text)?).ok()?);
        (qty <= QTY_MAX).then_some(qty)
    }

    pub fn format_price(&self, price: Price, digits: u8) -> String {
        self.spec.tick_size.format(i128::from(price.ticks()), digits)
    }

    pub fn format_qty(&self, qty: Qty, digits: u8) -> String {
        self.spec.lot_size.format(i128::from(qty.lots()), digits)
    }
}

/// Converts `units` of 10^-`from` to units of 10^-`to`, if that is a whole number of at least one.
fn rescale(units: u128, from: u8, to: u8) -> Option<u128> {
    let power = 10_u128.checked_pow(u32::from(from.abs_diff(to)))?;
    if to >= from {
        return units.checked_mul(power);
    }
    (units.is_multiple_of(power)).then_some(units / power)
}

/// Returns `minor` if its largest possible multiple is an amount.
fn fit(minor: u128, multiple_max: u128) -> Result<i64, ListingError> {
    let largest = minor.checked_mul(multiple_max).and_then(|largest| i128::try_from(largest).ok());
    match (i64::try_from(minor), largest) {
        (Ok(minor), Some(largest)) if largest <= AMOUNT_MAX.minor() => Ok(minor),
        _ => Err(ListingError::AmountsTooLarge),
    }
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BoundsInvalid => "a bound on price, quantity or notional is out of range",
            Self::BaseIsQuote => "base and quote must be different assets",
            Self::FeeTooHigh => "a fee may not exceed 100 %",
            Self::TickTimesLotNotWhole => {
                "one tick times one lot is not a whole number of the quote asset's smallest unit"
            }
            Self::LotNotWhole => "one lot is not a whole number of the base asset's smallest unit",
            Self::AmountsTooLarge => {
                "the largest quantity at the largest price is more than an amount can hold"
            }
        })
    }
}
