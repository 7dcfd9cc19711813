//! A market maker: one quote a side around a reservation price, renewed by a timer.
//!
//! `plain` quotes `half-spread` ticks around the middle price, moved by `skew` ticks for each lot
//! of inventory. `avellaneda-stoikov` computes both from the measured volatility: with q the
//! inventory in lots, s^2 the variance of the middle price in ticks a second, T the horizon in
//! seconds, g `risk-aversion` and k `intensity`, the reservation price is mid - q g s^2 T and the
//! half spread g s^2 T / 2 + ln(1 + g / k) / g (Avellaneda and Stoikov 2008, equations 3.17, 3.18).

use types::{Price, Qty, Side};

use super::quote::Quote;
use crate::context::Context;
use crate::param::{Param, ParamError, Values};
use crate::strategy::Strategy;

pub(super) const PARAMS: &[Param] = &[
    Param::int("interval-ms", 100, (1, 86_400_000), "Time between two looks at the quotes"),
    Param::int("lots", 1, (1, 1_000_000_000), "Lots of a quote"),
    Param::int("max-lots", 10, (1, 1_000_000_000), "Inventory beyond which a side is not quoted"),
    Param::float("half-spread", 5.0, (0.0, 1e9), "Ticks from the reservation price to a quote"),
    Param::float("skew", 1.0, (0.0, 1e6), "Ticks by which a lot of inventory moves the quotes"),
    Param::word("model", &["plain", "avellaneda-stoikov"], "How quotes are computed"),
    Param::float("risk-aversion", 0.01, (1e-9, 1e3), "g of Avellaneda and Stoikov, per tick"),
    Param::float("intensity", 0.5, (1e-9, 1e3), "k of Avellaneda and Stoikov, per tick"),
    Param::float("horizon-s", 10.0, (1e-3, 1e6), "T of Avellaneda and Stoikov"),
    Param::float("halflife-s", 30.0, (1e-3, 1e6), "Half-life of the measured variance"),
];

#[derive(Clone, Debug)]
pub struct MarketMaker {
    interval_ns: i64,
    qty: Qty,
    max_lots: i64,
    half_spread: f64,
    skew: f64,
    stoikov: Option<Stoikov>,
    bid: Quote,
    ask: Quote,
}

/// The model of Avellaneda and Stoikov with the variance that it measures.
#[derive(Clone, Debug)]
struct Stoikov {
    risk_aversion: f64,
    intensity: f64,
    horizon_s: f64,
    /// The weight of what was measured before the last interval.
    decay: f64,
    interval_s: f64,
    /// Ticks squared a second.
    variance: f64,
    last_mid: Option<f64>,
}

impl MarketMaker {
    pub fn new(values: &Values) -> Result<Self, ParamError> {
        let interval_ms = values.int("interval-ms");
        let lots = values.int("lots");
        let max_lots = values.int("max-lots");
        if lots > max_lots {
            let text = format!("lots is {lots}, above max-lots, which is {max_lots}");
            return Err(ParamError::Together(text));
        }
        let interval_s = interval_ms as f64 / 1e3;
        let stoikov = (values.text("model") == "avellaneda-stoikov").then(|| Stoikov {
            risk_aversion: values.float("risk-aversion"),
            intensity: values.float("intensity"),
            horizon_s: values.float("horizon-s"),
            decay: 0.5f64.powf(interval_s / values.float("halflife-s")),
            interval_s,
            variance: 0.0,
            last_mid: None,
        });
        Ok(Self {
            interval_ns: interval_ms * 1_000_000,
            qty: Qty::from_lots(lots.unsigned_abs()),
            max_lots,
            half_spread: values.float("half-spread"),
            skew: values.float("skew"),
            stoikov,
            bid: Quote::default(),
            ask: Quote::default(),
        })
    }

    fn quote(&mut self, context: &mut Context) {
        let book = context.book(0);
        let (Some(best_bid), Some(best_ask)) = (book.best_bid(), book.best_ask()) else { return };
        let mid = (best_bid.ticks() + best_ask.ticks()) as f64 / 2.0;
        let position = context.position(0);
        let inventory = position as f64;
        let (reservation, half_spread) = match &mut self.stoikov {
            Some(stoikov) => stoikov.quote(mid, inventory),
            None => (mid - self.skew * inventory, self.half_spread),
        };
        // A quote never crosses the touch that the strategy sees.
        let bid = ((reservation - half_spread).floor() as i64).min(best_bid.ticks());
        let ask = ((reservation + half_spread).ceil() as i64).max(best_ask.ticks());
        let lots = self.qty.lots() as i64;
        let wanted = |ticks, allowed: bool| allowed.then(|| (Price::from_ticks(ticks), self.qty));
        let bid = wanted(bid, bid > 0 && position + lots <= self.max_lots);
        let ask = wanted(ask, position - lots >= -self.max_lots);
        self.bid.want(context, 0, Side::Buy, bid);
        self.ask.want(context, 0, Side::Sell, ask);
    }
}

impl Stoikov {
    fn quote(&mut self, mid: f64, inventory: f64) -> (f64, f64) {
        if let Some(last) = self.last_mid.replace(mid) {
            let measured = (mid - last).powi(2) / self.interval_s;
            self.variance = self.decay * self.variance + (1.0 - self.decay) * measured;
        }
        let risk = self.risk_aversion * self.variance * self.horizon_s;
        let g = self.risk_aversion;
        let half_spread = risk / 2.0 + (1.0 + g / self.intensity).ln() / g;
        (mid - inventory * risk, half_spread)
    }
}

impl Strategy for MarketMaker {
    fn on_start(&mut self, context: &mut Context) {
        context.set_timer(context.now_ns() + self.interval_ns, 0);
    }

    fn on_timer(&mut self, context: &mut Context, _timer: u32) {
        self.quote(context);
        context.set_timer(context.now_ns() + self.interval_ns, 0);
    }
}
