//! The fees of an instrument by volume.

use clap::{Args, ValueEnum};
use cli::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    Asset, Command, FEE_TIERS_MAX, FeeAsset, FeeSchedule, FeeTier, SetFeeSchedule, format_decimal,
};

use super::backend::{Venue, execute};
use super::lookup::{Listing, find_instrument};
use super::value::{invalid, parse_fee, words_of_three};

/// Volume, maker's rate, taker's rate.
const WORDS_PER_TIER: usize = 3;

#[derive(Args, Debug, Deserialize, JsonSchema, Serialize)]
#[command(after_help = "Example: --tier 0 10 20 --tier 1000000 -0.5 15\n\
    0.1 % for makers and 0.2 % for takers; from a volume of 1000000 on, makers get 0.005 %\n\
    and takers pay 0.15 %.")]
pub(crate) struct FeesChange {
    /// Instrument, such as BTCUSDT
    symbol: String,
    /// Fees in basis points from this volume on, in the quote asset over the last 30 days; a fee
    /// below 0 is a rebate. Up to 8 times, with ascending volumes from 0 on; the tiers replace all
    /// present ones
    #[arg(
        long = "tier",
        num_args = 3,
        value_names = ["VOLUME", "MAKER", "TAKER"],
        allow_negative_numbers = true
    )]
    #[serde(default, with = "words_of_three")]
    #[schemars(with = "Vec<(String, String, String)>")]
    tiers: Vec<String>,
    /// Asset of the fees: the one that each side receives, or the quote asset for both
    /// [default: Received, or the present one]
    #[arg(long, requires = "tiers")]
    asset: Option<FeeAssetName>,
    /// Remove the schedule: the fees of `instrument add` apply again
    #[arg(long, conflicts_with = "tiers")]
    #[serde(default)]
    clear: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub(crate) enum FeeAssetName {
    Received,
    Quote,
}

impl FeesChange {
    pub(super) fn execute(self, venue: &mut Venue<'_>) -> Result<FeesShown, Failure> {
        let listing = find_instrument(venue, &self.symbol)?;
        let instrument = listing.instrument.id;
        let now = venue.read(move |engine| engine.fee_schedule(instrument).copied())?;
        if self.tiers.is_empty() && self.asset.is_some() {
            return Err(Failure::new("`asset` needs tiers: name both"));
        }
        let schedule = match (self.clear, self.tiers.is_empty()) {
            (true, false) => return Err(Failure::new("`clear` and tiers exclude each other")),
            (true, true) => None,
            (false, true) => now,
            (false, false) => Some(self.schedule(now, &listing.quote)?),
        };
        if schedule != now {
            let set = SetFeeSchedule { instrument, schedule };
            execute(venue, Command::SetFeeSchedule(set))?;
        }
        Ok(FeesShown::new(&listing, schedule.as_ref()))
    }

    fn schedule(&self, now: Option<FeeSchedule>, quote: &Asset) -> Result<FeeSchedule, Failure> {
        let asset_now = now.map_or(FeeAsset::Received, |schedule| schedule.fee_asset);
        let fee_asset = match self.asset {
            None => asset_now,
            Some(FeeAssetName::Received) => FeeAsset::Received,
            Some(FeeAssetName::Quote) => FeeAsset::Quote,
        };
        let mut tiers = [None; FEE_TIERS_MAX];
        let named = self.tiers.chunks(WORDS_PER_TIER);
        if named.len() > FEE_TIERS_MAX {
            return Err(Failure::new(format!("a schedule has at most {FEE_TIERS_MAX} tiers")));
        }
        for (place, words) in tiers.iter_mut().zip(named) {
            let [volume, maker, taker] = words else {
                return Err(Failure::new("a tier is a volume and two rates"));
            };
            let volume_min = quote
                .parse_amount(volume)
                .ok_or_else(|| invalid("volume", volume, "an amount of the quote asset"))?;
            *place = Some(FeeTier {
                volume_min,
                maker_fee_bps_x100: parse_rate(maker)?,
                taker_fee_bps_x100: parse_rate(taker)?,
            });
        }
        Ok(FeeSchedule { fee_asset, tiers })
    }
}

#[derive(JsonSchema, Serialize)]
pub(super) struct FeesShown {
    symbol: String,
    /// Asset of the fees; null without a schedule
    asset: Option<String>,
    tiers: Vec<TierShown>,
}

impl FeesShown {
    pub(super) fn new(listing: &Listing, schedule: Option<&FeeSchedule>) -> Self {
        let tiers = schedule.iter().flat_map(|schedule| schedule.tiers.iter().flatten());
        let tiers = tiers.map(|tier| TierShown {
            volume_min: listing.quote.format_amount(tier.volume_min),
            maker_fee_bps: format_decimal(tier.maker_fee_bps_x100.into(), 2, 2),
            taker_fee_bps: format_decimal(tier.taker_fee_bps_x100.into(), 2, 2),
        });
        Self {
            symbol: listing.instrument.spec.symbol.to_string(),
            asset: schedule.map(|schedule| format!("{:?}", schedule.fee_asset)),
            tiers: tiers.collect(),
        }
    }
}

#[derive(JsonSchema, Serialize)]
struct TierShown {
    volume_min: String,
    maker_fee_bps: String,
    taker_fee_bps: String,
}

/// A fee, which may be negative.
fn parse_rate(text: &str) -> Result<i32, Failure> {
    let (magnitude, sign) = text.strip_prefix('-').map_or((text, 1), |magnitude| (magnitude, -1));
    let rate = parse_fee(magnitude).ok().and_then(|rate| i32::try_from(rate).ok());
    let rate = rate.map(|rate| sign * rate);
    rate.ok_or_else(|| invalid("rate", text, "basis points with at most two decimals"))
}
