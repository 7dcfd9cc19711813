//! The difference between a market file and a venue, as the operations that end it.
//!
//! A key that the file does not have stays as it is. What cannot be reached by operations is
//! refused here, before the first of them.
//!
//! # A new instrument
//! An instrument that has rules, fees or a calendar to come is added with room for no open order
//! (`max_open_orders` 0). So nothing rests, and nothing trades, until the last step opens it. If
//! `apply` fails between, the next one finds the 0 and opens the instrument.

use std::collections::BTreeSet;

use cli::Failure;
use serde_json::{Map, Value, json};
use server::now_ns;
use types::{Amount, Asset, AssetName};

use super::form::shown;
use super::kind::{By, Kind, VENUE};
use super::login;
use super::part::{Index, Part, Values};
use super::present::Present;
use crate::account::DECIMALS;
use crate::instrument::{MAX_OPEN_ORDERS, check_new};
use crate::key::parse_time;
use crate::lookup::asset_named;

/// One operation.
pub(super) struct Step {
    /// The entry.
    pub(super) title: String,
    /// What it changes, for the operator.
    pub(super) line: String,
    pub(super) words: &'static str,
    /// The password of a new login is among them, so that nothing prints them.
    pub(super) fields: Value,
}

impl Step {
    /// Whether the answer can have a secret that no later one has.
    pub(super) fn makes_secret(&self) -> bool {
        ["key add", "login add"].contains(&self.words)
    }
}

const SEALED: &str = "only the venue's master key opens its keys and logins: name --master-key";
const UPDATE: &str = "instrument update";
const ROOM: &str = "max_open_orders";

pub(super) fn plan(wanted: &[Part], present: &Present) -> Result<Vec<Step>, Failure> {
    let known = Index::of(&present.parts);
    let assets = assets(&present.parts, wanted);
    let plan = Plan { wanted: Index::of(wanted), known, present, assets };
    let mut steps = Vec::new();
    let mut ends = Vec::new();
    for kind in Kind::ALL {
        for part in wanted.iter().filter(|part| part.kind == kind) {
            if kind >= Kind::Account && part.names[0] == VENUE {
                return Err(refuse(part, "the account is the venue's own: use another name"));
            }
            let found = plan.known.find(kind, &part.names);
            if plan.is_skipped(part, found)? {
                continue;
            }
            match (kind, found) {
                (_, found) if end_of(part).is_some() => ends.extend(plan.end(part, found)),
                (Kind::Instrument, None) => steps.extend(plan.new_instrument(part)?),
                // With their instrument.
                (Kind::Rules, _) if plan.is_new(part) => {}
                (_, None) => steps.extend(plan.new_entry(part)?),
                (_, Some(found)) => steps.extend(plan.changed(part, found)?),
            }
        }
    }
    steps.append(&mut ends);
    Ok(steps)
}

struct Plan<'a> {
    wanted: Index<'a>,
    /// Those of the venue.
    known: Index<'a>,
    present: &'a Present,
    /// All of the venue and the file.
    assets: Vec<Asset>,
}

fn assets(known: &[Part], wanted: &[Part]) -> Vec<Asset> {
    let all = known.iter().chain(wanted).filter(|part| part.kind == Kind::Asset);
    let asset = |part: &Part| {
        let name = AssetName::parse(&part.names[0])?;
        let decimals = part.values.get("decimals").and_then(Value::as_u64);
        let decimals = decimals.and_then(|decimals| u8::try_from(decimals).ok());
        Some(Asset { name, decimals: decimals.unwrap_or(DECIMALS) })
    };
    all.filter_map(asset).collect()
}

/// The operation that ends an entry, if the file says that it has ended.
fn end_of(part: &Part) -> Option<&'static str> {
    part.kind.keys().iter().find_map(|key| match key.by {
        By::End(words) if part.is(key.name) => Some(words),
        _ => None,
    })
}

pub(super) fn refuse(part: &Part, sentence: impl AsRef<str>) -> Failure {
    Failure::new(format!("{}: {}: {}", part.place, part.title(), sentence.as_ref()))
}

impl Plan<'_> {
    /// Whether an entry is that of an ended instrument, which takes no change.
    fn is_skipped(&self, part: &Part, found: Option<&Part>) -> Result<bool, Failure> {
        let symbol = match part.kind {
            Kind::Instrument | Kind::Rules => &part.names[0],
            Kind::Limits => &part.names[1],
            _ => return Ok(end_of(part).is_some() && found.is_none()),
        };
        let names = std::slice::from_ref(symbol);
        let in_file = self.wanted.find(Kind::Instrument, names);
        let in_venue = self.known.find(Kind::Instrument, names);
        let is_ended = |part: Option<&Part>| part.is_some_and(|part| part.is("delisted"));
        let is_to_end = is_ended(in_file);
        if is_ended(in_venue) && !is_to_end && part.kind != Kind::Limits {
            return Err(refuse(part, "the venue has delisted it, for ever: use another symbol"));
        }
        if part.kind == Kind::Instrument {
            return Ok(is_to_end && in_venue.is_none_or(|listed| listed.is("delisted")));
        }
        Ok(is_to_end || is_ended(in_venue))
    }

    fn end(&self, part: &Part, found: Option<&Part>) -> Option<Step> {
        found?;
        let words = end_of(part)?;
        let fields = match (part.kind, self.present.key_numbers.get(&part.names)) {
            (Kind::Key, Some(number)) => json!({ "key": number }),
            (Kind::Login, _) => json!({ "user": part.names[1] }),
            _ => named(part, words).into(),
        };
        let ended = if part.kind == Kind::Instrument { "delisted" } else { "revoked" };
        let title = part.title();
        Some(Step { line: format!("- {title}: {ended}"), title, words, fields })
    }

    fn is_new(&self, part: &Part) -> bool {
        let names = &part.names[..1];
        self.known.find(Kind::Instrument, names).is_none()
            && self.wanted.find(Kind::Instrument, names).is_some()
    }

    fn new_instrument(&self, part: &Part) -> Result<Vec<Step>, Failure> {
        self.check_new(part)?;
        let rules = self.wanted.find(Kind::Rules, &part.names);
        let later = [Some(part), rules].into_iter().flatten();
        let later: Vec<_> = later.map(|part| self.later(part, &Values::new())).collect();
        let later: Vec<Step> =
            later.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let mut add = self.add(part)?;
        check_new(add.fields.clone(), &self.assets)
            .map_err(|failure| refuse(part, failure.to_string()))?;
        if later.is_empty() {
            return Ok(vec![add]);
        }
        let room = part.values.get(ROOM).cloned().unwrap_or_else(|| MAX_OPEN_ORDERS.into());
        add.fields[ROOM] = 0.into();
        let mut steps = vec![add];
        steps.extend(later);
        let title = part.title();
        let line = format!("~ {title}: open: {ROOM} 0 -> {}", shown(&room));
        let mut fields = named(part, UPDATE);
        fields.insert(ROOM.to_owned(), room);
        steps.push(Step { title, line, words: UPDATE, fields: fields.into() });
        Ok(steps)
    }

    fn new_entry(&self, part: &Part) -> Result<Vec<Step>, Failure> {
        self.check_new(part)?;
        let mut steps = Vec::new();
        if part.kind.add().is_some() {
            steps.push(self.add(part)?);
        }
        steps.extend(self.later(part, &Values::new())?);
        Ok(steps)
    }

    fn check_new(&self, part: &Part) -> Result<(), Failure> {
        let missing = part.kind.required().iter().find(|key| !part.values.contains_key(**key));
        if let Some(key) = missing {
            return Err(refuse(part, format!("it is new, and needs `{key}`")));
        }
        for key in ["base", "quote", "asset"] {
            if let Some(asset) = part.text(key) {
                self.check_known(part, Kind::Asset, asset)?;
            }
        }
        match part.kind {
            Kind::Limits => self.check_known(part, Kind::Instrument, &part.names[1]),
            Kind::Rules => self.check_known(part, Kind::Instrument, &part.names[0]),
            Kind::Deposit if self.present.withdrawals.contains(&part.names) => {
                Err(refuse(part, "the venue has a withdrawal of this reference: use another"))
            }
            Kind::Deposit => self.check_amount(part),
            Kind::Key if self.present.has_sealed => Err(refuse(part, SEALED)),
            Kind::Key => match part.text("expires") {
                Some(time) if parse_time(time)? <= now_ns() => {
                    Err(refuse(part, format!("it is new, and has ended at {time}")))
                }
                _ => Ok(()),
            },
            Kind::Login => login::check_new(part, self.present),
            _ => Ok(()),
        }
    }

    fn check_amount(&self, part: &Part) -> Result<(), Failure> {
        let (asset, amount) = (part.text("asset"), part.text("amount"));
        let (Some(asset), Some(amount)) = (asset, amount) else { return Ok(()) };
        let (_, asset) = asset_named(&self.assets, asset)?;
        if asset.parse_amount(amount).is_some_and(|amount| amount > Amount::ZERO) {
            return Ok(());
        }
        let decimals = asset.decimals;
        let expected = format!("above 0 with at most {decimals} decimals");
        Err(refuse(part, format!("`amount` must be {expected}, and is {amount}")))
    }

    fn check_known(&self, part: &Part, kind: Kind, name: &str) -> Result<(), Failure> {
        let names = [name.to_owned()];
        if [&self.wanted, &self.known].iter().any(|all| all.find(kind, &names).is_some()) {
            return Ok(());
        }
        let title = kind.title(&names);
        Err(refuse(part, format!("neither the file nor the venue has the {title}")))
    }

    /// The step that adds an entry with the keys that it can take.
    fn add(&self, part: &Part) -> Result<Step, Failure> {
        let words = part.kind.add().expect("the caller knows the kind");
        let mut fields = named(part, words);
        let mut given = Vec::new();
        for key in part.kind.keys() {
            let Some(value) = part.values.get(key.name) else { continue };
            if matches!(key.by, By::Add | By::AddOr(_) | By::New) {
                given.push(format!("{} {}", key.name, shown(value)));
                if !value.is_null() && key.by != By::New {
                    fields.insert(key.name.to_owned(), value.clone());
                }
            }
        }
        if part.kind == Kind::Key {
            key_fields(&mut fields)?;
        }
        if part.kind == Kind::Account {
            check_fees(part, &part.values)?;
        }
        if part.kind == Kind::Login {
            fields.insert("password".to_owned(), login::password(part)?.into());
        }
        let given = given.join(", ");
        let colon = if given.is_empty() { "" } else { ": " };
        let title = part.title();
        let line = format!("+ {title}{colon}{given}");
        Ok(Step { title, line, words, fields: fields.into() })
    }

    /// The steps for keys that an entry takes after it was added.
    fn later(&self, part: &Part, now: &Values) -> Result<Vec<Step>, Failure> {
        let is_later = |by: By| matches!(by, By::Change(_));
        self.changes(part, now, is_later)
    }

    fn changed(&self, part: &Part, found: &Part) -> Result<Vec<Step>, Failure> {
        if part.kind == Kind::Login && !found.values.contains_key("totp") {
            return Err(refuse(part, SEALED));
        }
        for key in part.kind.keys() {
            let (Some(wanted), Some(now)) = (part.values.get(key.name), found.values.get(key.name))
            else {
                if key.by == By::Add && part.values.contains_key(key.name) {
                    return Err(refuse(part, cannot_change(part.kind, key.name, &Value::Null)));
                }
                continue;
            };
            if key.by == By::Add && wanted != now {
                let sentence = cannot_change(part.kind, key.name, now);
                return Err(refuse(part, sentence));
            }
        }
        let mut part = part.clone();
        if part.kind == Kind::Instrument && found.values.get(ROOM) == Some(&json!(0)) {
            part.values.entry(ROOM).or_insert_with(|| MAX_OPEN_ORDERS.into());
            // Open it last.
            let mut steps = self.changes(&part, &found.values, |by| matches!(by, By::Change(_)))?;
            steps.extend(self.rules_of_unfinished(&part)?);
            steps.extend(self.changes(&part, &found.values, |by| matches!(by, By::AddOr(_)))?);
            return Ok(steps);
        }
        if part.kind == Kind::Rules && self.is_unfinished(&part) {
            return Ok(Vec::new());
        }
        self.changes(&part, &found.values, |by| matches!(by, By::AddOr(_) | By::Change(_)))
    }

    /// Whether an earlier `apply` added the instrument and did not open it.
    fn is_unfinished(&self, part: &Part) -> bool {
        let instrument = self.known.find(Kind::Instrument, &part.names);
        self.wanted.find(Kind::Instrument, &part.names).is_some()
            && instrument.is_some_and(|found| found.values.get(ROOM) == Some(&json!(0)))
    }

    fn rules_of_unfinished(&self, instrument: &Part) -> Result<Vec<Step>, Failure> {
        let rules = self.wanted.find(Kind::Rules, &instrument.names);
        let now = self.known.find(Kind::Rules, &instrument.names);
        let (Some(rules), Some(now)) = (rules, now) else { return Ok(Vec::new()) };
        self.changes(rules, &now.values, |by| matches!(by, By::Change(_)))
    }

    /// A step for each operation that has a key with another value.
    fn changes(
        &self,
        part: &Part,
        now: &Values,
        is_asked_for: impl Fn(By) -> bool,
    ) -> Result<Vec<Step>, Failure> {
        let mut operations = BTreeSet::new();
        let mut changes = Vec::new();
        for key in part.kind.keys() {
            let (By::AddOr(words) | By::Change(words)) = key.by else { continue };
            let Some(wanted) = part.values.get(key.name).filter(|_| is_asked_for(key.by)) else {
                continue;
            };
            let unset = super::kind::unset(key.name);
            let now = now.get(key.name).unwrap_or(&unset);
            if now != wanted {
                operations.insert(words);
                let line = format!("{} {} -> {}", key.name, shown(now), shown(wanted));
                changes.push((words, key.name, wanted, line));
            }
        }
        let step = |words: &'static str| {
            let own: Vec<_> = changes.iter().filter(|change| change.0 == words).collect();
            let lines: Vec<_> = own.iter().map(|change| &*change.3).collect();
            let mut fields = named(part, words);
            for (_, key, wanted, _) in own {
                fields.insert((*key).to_owned(), (*wanted).clone());
            }
            encode(words, part, now, &mut fields)?;
            let title = part.title();
            let line = format!("~ {title}: {}", lines.join(", "));
            Ok(Step { title, line, words, fields: fields.into() })
        };
        operations.into_iter().map(step).collect()
    }
}

fn cannot_change(kind: Kind, key: &str, now: &Value) -> String {
    match kind {
        Kind::Key => format!(
            "`{key}` of a key cannot change, and is {}: give the key another name, and revoke this \
             one",
            shown(now)
        ),
        Kind::Login if key == "totp" => format!(
            "`{key}` of a login does not change by a file, and is {}: use `admin login set`",
            shown(now)
        ),
        Kind::Login => format!(
            "`{key}` of a login cannot change, and is {}: revoke it, and add it anew",
            shown(now)
        ),
        Kind::Deposit => format!(
            "`{key}` of a deposit cannot change, and is {}: use another reference",
            shown(now)
        ),
        _ => format!("`{key}` cannot change, and is {}", shown(now)),
    }
}

fn named(part: &Part, words: &str) -> Map<String, Value> {
    let fields = part.kind.name_fields(words).iter().zip(&part.names);
    fields.map(|(field, name)| ((*field).to_owned(), name.as_str().into())).collect()
}

/// The kind of a key is that of its public key.
fn key_fields(fields: &mut Map<String, Value>) -> Result<(), Failure> {
    let Some(Value::String(pem)) = fields.remove("public_key") else { return Ok(()) };
    let verifier =
        venue::Verifier::from_pem(&pem).map_err(|error| Failure::new(error.to_string()))?;
    fields.insert("kind".to_owned(), verifier.kind().into());
    fields.insert("public_key_pem".to_owned(), pem.into());
    Ok(())
}

/// Turns the values of a file into the fields of an operation.
fn encode(
    words: &str,
    part: &Part,
    now: &Values,
    fields: &mut Map<String, Value>,
) -> Result<(), Failure> {
    let either = |key: &str| part.values.get(key).or_else(|| now.get(key));
    match words {
        "account update" => {
            let mut values = Values::new();
            for key in ["maker_fee_bps", "taker_fee_bps"] {
                let value = either(key).cloned().unwrap_or_default();
                values.insert(key, value.clone());
                fields.remove(key);
                if !value.is_null() {
                    fields.insert(key.to_owned(), value);
                }
            }
            check_fees(part, &values)?;
            let own_now = now.get("maker_fee_bps").is_some_and(|fee| !fee.is_null());
            if values["maker_fee_bps"].is_null() && own_now {
                fields.insert("no_own_fees".to_owned(), true.into());
            }
        }
        "instrument update" => {
            // Where the two are equal, a change of one changes both.
            if let Some(max) = part.values.get("market_max_qty") {
                fields.insert("market_max_qty".to_owned(), max.clone());
            }
            if fields.get("max_notional") == Some(&Value::Null) {
                fields.insert("max_notional".to_owned(), "none".into());
            }
        }
        "instrument fees" => {
            fields.retain(|field, _| field == "symbol");
            match either("fee_tiers") {
                Some(Value::Array(tiers)) if !tiers.is_empty() => {
                    fields.insert("tiers".to_owned(), tiers.clone().into());
                    let asset = either("fee_asset").cloned();
                    fields.insert("asset".to_owned(), asset.unwrap_or_else(|| "Received".into()));
                }
                _ if part.values.get("fee_asset").is_some_and(|asset| *asset == "Quote") => {
                    return Err(refuse(part, "`fee_asset` needs `fee_tiers`"));
                }
                _ => drop(fields.insert("clear".to_owned(), true.into())),
            }
        }
        "instrument calendar" => {
            let sessions = fields.remove("calendar").unwrap_or_default();
            if sessions.as_array().is_none_or(Vec::is_empty) {
                fields.insert("clear".to_owned(), true.into());
            } else {
                fields.insert("sessions".to_owned(), sessions);
            }
        }
        _ => {
            // Numbers of no limit, and the word of a switch.
            for (name, value) in fields.iter_mut() {
                let is_count = part.kind.key(name).is_some_and(|key| key.form.is_count());
                *value = match value {
                    Value::Null if is_count => 0.into(),
                    Value::Null => "0".into(),
                    Value::Bool(flag) => if *flag { "On" } else { "Off" }.into(),
                    _ => continue,
                };
            }
        }
    }
    Ok(())
}

fn check_fees(part: &Part, values: &Values) -> Result<(), Failure> {
    let is_own = |key: &str| values.get(key).is_some_and(|fee| !fee.is_null());
    if is_own("maker_fee_bps") == is_own("taker_fee_bps") {
        return Ok(());
    }
    Err(refuse(part, "own fees are two: `maker_fee_bps` and `taker_fee_bps`, or \"none\" for both"))
}
