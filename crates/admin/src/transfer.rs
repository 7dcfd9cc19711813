//! An amount on its way into or out of an account.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct Transfer {
    pub(super) account: String,
    pub(super) asset: String,
    /// A decimal, such as 12.5
    #[schemars(regex(pattern = "^[0-9]{1,18}([.][0-9]{1,18})?$"))]
    pub(super) amount: String,
    /// The outside world's name for this transfer; the same one is carried out once
    #[arg(long = "ref", value_name = "REF")]
    #[schemars(regex(pattern = "^[!-~]{1,64}$"))]
    pub(super) external_ref: String,
}
