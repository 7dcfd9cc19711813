//! Messages of OUCH as lines of text, as the tests write and expect them.

use protocol::ouch::inbound::{
    AccountQuery, CancelOrder, EnterOrder, MassCancel, ModifyOrder, ReplaceOrder,
};
use protocol::ouch::{Outbound, alpha, trimmed};

/// A tenth of a cent of USDT in the field of a price.
const UNITS: u64 = 10_000;

/// The message of a line such as `enter 1 B 100 @ 50000 SYMBOL:text`.
pub(super) fn write_message(line: &str, out: &mut Vec<u8>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |at: usize| words[at].parse::<u32>().unwrap();
    let after = |word: &str| words.iter().position(|found| *found == word).map(|at| words[at + 1]);
    let price = after("@").map_or(0, |price| price.parse::<u64>().unwrap() * UNITS);
    let ticks = after("ticks").map(|ticks| ticks.parse::<i64>().unwrap());
    match words[0] {
        "enter" => {
            let last = *words.last().unwrap();
            let (symbol, text) = match last.split_once(':') {
                Some((symbol, text)) => (symbol, text),
                None if words.len() == 7
                    && after("account").is_none()
                    && after("shows").is_none()
                    && after("long").is_none() =>
                {
                    ("BTCUSDT", last)
                }
                None => ("BTCUSDT", ""),
            };
            let symbol = if after("long").is_some() { "" } else { symbol };
            EnterOrder {
                user_ref_num: number(1),
                side: words[2].as_bytes()[0],
                quantity: number(3),
                symbol: alpha(symbol.as_bytes()).unwrap(),
                price,
                time_in_force: b'0',
                display: b'Y',
                capacity: b'A',
                intermarket_sweep: b'N',
                cross_type: b'N',
                cl_ord_id: alpha(text.as_bytes()).unwrap(),
            }
            .write(out, |tags| {
                if let Some(ticks) = ticks {
                    tags.put(201, &ticks.to_be_bytes());
                }
                if let Some(floor) = after("shows") {
                    tags.put(5, &floor.parse::<u32>().unwrap().to_be_bytes());
                }
                if let Some(account) = after("account") {
                    tags.put(202, &account.parse::<u32>().unwrap().to_be_bytes());
                }
                if let Some(symbol) = after("long") {
                    tags.put(200, symbol.as_bytes());
                }
            });
        }
        "replace" => ReplaceOrder {
            orig_user_ref_num: number(1),
            user_ref_num: number(3),
            quantity: number(4),
            price,
            time_in_force: b'0',
            display: b'Y',
            intermarket_sweep: b'N',
            cl_ord_id: [b' '; 14],
        }
        .write(out, |_| {}),
        "cancel" => {
            let quantity = after("to").map_or(0, |to| to.parse().unwrap());
            CancelOrder { user_ref_num: number(1), quantity }.write(out, |_| {});
        }
        "modify" => {
            let side = words[2].as_bytes()[0];
            ModifyOrder { user_ref_num: number(1), side, quantity: number(3) }.write(out, |_| {});
        }
        "mass-cancel" => {
            let (firm, symbol) = ([b' '; 4], [b' '; 8]);
            MassCancel { user_ref_num: number(1), firm, symbol }.write(out, |_| {});
        }
        "query" => AccountQuery {}.write(out, |tags| match words.get(1) {
            Some(&"cancel-on-disconnect") => tags.put(203, b"Y"),
            Some(&"keep-on-disconnect") => tags.put(203, b"N"),
            _ => {}
        }),
        other => panic!("{other}"),
    }
}

/// The venue's own number, without that of the instrument.
fn id_of(reference: u64) -> u64 {
    reference & ((1 << 48) - 1)
}

/// The line of a report.
pub(super) fn print(message: &[u8]) -> String {
    let text = |text: &[u8]| String::from_utf8(trimmed(text).to_vec()).unwrap();
    let price = |price: u64| format!("@ {}", price as f64 / UNITS as f64);
    let line = match Outbound::read(message).unwrap() {
        Outbound::SystemEvent(m, _) => format!("day {}", char::from(m.event)),
        Outbound::OrderAccepted(m, tags) => {
            let side = char::from(m.side);
            let ticks = tags.get(201).map(i64::from_be_bytes);
            let price = ticks.map_or_else(|| price(m.price), |ticks| format!("ticks {ticks}"));
            let (symbol, text) = (text(&m.symbol), text(&m.cl_ord_id));
            format!("accepted {} {side} {} {symbol} {price} {text}", m.user_ref_num, m.quantity)
        }
        Outbound::OrderReplaced(m, _) => {
            let (orig, number) = (m.orig_user_ref_num, m.user_ref_num);
            format!("replaced {orig} by {number} {} {}", m.quantity, price(m.price))
        }
        Outbound::OrderExecuted(m, _) => {
            let (price, liquidity) = (price(m.price), char::from(m.liquidity));
            format!(
                "executed {} {} {price} {liquidity} #{}",
                m.user_ref_num,
                m.quantity,
                id_of(m.match_number)
            )
        }
        Outbound::OrderCanceled(m, _) => {
            format!("canceled {} {} {}", m.user_ref_num, m.quantity, char::from(m.reason))
        }
        Outbound::OrderModified(m, _) => format!("modified {} {}", m.user_ref_num, m.quantity),
        Outbound::Rejected(m, _) => {
            format!("rejected {} {} {}", m.user_ref_num, m.reason, text(&m.cl_ord_id))
        }
        Outbound::BrokenTrade(m, _) => {
            let (reason, text) = (char::from(m.reason), text(&m.cl_ord_id));
            format!("broken {} #{} {reason} {text}", m.user_ref_num, id_of(m.match_number))
        }
        Outbound::OrderRestated(m, tags) => {
            let number = |tag| tags.get(tag).map(u64::from_be_bytes);
            let shown = tags.get(22).map(u32::from_be_bytes).map(|shown| format!(" {shown}"));
            let trade = number(204).map(|id| format!(" #{}", id_of(id)));
            let corrected = number(205).map(|field| format!(" {}", price(field)));
            let name = tags.iter().find(|of| of.tag == 206);
            let name = name.map(|of| format!(" {}", String::from_utf8_lossy(of.value)));
            let (number, reason) = (m.user_ref_num, char::from(m.reason));
            let rest: String = [shown, trade, corrected, name].into_iter().flatten().collect();
            format!("restated {number} {reason}{rest}")
        }
        Outbound::CancelReject(m, _) => format!("cancel rejected {}", m.user_ref_num),
        Outbound::MassCancelResponse(m, _) => format!("mass canceled {}", m.user_ref_num),
        Outbound::AccountQueryResponse(m, _) => format!("next {}", m.next_user_ref_num),
        other => format!("{other:?}"),
    };
    line.trim_end().to_owned()
}
