//! The kinds of entries in a market file, and the keys of each: one row a key.

use serde_json::Value;
use types::{
    AccountName, AssetName, ExternalRef, KeyName, Symbol, UserName, WITHDRAWAL_APPROVALS_MAX,
};

use super::form::Form;
use super::form::Form::{
    Count, Decimal, Flag, Networks, PublicKey, Sessions, Text, Tiers, Time, Word,
};

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Kind {
    /// Settings of the venue as a whole.
    Venue,
    Asset,
    Instrument,
    Rules,
    Account,
    Limits,
    Deposit,
    Key,
    Login,
}

/// A key of an entry.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) by: By,
}

/// The operation that sets a key.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum By {
    /// It is given once, when the entry is added, and never changes.
    Add,
    /// Where a secret of a new entry is read. The venue never shows it, so nothing is compared.
    New,
    /// It is given when the entry is added, and changes by this operation.
    AddOr(&'static str),
    Change(&'static str),
    /// Ends the entry.
    End(&'static str),
}

/// The venue's own account, which receives the fees and takes no changes.
pub(super) const VENUE: &str = "venue";

impl Kind {
    pub(super) const ALL: [Self; 9] = [
        Self::Venue,
        Self::Asset,
        Self::Instrument,
        Self::Rules,
        Self::Account,
        Self::Limits,
        Self::Deposit,
        Self::Key,
        Self::Login,
    ];

    /// The names of its tables in the file; names of entries stand after each but `venue` and
    /// `rules`.
    pub(super) fn tables(self) -> &'static [&'static str] {
        match self {
            Self::Venue => &["venue"],
            Self::Asset => &["asset"],
            Self::Instrument => &["instrument"],
            Self::Rules => &["instrument", "rules"],
            Self::Account => &["account"],
            Self::Limits => &["account", "limits"],
            Self::Deposit => &["account", "deposit"],
            Self::Key => &["account", "key"],
            Self::Login => &["account", "login"],
        }
    }

    /// The names of an entry, such as those of an account and of its key.
    pub(super) fn names(self) -> usize {
        match self {
            Self::Venue => 0,
            Self::Asset | Self::Instrument | Self::Rules | Self::Account => 1,
            Self::Limits | Self::Deposit | Self::Key | Self::Login => 2,
        }
    }

    /// The kinds that stand below an entry of this kind.
    pub(super) fn below(self) -> &'static [Self] {
        match self {
            Self::Instrument => &[Self::Rules],
            Self::Account => &[Self::Limits, Self::Deposit, Self::Key, Self::Login],
            _ => &[],
        }
    }

    pub(super) fn title(self, names: &[String]) -> String {
        let Some(first) = names.first() else { return "venue".to_owned() };
        match (self, names.get(1)) {
            (Self::Asset, _) => format!("asset {first}"),
            (Self::Instrument, _) => format!("instrument {first}"),
            (Self::Rules, _) => format!("instrument {first}, rules"),
            (Self::Limits, Some(symbol)) => format!("account {first}, limits in {symbol}"),
            (Self::Deposit, Some(external_ref)) => {
                format!("account {first}, deposit {external_ref}")
            }
            (Self::Key, Some(name)) => format!("account {first}, key {name}"),
            (Self::Login, Some(user)) => format!("account {first}, login {user}"),
            _ => format!("account {first}"),
        }
    }

    /// Why a name cannot be one of an entry's, if so. A name that stands above the entry is checked
    /// there.
    pub(super) fn check_name(self, name: &str) -> Result<(), &'static str> {
        let (is_valid, expected) = match self {
            Self::Venue => (false, "a name: the venue has none"),
            Self::Asset => (AssetName::parse(name).is_some(), "1 to 16 capital letters and digits"),
            Self::Instrument | Self::Rules | Self::Limits => (
                Symbol::parse(name).is_some(),
                "a symbol: 1 to 20 capital letters, digits, `-`, `_` and `.`",
            ),
            Self::Account => {
                (AccountName::parse(name).is_some(), "1 to 32 letters, digits, `.`, `_` and `-`")
            }
            Self::Deposit => {
                (ExternalRef::parse(name).is_some(), "1 to 64 visible ASCII characters")
            }
            Self::Key => {
                (KeyName::parse(name).is_some(), "1 to 24 letters, digits, `.`, `_` and `-`")
            }
            Self::Login => (
                UserName::parse(name).is_some(),
                "1 to 32 small letters, digits, `.`, `_`, `@`, `+` and `-`",
            ),
        };
        if is_valid { Ok(()) } else { Err(expected) }
    }

    /// The fields of an operation that name the entry.
    pub(super) fn name_fields(self, operation: &str) -> &'static [&'static str] {
        match self {
            Self::Venue => &[],
            Self::Instrument | Self::Rules => &["symbol"],
            Self::Account if operation == "risk" => &["account"],
            Self::Asset | Self::Account => &["name"],
            Self::Limits => &["account", "symbol"],
            Self::Deposit => &["account", "external_ref"],
            Self::Key => &["account", "name"],
            Self::Login => &["account", "user"],
        }
    }

    /// The operation that adds an entry. Rules and limits are there with their instrument or
    /// account.
    pub(super) fn add(self) -> Option<&'static str> {
        match self {
            Self::Asset => Some("asset add"),
            Self::Instrument => Some("instrument add"),
            Self::Account => Some("account add"),
            Self::Deposit => Some("deposit"),
            Self::Key => Some("key add"),
            Self::Login => Some("login add"),
            Self::Venue | Self::Rules | Self::Limits => None,
        }
    }

    /// Keys without which an entry cannot be added.
    pub(super) fn required(self) -> &'static [&'static str] {
        match self {
            Self::Instrument => &["base", "quote", "tick_size", "lot_size"],
            Self::Deposit => &["asset", "amount"],
            _ => &[],
        }
    }

    pub(super) fn key(self, name: &str) -> Option<&'static Key> {
        self.keys().iter().find(|key| key.name == name)
    }

    pub(super) fn keys(self) -> &'static [Key] {
        match self {
            Self::Venue => SETTINGS,
            Self::Asset => ASSET,
            Self::Instrument => INSTRUMENT,
            Self::Rules => RULES,
            Self::Account => ACCOUNT,
            Self::Limits => LIMITS,
            Self::Deposit => DEPOSIT,
            Self::Key => KEY,
            Self::Login => LOGIN,
        }
    }
}

const fn key(name: &'static str, form: Form, by: By) -> Key {
    Key { name, form, by }
}

const UPDATE: By = By::AddOr("instrument update");
const FEES: By = By::Change("instrument fees");
const RULE: By = By::Change("instrument rules");
const OWNER: By = By::AddOr("account update");
const RISK: By = By::Change("risk");
const LIMIT: By = By::Change("limits");

const AMOUNT: Form = Decimal { none: false };
const AMOUNT_OR_NONE: Form = Decimal { none: true };
const NUMBER: Form = Count { none: false, max: u32::MAX as u64 };
const NUMBER_OR_NONE: Form = Count { none: true, max: u32::MAX as u64 };
/// Nanoseconds of 64 bits hold as many.
const SECONDS: Form = Count { none: false, max: u64::MAX / 1_000_000_000 };

const SETTINGS: &[Key] = &[key(
    "withdrawal_approvals",
    Count { none: false, max: WITHDRAWAL_APPROVALS_MAX as u64 },
    By::Change("settings"),
)];

const ASSET: &[Key] = &[key("decimals", Count { none: false, max: 18 }, By::Add)];

const INSTRUMENT: &[Key] = &[
    key("base", Text, By::Add),
    key("quote", Text, By::Add),
    key("tick_size", AMOUNT, By::Add),
    key("lot_size", AMOUNT, By::Add),
    key("min_price", AMOUNT, UPDATE),
    key("max_price", AMOUNT, UPDATE),
    key("min_qty", AMOUNT, UPDATE),
    key("max_qty", AMOUNT, UPDATE),
    key("market_max_qty", AMOUNT, UPDATE),
    key("min_notional", AMOUNT, UPDATE),
    key("max_notional", AMOUNT_OR_NONE, UPDATE),
    key("max_open_orders", NUMBER, UPDATE),
    key("maker_fee_bps", AMOUNT, UPDATE),
    key("taker_fee_bps", AMOUNT, UPDATE),
    key("fee_asset", Word(&["Received", "Quote"]), FEES),
    key("fee_tiers", Tiers, FEES),
    key("calendar", Sessions, By::Change("instrument calendar")),
    key("delisted", Flag, By::End("delist")),
];

const RULES: &[Key] = &[
    key("avg_price_mins", Count { none: false, max: 1_440 }, RULE),
    key("buy_max_bps", NUMBER_OR_NONE, RULE),
    key("buy_min_bps", NUMBER_OR_NONE, RULE),
    key("sell_max_bps", NUMBER_OR_NONE, RULE),
    key("sell_min_bps", NUMBER_OR_NONE, RULE),
    key("notional_by_avg_price", Flag, RULE),
    key("market_min_qty", AMOUNT_OR_NONE, RULE),
    key("iceberg_parts_max", NUMBER_OR_NONE, RULE),
    key("max_stop_orders", NUMBER_OR_NONE, RULE),
    key("max_iceberg_orders", NUMBER_OR_NONE, RULE),
    key("max_order_lists", NUMBER_OR_NONE, RULE),
    key("max_amends", NUMBER_OR_NONE, RULE),
    key("trailing_delta_min_bps", NUMBER_OR_NONE, RULE),
    key("trailing_delta_max_bps", NUMBER_OR_NONE, RULE),
    key("max_position", AMOUNT_OR_NONE, RULE),
    key("static_band_bps", NUMBER_OR_NONE, RULE),
    key("dynamic_band_bps", NUMBER_OR_NONE, RULE),
    key("breach", Word(&["VolatilityAuction", "Halt"]), RULE),
    key("breach_s", SECONDS, RULE),
];

const ACCOUNT: &[Key] = &[
    key("maker_fee_bps", AMOUNT_OR_NONE, OWNER),
    key("taker_fee_bps", AMOUNT_OR_NONE, OWNER),
    key("max_open_orders", NUMBER, OWNER),
    key("finished_orders_kept", NUMBER, OWNER),
    key("trades_kept", NUMBER, OWNER),
    key("mode", Word(&["Cash", "Limits", "None"]), RISK),
    key("stp_group", NUMBER_OR_NONE, RISK),
    key("orders_per_10s", NUMBER_OR_NONE, RISK),
    key("orders_per_day", NUMBER_OR_NONE, RISK),
];

const LIMITS: &[Key] = &[
    key("max_order_qty", AMOUNT_OR_NONE, LIMIT),
    key("max_order_notional", AMOUNT_OR_NONE, LIMIT),
    key("max_open_orders", NUMBER_OR_NONE, LIMIT),
    key("max_open_notional", AMOUNT_OR_NONE, LIMIT),
    key("max_position", AMOUNT_OR_NONE, LIMIT),
    key("collar_bps", NUMBER_OR_NONE, LIMIT),
];

const DEPOSIT: &[Key] = &[key("asset", Text, By::Add), key("amount", AMOUNT, By::Add)];

const KEY: &[Key] = &[
    key("role", Word(&["trader", "read-only", "market-data", "operator"]), By::Add),
    key("public_key", PublicKey, By::Add),
    key("allow_ip", Networks, By::Add),
    key("expires", Time, By::Add),
    key("once", Flag, By::Add),
    key("revoked", Flag, By::End("key revoke")),
];

const LOGIN: &[Key] = &[
    key("role", Word(&["trader", "read-only", "operator"]), By::Add),
    key("totp", Flag, By::Add),
    key("password_file", Text, By::New),
    key("password_variable", Text, By::New),
    key("revoked", Flag, By::End("login revoke")),
];

/// The values that a file may leave out of a new entry without a difference. The other defaults are
/// written out.
pub(super) fn is_plain(key: &str, value: &Value) -> bool {
    *value == unset(key)
}

/// The value of a key that nothing has set yet: of rules, limits, fees by volume and calendars,
/// which are added after their instrument or account.
pub(super) fn unset(key: &str) -> Value {
    match key {
        "avg_price_mins" | "breach_s" => 0.into(),
        "breach" => "VolatilityAuction".into(),
        "mode" => "Cash".into(),
        "fee_asset" => "Received".into(),
        "notional_by_avg_price" | "delisted" | "once" | "totp" => false.into(),
        "fee_tiers" | "calendar" | "allow_ip" => Value::Array(Vec::new()),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_each_key_of_each_table() {
        let page = include_str!("../../../../docs/market-file.md");
        for kind in Kind::ALL {
            let heading = format!("\n### `[{}", kind.tables()[0]);
            let last = kind.tables().last().expect("each kind has a table");
            let sections = page.split(&heading).skip(1);
            let is_own = |section: &&str| {
                let head = section.split("]`").next().unwrap_or_default();
                let words: Vec<_> = head.split('.').collect();
                match kind.tables().len() {
                    1 => words.len() == 1 + kind.names(),
                    _ => words.contains(last),
                }
            };
            let section = sections.into_iter().find(is_own).expect("the page has the table");
            let section = section.split("\n### ").next().unwrap_or_default();
            for key in kind.keys() {
                let shown = format!("`{}`", key.name);
                let is_row = |line: &str| line.starts_with("| `") && line.contains(&shown);
                assert!(section.lines().any(is_row), "{last}: {}", key.name);
            }
        }
    }
}
