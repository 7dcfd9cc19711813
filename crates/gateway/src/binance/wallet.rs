//! The queries of `/sapi/v1`: those that clients send as they start, and an account's transfers.

use projection::{Transfer, TransferFilter, Transfers};
use protocol::binance::request::{
    DepositsRequest, MarginPairsRequest, NoParams, TradeFeeRequest, WithdrawalsRequest,
};
use protocol::binance::response::{
    CoinInfo, DepositInfo, Empty, SystemStatus, TradeFee, TransferFacts, WithdrawalInfo,
};
use types::{Asset, AssetId, Balance};

use crate::binance::account::account_fees;
use crate::binance::call::{Answer, Call, KeyedCall};
use crate::binance::history::within;
use crate::clock::now_ns;

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

/// `GET /sapi/v1/system/status`
pub(crate) async fn system_status(call: Call, _: NoParams) -> Answer<SystemStatus> {
    Ok(SystemStatus::new(call.shared.door.is_halted().await?))
}

/// `GET /sapi/v1/capital/deposit/hisrec`
pub(crate) async fn deposits(call: KeyedCall, asked: DepositsRequest) -> Answer<Vec<DepositInfo>> {
    let Some(status) = asked.found_status() else { return Ok(Vec::new()) };
    let times = within(asked.bounds(now_ns()));
    let DepositsRequest { coin, tx_id: external_ref, offset, limit, .. } = asked;
    let filter = TransferFilter {
        is_deposit: true,
        asset: None,
        external_ref,
        status: Some(status),
        ids: None,
        times,
        offset,
        limit,
    };
    let found = transfers(&call, coin, filter).await?;
    Ok(found.iter().map(|(asset, facts)| DepositInfo::new(asset, facts)).collect())
}

/// `GET /sapi/v1/capital/withdraw/history`
pub(crate) async fn withdrawals(
    call: KeyedCall,
    asked: WithdrawalsRequest,
) -> Answer<Vec<WithdrawalInfo>> {
    let Ok(status) = asked.found_status() else { return Ok(Vec::new()) };
    let times = within(asked.bounds(now_ns()));
    let WithdrawalsRequest { coin, withdraw_order_id: external_ref, ids, offset, limit, .. } =
        asked;
    let filter = TransferFilter {
        is_deposit: false,
        asset: None,
        external_ref,
        status,
        ids,
        times,
        offset,
        limit,
    };
    let found = transfers(&call, coin, filter).await?;
    Ok(found.iter().map(|(asset, facts)| WithdrawalInfo::new(asset, facts)).collect())
}

/// The account's transfers of this coin, or of all. A coin that is not listed has none.
async fn transfers(
    call: &KeyedCall,
    coin: Option<String>,
    mut filter: TransferFilter,
) -> Answer<Vec<(Asset, TransferFacts)>> {
    let directory = call.shared.door.directory().assets().to_vec();
    if let Some(coin) = coin {
        let listed = directory.iter().position(|asset| asset.name.as_str() == coin);
        let Some(id) = listed.and_then(|id| u16::try_from(id).ok()) else { return Ok(Vec::new()) };
        filter.asset = Some(AssetId(id));
    }
    let found =
        call.shared.door.ask_history(Transfers { account: call.signer.account, filter }).await?;
    let facts = |transfer: &Transfer| {
        let asset = directory.get(usize::from(transfer.asset.0))?;
        Some((*asset, facts_of(transfer)))
    };
    Ok(found.iter().filter_map(facts).collect())
}

fn facts_of(transfer: &Transfer) -> TransferFacts {
    let Transfer { sequence, amount, external_ref, status, requested_ns, ended_ns, .. } = *transfer;
    TransferFacts { sequence, amount, external_ref, status, requested_ns, ended_ns }
}
