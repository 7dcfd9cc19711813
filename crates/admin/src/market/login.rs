//! New logins of a market file.

use std::path::Path;

use cli::Failure;
use serde_json::Value;
use venue::Password;

use super::part::Part;
use super::plan::refuse;
use super::present::Present;
use crate::login_action::read_password;

pub(super) fn check_new(part: &Part, present: &Present) -> Result<(), Failure> {
    if let Some(account) = present.account_of_user.get(&part.names[1]) {
        let sentence = format!("the user has a login of the account {account}: revoke it first");
        return Err(refuse(part, sentence));
    }
    let is_without = part.values.get("totp") == Some(&Value::Bool(false));
    if is_without && part.text("role") == Some("operator") {
        return Err(refuse(part, "an operator's login always asks for one-time codes"));
    }
    Ok(())
}

/// The password of a new login, from the place that the file names.
pub(super) fn password(part: &Part) -> Result<String, Failure> {
    let password = match (part.text("password_file"), part.text("password_variable")) {
        (Some(file), None) => read_password(Path::new(file)),
        (None, Some(name)) => std::env::var(name).map_err(|error| {
            Failure::new(format!("the password is to be in the variable {name}: {error}"))
        }),
        _ => {
            Err(Failure::new("it is new, and needs one of `password_file` and `password_variable`"))
        }
    };
    let checked = password.and_then(|password| {
        let checked = Password::new(password.clone());
        checked.map(|_| password).map_err(|error| Failure::new(error.to_string()))
    });
    checked.map_err(|failure| refuse(part, failure.to_string()))
}
