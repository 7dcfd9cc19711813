//! An account: what it owns, what it pays, what it traded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{AccountTrade, Asset, Balance, FeeRates, Market, Side, TradeRevision, format_decimal};

use crate::binance::response::RateLimit;
use crate::binance::words::Word;
use crate::signed::TimeUnit;

/// One of `GET /api/v3/myTrades`
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MyTrade {
    pub symbol: String,
    pub id: u64,
    pub order_id: u64,
    pub order_list_id: i32,
    pub price: String,
    pub qty: String,
    pub quote_qty: String,
    pub commission: String,
    pub commission_asset: String,
    pub time: u64,
    pub is_buyer: bool,
    pub is_maker: bool,
    pub is_best_match: bool,
    /// Whether an operator has undone the trade
    pub is_busted: bool,
    /// When it was undone
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bust_time: Option<u64>,
    /// When its price was last corrected; `price` and `quoteQty` are the corrected ones
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction_time: Option<u64>,
    /// Its price as executed, if it was corrected
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orig_price: Option<String>,
}

impl MyTrade {
    pub fn new(market: &Market, trade: &AccountTrade, unit: TimeUnit) -> Self {
        let fee_asset = market.asset(trade.fee_asset);
        let TradeRevision { busted_ns, corrected_ns, orig_price } = trade.revision;
        let time = |ns: u64| (ns > 0).then(|| unit.time(ns));
        Self {
            symbol: market.symbol().to_owned(),
            id: trade.trade_id.0,
            order_id: trade.order_id.0,
            order_list_id: -1,
            price: market.price(trade.price),
            qty: market.qty(trade.qty),
            quote_qty: market.quote_amount(trade.quote),
            commission: fee_asset.format_amount(trade.fee),
            commission_asset: fee_asset.name.to_string(),
            time: unit.time(trade.traded_ns),
            is_buyer: trade.side == Side::Buy,
            is_maker: trade.is_maker,
            is_best_match: true,
            is_busted: busted_ns > 0,
            bust_time: time(busted_ns),
            correction_time: time(corrected_ns),
            orig_price: orig_price.map(|price| market.price(price)),
        }
    }
}

/// `GET /api/v3/account`
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountInfo {
    pub maker_commission: u32,
    pub taker_commission: u32,
    pub buyer_commission: u32,
    pub seller_commission: u32,
    pub commission_rates: CommissionRates,
    pub can_trade: bool,
    pub can_withdraw: bool,
    pub can_deposit: bool,
    pub brokered: bool,
    pub require_self_trade_prevention: bool,
    pub prevent_sor: bool,
    pub update_time: u64,
    pub account_type: Word,
    pub balances: Vec<BalanceInfo>,
    #[schemars(with = "[String; 1]")]
    pub permissions: Vec<Word>,
    pub uid: u32,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct BalanceInfo {
    pub asset: String,
    pub free: String,
    pub locked: String,
}

impl AccountInfo {
    pub fn balance(&self, asset: &str) -> Option<&BalanceInfo> {
        self.balances.iter().find(|balance| balance.asset == asset)
    }

    /// `can_trade` is what the key may do; deposits and withdrawals are the operator's affair.
    pub fn new<'a>(
        uid: u32,
        fees: FeeRates,
        can_trade: bool,
        balances: impl IntoIterator<Item = (&'a Asset, Balance)>,
        omit_zero_balances: bool,
        updated_ns: u64,
        unit: TimeUnit,
    ) -> Self {
        let wanted = |(_, balance): &(&Asset, Balance)| {
            !omit_zero_balances || !balance.free.is_zero() || !balance.locked.is_zero()
        };
        let info = |(asset, balance): (&Asset, Balance)| BalanceInfo {
            asset: asset.name.to_string(),
            free: asset.format_amount(balance.free),
            locked: asset.format_amount(balance.locked),
        };
        Self {
            maker_commission: fees.maker_fee_bps_x100 / 100,
            taker_commission: fees.taker_fee_bps_x100 / 100,
            buyer_commission: 0,
            seller_commission: 0,
            commission_rates: CommissionRates::new(fees.into()),
            can_trade,
            can_withdraw: false,
            can_deposit: false,
            brokered: false,
            require_self_trade_prevention: false,
            prevent_sor: false,
            update_time: unit.time(updated_ns),
            account_type: "SPOT".into(),
            balances: balances.into_iter().filter(wanted).map(info).collect(),
            permissions: vec!["SPOT".into()],
            uid,
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct CommissionRates {
    pub maker: String,
    pub taker: String,
    pub buyer: String,
    pub seller: String,
}

impl CommissionRates {
    fn new(fees: AccountFees) -> Self {
        Self {
            maker: rate(fees.maker_bps_x100),
            taker: rate(fees.taker_bps_x100),
            buyer: rate(0),
            seller: rate(0),
        }
    }
}

/// What an account pays in a market, in hundredths of a basis point; below zero is a rebate.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct AccountFees {
    pub maker_bps_x100: i32,
    pub taker_bps_x100: i32,
}

impl From<FeeRates> for AccountFees {
    fn from(fees: FeeRates) -> Self {
        let signed = |rate: u32| i32::try_from(rate).expect("at most MAX_BPS_X100");
        Self {
            maker_bps_x100: signed(fees.maker_fee_bps_x100),
            taker_bps_x100: signed(fees.taker_fee_bps_x100),
        }
    }
}

/// `GET /api/v3/account/commission`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Commission {
    symbol: String,
    standard_commission: CommissionRates,
    special_commission: CommissionRates,
    tax_commission: CommissionRates,
    discount: Discount,
}

impl Commission {
    pub fn new(market: &Market, fees: AccountFees) -> Self {
        let none = || CommissionRates::new(AccountFees::default());
        Self {
            symbol: market.symbol().to_owned(),
            standard_commission: CommissionRates::new(fees),
            special_commission: none(),
            tax_commission: none(),
            discount: Discount::none(),
        }
    }
}

/// One of `GET /api/v3/rateLimit/order`
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderCount {
    #[serde(flatten)]
    pub limit: RateLimit,
    pub count: u32,
}

/// `POST /api/v3/order/test` with `computeCommissionRates`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestOrderRates {
    standard_commission_for_order: OrderRates,
    special_commission_for_order: OrderRates,
    tax_commission_for_order: OrderRates,
    discount: Discount,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
struct OrderRates {
    maker: String,
    taker: String,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Discount {
    enabled_for_account: bool,
    enabled_for_symbol: bool,
    discount_asset: &'static str,
    discount: String,
}

impl Discount {
    /// Nothing here is paid for in a token of the house.
    fn none() -> Self {
        Self {
            enabled_for_account: false,
            enabled_for_symbol: false,
            discount_asset: "",
            discount: rate(0),
        }
    }
}

impl TestOrderRates {
    pub fn new(fees: AccountFees) -> Self {
        let rates = |fees: AccountFees| OrderRates {
            maker: rate(fees.maker_bps_x100),
            taker: rate(fees.taker_bps_x100),
        };
        Self {
            standard_commission_for_order: rates(fees),
            special_commission_for_order: rates(AccountFees::default()),
            tax_commission_for_order: rates(AccountFees::default()),
            discount: Discount::none(),
        }
    }
}

pub(super) fn rate(bps_x100: i32) -> String {
    format_decimal(i128::from(bps_x100), 6, 8)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{Amount, AssetId, InstrumentId, OrderId, Price, Qty, TradeId};

    use super::*;
    use crate::binance::response::{Interval, RateLimitType, encode};
    use crate::binance::testing::{asset, btcusdt, check};

    const MS: TimeUnit = TimeUnit::Millisecond;

    #[test]
    fn an_account_has_rates_and_balances() {
        let (btc, usdt) = (asset("BTC", 8), asset("USDT", 8));
        let balance = |free, locked| Balance {
            free: Amount::from_minor(free),
            locked: Amount::from_minor(locked),
        };
        let balances = [(&btc, balance(472_384_689_208_129, 0)), (&usdt, balance(0, 0))];
        let fees = FeeRates { maker_fee_bps_x100: 1_000, taker_fee_bps_x100: 1_550 };
        let info = AccountInfo::new(7, fees, true, balances, true, 123_000_000, MS);
        check(
            &info,
            json!({
                "makerCommission": 10, "takerCommission": 15, "buyerCommission": 0,
                "sellerCommission": 0,
                "commissionRates": {
                    "maker": "0.00100000", "taker": "0.00155000", "buyer": "0.00000000",
                    "seller": "0.00000000",
                },
                "canTrade": true, "canWithdraw": false, "canDeposit": false, "brokered": false,
                "requireSelfTradePrevention": false, "preventSor": false, "updateTime": 123,
                "accountType": "SPOT",
                "balances": [{"asset": "BTC", "free": "4723846.89208129", "locked": "0.00000000"}],
                "permissions": ["SPOT"], "uid": 7,
            }),
        );
        let all = AccountInfo::new(7, fees, true, balances, false, 0, MS);
        assert_eq!(all.balances.len(), 2);
    }

    #[test]
    fn a_trade_of_ones_own_has_fee_and_side() {
        let trade = AccountTrade {
            instrument: InstrumentId(0),
            trade_id: TradeId(28_457),
            order_id: OrderId(100_234),
            side: Side::Sell,
            is_maker: true,
            price: Price::from_ticks(400),
            qty: Qty::from_lots(100_000),
            quote: Amount::from_minor(400_000_000),
            fee: Amount::from_minor(400_000),
            fee_asset: AssetId(1),
            traded_ns: 1_499_865_549_590_000_000,
            revision: TradeRevision::default(),
        };
        let expect = json!({
            "symbol": "BTCUSDT", "id": 28_457, "orderId": 100_234, "orderListId": -1,
            "price": "4.00000000", "qty": "1.00000000", "quoteQty": "4.00000000",
            "commission": "0.00400000", "commissionAsset": "USDT",
            "time": 1_499_865_549_590_u64, "isBuyer": false, "isMaker": true,
            "isBestMatch": true, "isBusted": false,
        });
        check(&MyTrade::new(&btcusdt(), &trade, MS), expect.clone());
        let revision = TradeRevision {
            busted_ns: 1_499_865_550_000_000_000,
            corrected_ns: 1_499_865_549_700_000_000,
            orig_price: Some(Price::from_ticks(500)),
        };
        let mut revised = expect;
        revised["isBusted"] = true.into();
        revised["bustTime"] = 1_499_865_550_000_u64.into();
        revised["correctionTime"] = 1_499_865_549_700_u64.into();
        revised["origPrice"] = "5.00000000".into();
        check(&MyTrade::new(&btcusdt(), &AccountTrade { revision, ..trade }, MS), revised);
    }

    #[test]
    fn rates_of_a_test_order_have_no_discount() {
        let rates = encode(&TestOrderRates::new(AccountFees::default()));
        assert!(rates.starts_with(r#"{"standardCommissionForOrder":{"maker":"0.00000000","#));
    }

    #[test]
    fn commissions_are_those_of_the_account_and_no_others() {
        let fees = AccountFees { maker_bps_x100: -50, taker_bps_x100: 1_550 };
        let none = json!({
            "maker": "0.00000000", "taker": "0.00000000", "buyer": "0.00000000",
            "seller": "0.00000000",
        });
        check(
            &Commission::new(&btcusdt(), fees),
            json!({
                "symbol": "BTCUSDT",
                "standardCommission": {
                    "maker": "-0.00005000", "taker": "0.00155000", "buyer": "0.00000000",
                    "seller": "0.00000000",
                },
                "specialCommission": none, "taxCommission": none,
                "discount": {
                    "enabledForAccount": false, "enabledForSymbol": false, "discountAsset": "",
                    "discount": "0.00000000",
                },
            }),
        );
    }

    #[test]
    fn orders_are_counted_against_their_limits() {
        let limit = RateLimit {
            rate_limit_type: RateLimitType::Orders,
            interval: Interval::Second,
            interval_num: 10,
            limit: 50,
        };
        check(
            &OrderCount { limit, count: 3 },
            json!({
                "rateLimitType": "ORDERS", "interval": "SECOND", "intervalNum": 10, "limit": 50,
                "count": 3,
            }),
        );
    }
}
