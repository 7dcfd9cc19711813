//! State that few accounts have: another mode, limits, positions, an order rate, a kill switch,
//! fees held on top of prices.

use std::collections::BTreeMap;

use types::{AccountMode, AccountRisk, InstrumentId, OrderId, Reader, Wire};

use crate::state::account::rate::OrderRate;
use crate::state::account::risk::{Exposure, MarketRisk};
use crate::state::codec::{read_map, write_map};
use crate::state::fee::{FeeHold, Volume};

/// State of an account beyond balances, orders and trades. A plain cash account has none of it.
#[derive(Clone, Debug)]
pub(crate) struct AccountExtra {
    pub(crate) risk: AccountRisk,
    /// Whether the account's kill switch is on.
    pub(crate) killed: bool,
    pub(in crate::state) rate: OrderRate,
    /// Instruments with limits, and those in which an account without balances has traded.
    pub(crate) markets: BTreeMap<InstrumentId, MarketRisk>,
    /// Instruments with fees by volume.
    pub(crate) volumes: BTreeMap<InstrumentId, Volume>,
    /// Open buys that hold a fee on top of their price.
    pub(crate) fee_holds: BTreeMap<(InstrumentId, OrderId), FeeHold>,
}

impl Default for AccountExtra {
    fn default() -> Self {
        Self {
            risk: AccountRisk::PLAIN,
            killed: false,
            rate: OrderRate::default(),
            markets: BTreeMap::new(),
            volumes: BTreeMap::new(),
            fee_holds: BTreeMap::new(),
        }
    }
}

impl AccountExtra {
    pub(crate) fn is_cash(&self) -> bool {
        self.risk.mode == AccountMode::Cash
    }

    /// The counters of an instrument's open orders, if the account has them.
    pub(crate) fn exposure_mut(&mut self, instrument: InstrumentId) -> Option<&mut Exposure> {
        let risk = match self.risk.mode {
            AccountMode::Limits => self.markets.entry(instrument).or_default(),
            AccountMode::Cash | AccountMode::None => self.markets.get_mut(&instrument)?,
        };
        Some(&mut risk.exposure)
    }
}

impl Wire for AccountExtra {
    fn write(&self, out: &mut Vec<u8>) {
        self.risk.write(out);
        self.killed.write(out);
        self.rate.write(out);
        write_map(&self.markets, out);
        write_map(&self.volumes, out);
        write_map(&self.fee_holds, out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            risk: r.read()?,
            killed: r.read()?,
            rate: r.read()?,
            markets: read_map(r)?,
            volumes: read_map(r)?,
            fee_holds: read_map(r)?,
        })
    }
}
