//! The market of a venue as the entries of a file.

use std::collections::{BTreeMap, BTreeSet};

use cli::Failure;
use serde_json::{Value, json};

use super::kind::Kind;
use super::part::Part;

pub(super) struct Present {
    pub(super) parts: Vec<Part>,
    /// The numbers of the keys that have a name, by account and name.
    pub(super) key_numbers: BTreeMap<Vec<String>, u64>,
    /// The numbers of the keys without a name, by account.
    pub(super) unnamed_keys: BTreeMap<String, Vec<u64>>,
    /// Whether the venue has keys or logins that could not be opened, because the master key is
    /// missing.
    pub(super) has_sealed: bool,
    /// The account of each user that has a login.
    pub(super) account_of_user: BTreeMap<String, String>,
    /// References of withdrawals, by account and reference.
    pub(super) withdrawals: BTreeSet<Vec<String>>,
}

impl Present {
    /// Reads the answer of the operation `market`.
    pub(super) fn read(market: &Value) -> Result<Self, Failure> {
        let mut present = Self {
            parts: Vec::new(),
            key_numbers: BTreeMap::new(),
            unnamed_keys: BTreeMap::new(),
            has_sealed: false,
            account_of_user: BTreeMap::new(),
            withdrawals: BTreeSet::new(),
        };
        present.add(Kind::Venue, &[], &market["venue"])?;
        for asset in rows(market, "assets")? {
            present.add(Kind::Asset, &[text(asset, "asset")?], asset)?;
        }
        for listed in rows(market, "instruments")? {
            let symbol = text(listed, "symbol")?;
            let mut instrument = listed.clone();
            instrument["fee_asset"] = match &listed["fees"]["asset"] {
                Value::Null => "Received".into(),
                asset => asset.clone(),
            };
            let tier = |tier: &Value| {
                json!([tier["volume_min"], tier["maker_fee_bps"], tier["taker_fee_bps"]])
            };
            instrument["fee_tiers"] = rows(&listed["fees"], "tiers")?.iter().map(tier).collect();
            let session =
                |session: &Value| json!([session["days"], session["time"], session["phase"]]);
            let sessions = rows(&listed["calendar"], "sessions")?;
            instrument["calendar"] = sessions.iter().map(session).collect();
            present.add(Kind::Instrument, &[symbol], &instrument)?;
            present.add(Kind::Rules, &[symbol], &listed["rules"])?;
        }
        for owner in rows(market, "accounts")? {
            present.add_account(owner)?;
        }
        for key in rows(market, "keys")? {
            present.add_key(key)?;
        }
        for login in rows(market, "logins")? {
            let (account, user) = (text(login, "account")?, text(login, "user")?);
            present.has_sealed |= login.get("totp").is_none();
            present.account_of_user.insert(user.to_owned(), account.to_owned());
            present.add(Kind::Login, &[account, user], login)?;
        }
        Ok(present)
    }

    fn add_account(&mut self, owner: &Value) -> Result<(), Failure> {
        let name = text(owner, "account")?;
        let mut account = owner.clone();
        for key in ["mode", "stp_group", "orders_per_10s", "orders_per_day"] {
            account[key] = owner["risk"][key].clone();
        }
        self.add(Kind::Account, &[name], &account)?;
        for limits in rows(owner, "limits")? {
            self.add(Kind::Limits, &[name, text(limits, "symbol")?], limits)?;
        }
        for transfer in rows(owner, "transfers")? {
            let names = [name, text(transfer, "external_ref")?];
            if transfer["is_deposit"] == true {
                self.add(Kind::Deposit, &names, transfer)?;
            } else {
                self.withdrawals.insert(names.map(str::to_owned).to_vec());
            }
        }
        Ok(())
    }

    fn add_key(&mut self, key: &Value) -> Result<(), Failure> {
        let account = text(key, "account")?;
        let number = key["key"].as_u64().ok_or_else(|| missing("key"))?;
        if key.get("login").is_some() {
            // Its browser makes another one.
        } else if key.get("name").is_none() {
            self.has_sealed = true;
        } else if let Some(name) = key["name"].as_str() {
            self.key_numbers.insert(vec![account.to_owned(), name.to_owned()], number);
            self.add(Kind::Key, &[account, name], key)?;
        } else {
            self.unnamed_keys.entry(account.to_owned()).or_default().push(number);
        }
        Ok(())
    }

    fn add(&mut self, kind: Kind, names: &[&str], row: &Value) -> Result<(), Failure> {
        let mut part = Part::new(kind, names);
        for key in kind.keys() {
            let Some(value) = row.get(key.name) else { continue };
            match key.form.canonical(value) {
                Ok(value) => drop(part.values.insert(key.name, value)),
                // Such as the public key of an HMAC key.
                Err(_) if value.is_null() => {}
                Err(expected) => {
                    let (title, key) = (part.title(), key.name);
                    return Err(Failure::fault(format!(
                        "{title} of the venue: `{key}` {expected}"
                    )));
                }
            }
        }
        self.parts.push(part);
        Ok(())
    }
}

fn rows<'a>(of: &'a Value, name: &str) -> Result<&'a [Value], Failure> {
    of[name].as_array().map(Vec::as_slice).ok_or_else(|| missing(name))
}

fn text<'a>(of: &'a Value, name: &str) -> Result<&'a str, Failure> {
    of[name].as_str().ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Failure {
    Failure::fault(format!("the venue's answer has no `{name}`: its build is another one"))
}
