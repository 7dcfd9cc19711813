//! The bytes of what instruments have beyond their books.

use types::{InstrumentId, Reader, Wire};

use crate::state::Engine;
use crate::state::codec::{read_list, write_list};
use crate::state::market::trading::{Trading, rules_valid};

impl Engine {
    /// Of the instruments that have any of it, by instrument.
    pub(super) fn write_trading(&self, out: &mut Vec<u8>) {
        let bytes_of = |trading: &Trading| {
            let mut bytes = Vec::new();
            trading.write(&mut bytes);
            bytes
        };
        let plain = bytes_of(&Trading::default());
        let markets = (0..).map(InstrumentId).zip(&self.markets);
        let written = markets.map(|(id, market)| (id, bytes_of(&market.trading)));
        write_list(written.filter(|(_, bytes)| *bytes != plain), out, |(id, bytes), out| {
            id.write(out);
            out.extend(bytes);
        });
    }

    pub(super) fn read_trading(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let plain = Trading::default();
        let mut last = None;
        read_list(r, |r| {
            let id: InstrumentId = r.read()?;
            (last.replace(id) < Some(id)).then_some(())?;
            let trading: Trading = r.read()?;
            (trading != plain && rules_valid(&trading.rules)).then_some(())?;
            let market = self.markets.get_mut(id.0 as usize)?;
            trading.prices_are_sound(&market.instrument.spec, self.now_ns).then_some(())?;
            market.trading = trading;
            Some(())
        })?;
        Some(())
    }
}
