//! The bytes of what instruments have beyond their books.

use types::{InstrumentId, Reader, Wire};

use crate::state::Engine;
use crate::state::codec::{read_map, write_list};
use crate::state::market::trading::Trading;

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
        for (id, trading) in read_map::<InstrumentId, Trading>(r)? {
            if trading == plain {
                return None;
            }
            self.markets.get_mut(id.0 as usize)?.trading = trading;
        }
        Some(())
    }
}
