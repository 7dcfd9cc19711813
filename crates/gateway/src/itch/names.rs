//! Instruments as messages name and price them.

use marketdata::{Unsayable, locate_of, price_max, units_per_tick};
use protocol::itch::message::Alpha;
use types::{Instrument, InstrumentId, Price};

/// All instruments, by id. What is here of one never changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<Result<Name, Unsayable>>);

/// An instrument that messages can say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub(super) locate: u16,
    pub(super) stock: Alpha<8>,
    /// Units of 10^-4.
    units_per_tick: u64,
}

impl Names {
    /// Adds an instrument, unless it is here already. The reason if it is kept out.
    pub(super) fn list(&mut self, instrument: &Instrument) -> Result<(), Unsayable> {
        if instrument.id.0 as usize == self.0.len() {
            self.0.push(Name::of(instrument));
        }
        self.0[instrument.id.0 as usize].map(|_| ())
    }

    /// Of an instrument that is not kept out.
    pub(super) fn get(&self, id: InstrumentId) -> &Name {
        let name = self.0.get(id.0 as usize).and_then(|name| name.as_ref().ok());
        name.expect("a message is about an instrument that was listed and is not kept out")
    }

    pub(super) fn kept_out(&self) -> usize {
        self.0.iter().filter(|name| name.is_err()).count()
    }
}

impl Name {
    fn of(instrument: &Instrument) -> Result<Self, Unsayable> {
        price_max(instrument)?;
        let symbol = instrument.spec.symbol.as_bytes();
        let mut stock = [b' '; 8];
        stock.get_mut(..symbol.len()).ok_or(Unsayable::LongSymbol)?.copy_from_slice(symbol);
        Ok(Self {
            locate: locate_of(instrument.id).ok_or(Unsayable::Locate)?,
            stock,
            units_per_tick: units_per_tick(instrument).ok_or(Unsayable::FineTick)?,
        })
    }

    /// Of a price that a message can say.
    pub(super) fn price(&self, price: Price) -> u32 {
        let units = u64::try_from(price.ticks()).ok().map(|ticks| ticks * self.units_per_tick);
        let units = units.and_then(|units| u32::try_from(units).ok());
        units.expect("the stream leaves out what no message can say")
    }
}
