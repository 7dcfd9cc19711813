//! An open order, as its reports have it, and its name.

use protocol::ouch::trimmed;
use types::Origin;

use crate::venue::ouch::encode::Scale;
use crate::venue::{Open, Reply};

/// An open order.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) symbol: String,
    pub(super) scale: Scale,
    pub(super) order_id: u64,
    pub(super) price: String,
    pub(super) leaves: u32,
    pub(super) executed: u32,
}

impl Known {
    pub(super) fn reply(&self, way: Origin, status: &str) -> Reply {
        Reply {
            way,
            symbol: self.symbol.clone(),
            client_order_id: self.name.clone(),
            order_id: self.order_id,
            status: status.to_owned(),
            executed_qty: self.scale.qty(self.executed),
        }
    }

    pub(super) fn open(&self) -> Open {
        Open {
            symbol: self.symbol.clone(),
            client_order_id: self.name.clone(),
            order_id: self.order_id,
            leaves_qty: self.scale.qty(self.leaves),
            price: self.price.clone(),
        }
    }
}

/// The name that an order was entered with, or else its number.
pub(super) fn name_of(cl_ord_id: &[u8], number: u32) -> String {
    let name = String::from_utf8_lossy(trimmed(cl_ord_id)).into_owned();
    if name.is_empty() { by_number(number) } else { name }
}

pub(super) fn by_number(number: u32) -> String {
    format!("#{number}")
}
