//! Deposits and withdrawals as their account lists them, and the status of the venue.

use serde_json::{Value, json};
use types::{
    Amount, AssetId, CancelWithdrawal, Command, ConfirmWithdrawal, ExternalRef, HaltVenue,
    RequestWithdrawal, SetWithdrawalApprovals, Withdraw,
};

use crate::support::{MAKER, Reply, Site, now_ms};

const DAY_MS: u64 = 86_400_000;

async fn deposits(site: &Site, query: &str) -> Reply {
    site.signed(&site.maker, "GET", "/sapi/v1/capital/deposit/hisrec", query).await
}

async fn withdrawals(site: &Site, query: &str) -> Reply {
    site.signed(&site.maker, "GET", "/sapi/v1/capital/withdraw/history", query).await
}

fn get<'a>(rows: &'a Value, field: &str) -> Vec<&'a Value> {
    rows.as_array().unwrap().iter().map(|row| &row[field]).collect()
}

fn reference(text: &str) -> ExternalRef {
    ExternalRef::parse(text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn deposits_are_listed_newest_first_by_filter_and_page() {
    let site = Site::new().await;
    for number in 1..=3 {
        let amount = Amount::from_minor(number * 50_000_000);
        let name = format!("wire-{number}");
        site.operate(testing::deposit(MAKER, AssetId(2), amount, &name)).await;
    }
    let all = deposits(&site, "").await.ok();
    assert_eq!(get(&all, "txId"), ["wire-3", "wire-2", "wire-1", "first-1", "first-0"]);
    let newest = &all[0];
    let found = (&newest["coin"], &newest["amount"], &newest["status"], &newest["network"]);
    assert_eq!(found, (&"ETH".into(), &"1.50000000".into(), &1.into(), &"VENUE".into()));
    let time = newest["insertTime"].as_u64().unwrap();
    assert!(time <= now_ms() && time + 60_000 > now_ms() && newest["completeTime"] == time);
    for (query, expect) in [
        ("coin=ETH&limit=1".to_owned(), vec!["wire-3"]),
        ("coin=ETH&offset=1&limit=1".to_owned(), vec!["wire-2"]),
        ("txId=wire-1".to_owned(), vec!["wire-1"]),
        ("coin=BTC&status=1".to_owned(), vec!["first-0"]),
        ("coin=DOGE".to_owned(), vec![]),
        ("status=0".to_owned(), vec![]),
        (format!("startTime={}", time + DAY_MS), vec![]),
        (format!("endTime={}", time - DAY_MS), vec![]),
        (format!("coin=BTC&startTime={}&endTime={}", time - DAY_MS, time), vec!["first-0"]),
    ] {
        let found = deposits(&site, &query).await.ok();
        assert_eq!(get(&found, "txId"), expect, "{query}");
    }
    let sentence = "More than 2160 hours between startTime and endTime.";
    let long = format!("startTime=1&endTime={}", 1 + 91 * DAY_MS);
    deposits(&site, &long).await.is_error(400, -1127, sentence);
    let sentence = "Data sent for parameter 'status' is not valid.";
    deposits(&site, "status=5").await.is_error(400, -1130, sentence);
    let reader = site.signed(&site.reader, "GET", "/sapi/v1/capital/deposit/hisrec", "").await.ok();
    assert_eq!(get(&reader, "txId"), ["first-1", "first-0"], "a key sees its own account");
}

#[tokio::test(flavor = "multi_thread")]
async fn withdrawals_are_listed_from_their_request_to_their_end() {
    let site = Site::new().await;
    let approvals = SetWithdrawalApprovals { approvals: 0 };
    site.operate(Command::SetWithdrawalApprovals(approvals)).await;
    let (account, asset) = (MAKER, AssetId(1));
    let amount = Amount::from_minor(150_000_000);
    for text in ["stays", "leaves", "waits"] {
        let external_ref = reference(text);
        let request = RequestWithdrawal { account, asset, amount, external_ref };
        site.operate(Command::RequestWithdrawal(request)).await;
    }
    let external_ref = reference("stays");
    site.operate(Command::CancelWithdrawal(CancelWithdrawal { account, external_ref })).await;
    let external_ref = reference("leaves");
    site.operate(Command::ConfirmWithdrawal(ConfirmWithdrawal { account, external_ref })).await;
    let external_ref = reference("once");
    site.operate(Command::Withdraw(Withdraw { account, asset: AssetId(0), amount, external_ref }))
        .await;

    let all = withdrawals(&site, "").await.ok();
    assert_eq!(get(&all, "withdrawOrderId"), ["once", "waits", "leaves", "stays"]);
    assert_eq!(get(&all, "status"), [6, 2, 6, 1]);
    assert_eq!(get(&all, "coin"), ["BTC", "USDT", "USDT", "USDT"]);
    assert_eq!((&all[0]["amount"], &all[0]["transactionFee"]), (&"1.50000000".into(), &"0".into()));
    let is_completed = |row: &Value| row["completeTime"].as_str().is_some_and(|at| at.len() == 19);
    let completed: Vec<bool> = all.as_array().unwrap().iter().map(is_completed).collect();
    assert_eq!(completed, [true, false, true, false]);
    let id = all[2]["id"].as_str().unwrap().to_owned();
    for (query, expect) in [
        ("status=2".to_owned(), vec!["waits"]),
        ("status=6&coin=USDT".to_owned(), vec!["leaves"]),
        ("status=3".to_owned(), vec![]),
        ("withdrawOrderId=stays".to_owned(), vec!["stays"]),
        (format!("idList={id},999999"), vec!["leaves"]),
        ("offset=3".to_owned(), vec!["stays"]),
    ] {
        let found = withdrawals(&site, &query).await.ok();
        assert_eq!(get(&found, "withdrawOrderId"), expect, "{query}");
    }
    let week = format!("withdrawOrderId=stays&startTime=1&endTime={}", 1 + 8 * DAY_MS);
    let sentence = "More than 168 hours between startTime and endTime.";
    withdrawals(&site, &week).await.is_error(400, -1127, sentence);
    let sentence = "Data sent for parameter 'idList' is not valid.";
    withdrawals(&site, "idList=1,x").await.is_error(400, -1130, sentence);
    // A restart changes nothing.
    let site = site.restarted().await;
    assert_eq!(withdrawals(&site, "").await.ok(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_of_the_system_is_that_of_the_venue() {
    let site = Site::new().await;
    let status = async || site.get("/sapi/v1/system/status").await.ok();
    assert_eq!(status().await, json!({ "status": 0, "msg": "normal" }));
    site.operate(Command::HaltVenue(HaltVenue { level: 1, resume_ns: 0 })).await;
    assert_eq!(status().await, json!({ "status": 1, "msg": "system_maintenance" }));
    site.operate(Command::ResumeVenue(())).await;
    assert_eq!(status().await["status"], 0);
}

/// Until it is rebuilt, queries name the cause; afterwards they answer as before.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_model_that_is_removed_is_rebuilt_and_meanwhile_named() {
    let site = Site::new().await;
    let before = deposits(&site, "").await.ok();
    let file = site.data_dir().join("projection/history.sqlite");
    std::fs::remove_file(&file).unwrap();
    let missing = deposits(&site, "").await;
    missing.is_error(
        503,
        -1008,
        "History is not available now: its file was removed, and it is being rebuilt. Orders are \
         not affected; please try again.",
    );
    let mut seen_alarm = false;
    loop {
        let metrics = site.get("/metrics").await.body;
        seen_alarm |= metrics.contains("buttonwood_projection_alarm 1\n");
        let reply = deposits(&site, "").await;
        if reply.status == 200 {
            assert_eq!(reply.ok(), before);
            break;
        }
        assert_eq!((reply.status, &reply.json()["code"]), (503, &json!(-1008)), "{}", reply.body);
    }
    assert!(seen_alarm, "the alarm was on");
    assert!(site.get("/metrics").await.body.contains("buttonwood_projection_alarm 0\n"));
}
