//! The intake of a session: messages of a client become commands.

use protocol::ouch::appendage::tag;
use protocol::ouch::code::reject;
use protocol::ouch::inbound::{EnterOrder, ReplaceOrder};
use protocol::ouch::{Alpha, Appendage, Inbound};
use protocol::soup::Server;
use types::{
    AmendOrder, CancelOrder, CancelRestriction, Command, Entry, Envelope, ModifyOrder, OrderRef,
    Qty, RefuseOrder,
};

use crate::ouch::book::{BookState, OpenOrder};
use crate::ouch::order::{Context, Flags};

/// What a packet asks of the connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Asked {
    Nothing,
    LogOut,
    /// Another treatment of the orders when the session ends.
    CancelOnDisconnect(bool),
    Violation,
}

/// Turns messages into commands.
pub(super) struct Intake<'a> {
    pub(super) context: Context<'a>,
    pub(super) envelope: Envelope,
    pub(super) state: &'a mut BookState,
    pub(super) entries: &'a mut Vec<Entry>,
}

impl Intake<'_> {
    pub(super) fn take(&mut self, message: &[u8], output: &mut Vec<u8>) -> Asked {
        match Inbound::read(message) {
            Ok(message) if own_number(&message) == Some(0) => {
                Server::debug("a message is refused: a UserRefNum is 1 or more", output);
            }
            Ok(Inbound::EnterOrder(order, tags)) => self.enter(&order, tags),
            Ok(Inbound::ReplaceOrder(replace, tags)) => self.replace(&replace, tags),
            Ok(Inbound::CancelOrder(cancel, _)) => {
                self.lower(cancel.user_ref_num, cancel.quantity, false);
            }
            Ok(Inbound::ModifyOrder(modify, _)) => {
                self.lower(modify.user_ref_num, modify.quantity, true);
            }
            Ok(Inbound::MassCancel(cancel, tags)) => {
                let number = cancel.user_ref_num;
                match self.context.mass_cancel(&cancel, tags) {
                    Ok(request) => self.push(number, Command::MassCancel(request)),
                    Err(code) => self.refuse(number, [b' '; 14], code),
                }
            }
            Ok(Inbound::DisableOrderEntry(of, _)) => {
                self.refuse(of.user_ref_num, [b' '; 14], reject::FIRM_NOT_AUTHORIZED);
            }
            Ok(Inbound::EnableOrderEntry(of, _)) => {
                self.refuse(of.user_ref_num, [b' '; 14], reject::FIRM_NOT_AUTHORIZED);
            }
            Ok(Inbound::AccountQuery(_, tags)) => return self.query(tags),
            Err(error) => Server::debug(&format!("a message is refused: {error:?}"), output),
        }
        Asked::Nothing
    }

    fn enter(&mut self, order: &EnterOrder, tags: Appendage<'_>) {
        let number = order.user_ref_num;
        match self.context.enter(order, tags) {
            Ok(request) => {
                let (instrument, name) = (request.instrument, request.cl_ord_id);
                self.state.expect(number, OpenOrder { instrument, name, quantity: order.quantity });
                self.push(number, Command::NewOrder(request));
            }
            Err(code) => self.refuse(number, order.cl_ord_id, code),
        }
    }

    fn replace(&mut self, replace: &ReplaceOrder, tags: Appendage<'_>) {
        let number = replace.user_ref_num;
        let orig = self.state.order(replace.orig_user_ref_num).copied();
        let orig = orig.ok_or(reject::REPLACE_NOT_ALLOWED);
        match orig.and_then(|orig| self.context.replace(replace, tags, &orig)) {
            Ok(modify) => {
                let (instrument, quantity) = (modify.instrument, replace.quantity);
                let name = modify.cl_ord_id.expect("a replace gives a name");
                self.state.expect(number, OpenOrder { instrument, name, quantity });
                self.push(number, Command::ModifyOrder(modify));
            }
            Err(code) => self.refuse(number, replace.cl_ord_id, code),
        }
    }

    fn query(&mut self, tags: Appendage<'_>) -> Asked {
        self.push(0, Command::QueryNumbers(()));
        match tags.get::<1>(tag::CANCEL_ON_DISCONNECT) {
            Some([b'Y']) => Asked::CancelOnDisconnect(true),
            Some([b'N']) => Asked::CancelOnDisconnect(false),
            _ => Asked::Nothing,
        }
    }

    /// Lowers what an order may execute. Nothing answers for an order that is not open, or for a
    /// quantity that it has not.
    fn lower(&mut self, number: u32, quantity: u32, as_modify: bool) {
        let Some(OpenOrder { instrument, name, quantity: entered }) =
            self.state.order(number).copied()
        else {
            return;
        };
        if quantity >= entered {
            return;
        }
        let order = OrderRef::by_cl_ord_id(name);
        let order_qty = Qty::from_lots(quantity.into());
        let command = if quantity == 0 && !as_modify {
            let restriction = CancelRestriction::None;
            Command::CancelOrder(CancelOrder { instrument, order, cl_ord_id: name, restriction })
        } else if as_modify {
            Command::AmendOrder(AmendOrder { instrument, order, cl_ord_id: None, order_qty })
        } else {
            let price = None;
            Command::ModifyOrder(ModifyOrder {
                instrument,
                order,
                cl_ord_id: None,
                order_qty,
                price,
            })
        };
        self.push(0, command);
    }

    /// What the venue has no command for still uses its number, and its refusal has its place.
    fn refuse(&mut self, number: u32, text: Alpha<14>, code: u16) {
        let (cl_ord_id, _) = self.context.name(number, Flags::default(), text);
        self.push(number, Command::RefuseOrder(RefuseOrder { cl_ord_id, code }));
    }

    fn push(&mut self, number: u32, command: Command) {
        self.state.use_up(number);
        let envelope = Envelope { client_seq: number.into(), ..self.envelope };
        self.entries.push(Entry { envelope, command });
    }
}

/// The number that a message uses; none of one that names another's, or has none.
fn own_number(message: &Inbound<'_>) -> Option<u32> {
    match message {
        Inbound::EnterOrder(order, _) => Some(order.user_ref_num),
        Inbound::ReplaceOrder(replace, _) => Some(replace.user_ref_num),
        Inbound::MassCancel(cancel, _) => Some(cancel.user_ref_num),
        Inbound::DisableOrderEntry(of, _) => Some(of.user_ref_num),
        Inbound::EnableOrderEntry(of, _) => Some(of.user_ref_num),
        Inbound::CancelOrder(..) | Inbound::ModifyOrder(..) | Inbound::AccountQuery(..) => None,
    }
}
