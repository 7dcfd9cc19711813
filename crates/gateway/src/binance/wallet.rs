//! The few questions of `/sapi/v1` that clients ask as they start.

use protocol::binance::request::{MarginPairsRequest, NoParams, TradeFeeRequest};
use protocol::binance::response::{CoinInfo, TradeFee, encode};
use types::Balance;

use crate::binance::account::account_fees;
use crate::binance::call::{Answer, Call, SignedCall};
use crate::door::identity::Permission;
use crate::socket::http::json;

/// `GET /sapi/v1/asset/tradeFee`
pub(crate) async fn trade_fees(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let TradeFeeRequest { market } = TradeFeeRequest::parse(params, &markets)?;
    let wanted = match market {
        Some(market) => vec![market],
        None => call.shared.door.directory().markets().to_vec(),
    };
    let ids = wanted.iter().map(|market| market.instrument.id).collect();
    let fees = account_fees(&call, ids).await?;
    let fee = |(market, fees)| TradeFee::new(market, fees);
    Ok(json(encode(&wanted.iter().zip(fees).map(fee).collect::<Vec<_>>())))
}

/// `GET /sapi/v1/capital/config/getall`
pub(crate) async fn coins(mut call: SignedCall) -> Answer {
    NoParams::parse(std::mem::take(&mut call.params))?;
    let account = call.signer.account;
    let owned = call.shared.door.balances(account).await?;
    let directory = call.shared.door.directory();
    let balances = owned.into_iter().chain(std::iter::repeat(Balance::default()));
    let coin = |(asset, balance)| CoinInfo::new(asset, balance);
    Ok(json(encode(&directory.assets().iter().zip(balances).map(coin).collect::<Vec<_>>())))
}

/// `GET /sapi/v1/margin/allPairs`, which a key alone may ask for, and which some clients sign.
pub(crate) async fn margin_pairs(mut call: Call) -> Answer {
    if call.params.contains("signature") {
        return isolated_margin_pairs(call.signed().await?).await;
    }
    call.keyed(Permission::UserData).await?;
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let MarginPairsRequest {} = MarginPairsRequest::parse(call.params, &markets)?;
    Ok(json("[]".to_owned()))
}

/// `GET /sapi/v1/margin/isolated/allPairs`
pub(crate) async fn isolated_margin_pairs(mut call: SignedCall) -> Answer {
    let params = std::mem::take(&mut call.params);
    let markets = |symbol: &str| call.shared.door.market(symbol);
    let MarginPairsRequest {} = MarginPairsRequest::parse(params, &markets)?;
    Ok(json("[]".to_owned()))
}
