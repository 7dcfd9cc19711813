//! Keys of an account, from a file.

use std::path::Path;

use cli::Failure;
use client::Credentials;
use serde_json::Value;

/// A file with one key, or that of a demo or a test, whose accounts have names.
pub(super) fn read(file: &Path, account: Option<&str>) -> Result<Credentials, Failure> {
    let at_file = |reason: &str| Failure::fault(format!("{}: {reason}", file.display()));
    let text = std::fs::read(file).map_err(|error| at_file(&error.to_string()))?;
    let content: Value =
        serde_json::from_slice(&text).map_err(|error| at_file(&error.to_string()))?;
    let found = match (content["accounts"].as_array(), account) {
        (None, None) => Some(&content),
        (None, Some(_)) => return Err(at_file("it has one key, and no accounts by name")),
        (Some(accounts), None) => accounts.first(),
        (Some(accounts), Some(name)) => accounts.iter().find(|of| of["name"] == name),
    };
    let found = found.ok_or_else(|| at_file("it has no such account"))?;
    let text = |name: &str| {
        let text = found[name].as_str().map(str::to_owned);
        text.ok_or_else(|| at_file(&format!("it has no {name}")))
    };
    Ok(Credentials { api_key: text("api_key")?, secret_key: text("secret_key")? })
}
