//! The queries of `/sapi/v1` that clients send as they start.

use protocol::binance::request::{MarginPairsRequest, NoParams, TradeFeeRequest};
use protocol::binance::response::{CoinInfo, Empty, TradeFee};
use types::Balance;

use crate::binance::account::account_fees;
use crate::binance::call::{Answer, KeyedCall};

/// `GET /sapi/v1/asset/tradeFee`
pub(crate) async fn trade_fees(
    call: KeyedCall,
    TradeFeeRequest { market }: TradeFeeRequest,
) -> Answer<Vec<TradeFee>> {
    let wanted = match market {
        Some(market) => vec![market],
        None => call.shared.door.directory().markets().to_vec(),
    };
    let ids = wanted.iter().map(|market| market.instrument.id).collect();
    let fees = account_fees(&call, ids).await?;
    let fee = |(market, fees)| TradeFee::new(market, fees);
    Ok(wanted.iter().zip(fees).map(fee).collect())
}

/// `GET /sapi/v1/capital/config/getall`
pub(crate) async fn coins(call: KeyedCall, _: NoParams) -> Answer<Vec<CoinInfo>> {
    let owned = call.shared.door.balances(call.signer.account).await?;
    let directory = call.shared.door.directory();
    let balances = owned.into_iter().chain(std::iter::repeat(Balance::default()));
    let coin = |(asset, balance)| CoinInfo::new(asset, balance);
    Ok(directory.assets().iter().zip(balances).map(coin).collect())
}

/// `GET /sapi/v1/margin/allPairs` and `GET /sapi/v1/margin/isolated/allPairs`: there are none.
pub(crate) async fn margin_pairs(_: KeyedCall, _: MarginPairsRequest) -> Answer<[Empty; 0]> {
    Ok([])
}
