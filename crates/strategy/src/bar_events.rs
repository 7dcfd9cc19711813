//! A bar from the four events that report it.

use recorded::{Event, Kind};

use crate::strategy::Bar;

/// Takes the events of a record. Those of one bar follow each other: open, high, low, close.
#[derive(Clone, Copy, Debug, Default)]
pub struct BarEvents {
    open: Option<Bar>,
}

impl BarEvents {
    /// The bar that this event completes.
    pub fn add(&mut self, event: &Event) -> Option<Bar> {
        let price = event.price;
        if event.kind == Kind::Open {
            self.open = Some(Bar {
                instrument: event.instrument,
                at_ns: event.exchange_ns,
                open: price,
                high: price,
                low: price,
                close: price,
                volume: event.quantity,
            });
        }
        let bar = self.open.as_mut()?;
        match event.kind {
            Kind::High => bar.high = price,
            Kind::Low => bar.low = price,
            Kind::Close => {
                bar.close = price;
                return self.open.take();
            }
            _ => {}
        }
        None
    }
}
