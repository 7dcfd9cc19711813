//! Assets and amounts of an asset.

use crate::decimal::{DecimalText, format_decimal, parse_decimal};
use crate::number::{AMOUNT_MAX, Amount};
use crate::text::AssetName;
use crate::wire::record;

record! {
    /// A currency or another asset. Its smallest unit is 10^-`decimals`.
    pub struct Asset {
        pub name: AssetName,
        pub decimals: u8,
    }
}

impl Asset {
    pub const DECIMALS_MAX: u8 = 18;

    /// `None` unless the text is a whole number of smallest units within [`AMOUNT_MAX`].
    pub fn parse_amount(&self, text: &str) -> Option<Amount> {
        let amount = Amount::from_minor(parse_decimal(text, self.decimals)?);
        (amount <= AMOUNT_MAX).then_some(amount)
    }

    pub fn format_amount(&self, amount: Amount) -> String {
        format_decimal(amount.minor(), self.decimals, self.decimals)
    }

    /// Like [`Asset::format_amount`], inline.
    pub fn amount_text(&self, amount: Amount) -> DecimalText {
        DecimalText::format(amount.minor(), self.decimals, self.decimals)
    }
}
