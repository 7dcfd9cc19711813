//! The few answers of `/sapi/v1` that clients wait for as they start.

use schemars::JsonSchema;
use serde::Serialize;
use types::{Asset, Balance, Market, format_decimal};

use crate::binance::response::account::{AccountFees, rate};

/// One of `GET /sapi/v1/asset/tradeFee`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TradeFee {
    symbol: String,
    maker_commission: String,
    taker_commission: String,
}

impl TradeFee {
    pub fn new(market: &Market, fees: AccountFees) -> Self {
        Self {
            symbol: market.symbol().to_owned(),
            maker_commission: rate(fees.maker_bps_x100),
            taker_commission: rate(fees.taker_bps_x100),
        }
    }
}

/// One of `GET /sapi/v1/capital/config/getall`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoinInfo {
    coin: String,
    deposit_all_enable: bool,
    free: String,
    freeze: &'static str,
    ipoable: &'static str,
    ipoing: &'static str,
    is_legal_money: bool,
    locked: String,
    name: String,
    network_list: [Network; 1],
    storage: &'static str,
    trading: bool,
    withdraw_all_enable: bool,
    withdrawing: &'static str,
}

/// Nothing leaves the venue by a chain, but clients learn an asset's precision here.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Network {
    coin: String,
    network: &'static str,
    name: &'static str,
    is_default: bool,
    deposit_enable: bool,
    withdraw_enable: bool,
    withdraw_fee: &'static str,
    withdraw_integer_multiple: String,
    withdraw_min: String,
    withdraw_max: &'static str,
}

impl CoinInfo {
    /// Deposits and withdrawals are the operator's affair.
    pub fn new(asset: &Asset, balance: Balance) -> Self {
        let one = format_decimal(1, asset.decimals, asset.decimals);
        Self {
            coin: asset.name.to_string(),
            deposit_all_enable: false,
            free: asset.format_amount(balance.free),
            freeze: "0",
            ipoable: "0",
            ipoing: "0",
            is_legal_money: false,
            locked: asset.format_amount(balance.locked),
            name: asset.name.to_string(),
            network_list: [Network {
                coin: asset.name.to_string(),
                network: "VENUE",
                name: "VENUE",
                is_default: true,
                deposit_enable: false,
                withdraw_enable: false,
                withdraw_fee: "0",
                withdraw_integer_multiple: one.clone(),
                withdraw_min: one,
                withdraw_max: "0",
            }],
            storage: "0",
            trading: true,
            withdraw_all_enable: false,
            withdrawing: "0",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::Amount;

    use super::*;
    use crate::binance::testing::{asset, btcusdt, check};

    #[test]
    fn fees_and_coins_are_as_clients_read_them_at_their_start() {
        let fees = AccountFees { maker_bps_x100: 1_000, taker_bps_x100: -50 };
        check(
            &TradeFee::new(&btcusdt(), fees),
            json!({
                "symbol": "BTCUSDT", "makerCommission": "0.00100000",
                "takerCommission": "-0.00005000",
            }),
        );
        let balance = Balance { free: Amount::from_minor(150), locked: Amount::from_minor(5) };
        check(
            &CoinInfo::new(&asset("USDT", 2), balance),
            json!({
                "coin": "USDT", "depositAllEnable": false, "free": "1.50", "freeze": "0",
                "ipoable": "0", "ipoing": "0", "isLegalMoney": false, "locked": "0.05",
                "name": "USDT",
                "networkList": [{
                    "coin": "USDT", "network": "VENUE", "name": "VENUE", "isDefault": true,
                    "depositEnable": false, "withdrawEnable": false, "withdrawFee": "0",
                    "withdrawIntegerMultiple": "0.01", "withdrawMin": "0.01", "withdrawMax": "0",
                }],
                "storage": "0", "trading": true, "withdrawAllEnable": false, "withdrawing": "0",
            }),
        );
    }
}
