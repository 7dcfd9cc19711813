//! What is read of the engine before the sockets are open.

use engine::Engine;
use types::{Order, OrderList, OrderRef};

/// The order lists that are open when the venue opens, each with its orders.
pub(crate) fn open_lists(engine: &Engine) -> Vec<(OrderList, Vec<Order>)> {
    let with_orders = |list: OrderList| {
        let find = |id| engine.order(list.account, list.instrument, &OrderRef::by_id(id));
        (list, list.orders.into_iter().flatten().filter_map(find).collect())
    };
    let lists = engine.accounts().flat_map(|(account, _)| engine.order_lists(account));
    lists.map(with_orders).collect()
}
