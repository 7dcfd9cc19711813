//! A market as a file: `apply` and `export market`, on running and on stopped venues.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use client::NewOrder;
use serde_json::{Value, json};
use types::Side;

use crate::operator::words;
use crate::process::{Serving, command, run, run_json, run_refused, text};

/// A folder with a market file and a venue's folder.
struct House {
    dir: tempfile::TempDir,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("venue")).unwrap();
        let house = Self { dir };
        let made = run(&["admin", "new-master-key", text(&house.path("master.key"))]);
        assert!(made.status.success());
        house
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn data(&self) -> String {
        text(&self.path("venue")).to_owned()
    }

    fn serve(&self) -> Serving {
        Serving::start(&["--data", &self.data(), "--master-key", text(&self.path("master.key"))])
    }

    fn apply_file(&self, file: &Path, more: &[&str]) -> Output {
        let (data, key) = (self.data(), self.path("master.key"));
        let args = ["apply", text(file), "--data", &data, "--master-key", text(&key)];
        run(&[&args, more].concat())
    }

    /// Applies a market without a question; its output.
    fn apply(&self, market: &str, more: &[&str]) -> String {
        let file = self.path("market.toml");
        fs::write(&file, market).unwrap();
        let output = self.apply_file(&file, &[&["--yes"], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Output and sentence of a market that is not applied, or not to its end.
    fn refused(&self, market: &str, more: &[&str]) -> (String, String) {
        let file = self.path("market.toml");
        fs::write(&file, market).unwrap();
        let output = self.apply_file(&file, &[&["--yes"], more].concat());
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{market}: {sentence}");
        assert_eq!(sentence.trim_end().lines().count(), 1, "{sentence}");
        (String::from_utf8(output.stdout).unwrap(), sentence)
    }

    fn export(&self) -> String {
        let (data, key) = (self.data(), self.path("master.key"));
        let output = run(&["export", "market", "--data", &data, "--master-key", text(&key)]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn admin(&self, args: &str) -> Value {
        let (data, key) = (self.data(), self.path("master.key"));
        run_json(&[words(&data, args), vec!["--master-key", text(&key)]].concat())
    }
}

fn example() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("examples/market.toml")).unwrap()
}

#[track_caller]
fn check_no_difference(output: &str) {
    assert!(output.starts_with("no difference"), "{output}");
}

#[tokio::test]
async fn the_example_is_applied_once_and_exported_again() {
    let house = House::new();
    let venue = house.serve();
    let keys = house.path("keys.jsonl");
    let output = house.apply(&example(), &["--secrets", text(&keys)]);
    assert!(
        output.contains("+ instrument KWHEUR: base KWH, quote EUR, tick_size 0.001"),
        "{output}"
    );
    assert!(output.contains("calendar none -> Mon-Fri 08:30:00"), "{output}");
    assert!(output.starts_with("~ venue: withdrawal_approvals 1 -> 2"), "{output}");
    assert!(output.contains("+ account carol, deposit bank-2041"), "{output}");
    assert!(!output.contains("secret_key"), "the file alone has secrets: {output}");
    check_no_difference(&house.apply(&example(), &[]));

    // What the file says is there, and nothing is there twice.
    let listed = &house.admin("instrument list")[0];
    assert_eq!(
        (&listed["min_notional"], &listed["max_open_orders"]),
        (&json!("5.0000"), &json!(1000))
    );
    assert_ne!(listed["phase"], "PreOpen");
    let balances = house.admin("account balances maker");
    assert_eq!(balances[0]["free"], "1000000.0000");
    assert_eq!(house.admin("instrument rules KWHEUR")["max_position"], Value::Null);
    assert_eq!(house.admin("risk carol")["orders_per_day"], Value::Null);
    let shown = house.admin("key list");
    let names: Vec<_> = shown.as_array().unwrap().iter().map(|key| &key["name"]).collect();
    assert_eq!(names, ["quotes", "bot", "operator"]);

    // The owners get their keys through a file that no other user reads.
    assert_eq!(fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o600);
    let made = fs::read_to_string(&keys).unwrap();
    let made: Vec<Value> = made.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(made.len(), 3);
    let text_of = |key: &Value, name: &str| key[name].as_str().unwrap().to_owned();
    let maker = venue.client(&text_of(&made[0], "api_key"), &text_of(&made[0], "secret_key"));
    assert_eq!(maker.account().await.unwrap().balance("KWH").unwrap().free, "250000.000");
    assert_eq!(made[1].get("secret_key"), None, "the client has its private key");

    // An export is the same market, on this venue and on another, running or stopped.
    let export = house.export();
    assert!(!export.contains(&text_of(&made[0], "api_key")), "{export}");
    assert!(export.contains("[account.carol.deposit.bank-2041]"), "{export}");
    check_no_difference(&house.apply(&export, &[]));
    venue.stop();
    check_no_difference(&house.apply(&export, &[]));
    check_no_difference(&house.apply(&example(), &[]));
    assert_eq!(house.export(), export);
    let other = House::new();
    other.apply(&export, &[]);
    assert_eq!(other.export(), export);
}

const SMALL: &str = r#"
[asset.EUR]
decimals = 2

[asset.KWH]
decimals = 3

[instrument.KWHEUR]
base = "KWH"
quote = "EUR"
tick_size = "0.01"
lot_size = "1"

[account.carol.deposit.bank-1]
asset = "EUR"
amount = "100"
"#;

#[test]
fn a_difference_is_shown_before_a_question() {
    let house = House::new();
    let file = house.path("market.toml");
    fs::write(&file, SMALL).unwrap();
    let ask = |answer: &str| {
        let data = house.data();
        let mut apply = command(&["apply", text(&file), "--data", &data]);
        let mut process = apply
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        process.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
        process.wait_with_output().unwrap()
    };
    for no in ["", "n\n", "what\n"] {
        let output = ask(no);
        assert_eq!(output.status.code(), Some(1), "{no:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("+ asset EUR: decimals 2"));
        assert!(String::from_utf8_lossy(&output.stderr).contains("nothing was changed"));
    }
    let dry = house.apply_file(&file, &["--dry-run"]);
    assert!(dry.status.success());
    assert!(!house.path("venue/log").exists(), "a question begins no venue");
    let output = ask("y\n");
    assert!(output.status.success());
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("5 differences to the venue in"), "{shown}");
    assert!(shown.ends_with("applied 5 changes\n"), "{shown}");
    check_no_difference(&house.apply(SMALL, &[]));
}

#[test]
fn a_venue_in_memory_is_set_up_after_its_start() {
    let house = House::new();
    let (data, key) = (house.data(), house.path("master.key"));
    let start = ["--data", &data, "--durability", "memory", "--master-key", text(&key)];
    for _ in 0..2 {
        let venue = Serving::start(&start);
        let output = house.apply(SMALL, &[]);
        assert!(output.ends_with("applied 5 changes\n"), "each start begins anew: {output}");
        check_no_difference(&house.apply(&house.export(), &[]));
        venue.stop();
    }
}

#[test]
fn values_change_and_end_where_the_file_says_so() {
    let house = House::new();
    let key = "[account.carol.key.bot]\n";
    house.apply(&format!("{SMALL}{key}"), &[]);
    house.admin("instrument rules KWHEUR --max-stop-orders 5");
    house.admin("limits carol KWHEUR --max-order-qty 7 --collar-bps 50");
    house.admin("account update carol --maker-fee-bps 1 --taker-fee-bps 2");
    house.admin("instrument update KWHEUR --max-notional 900");
    check_no_difference(&house.apply(SMALL, &[]));

    // "none" ends a limit, a rule, own fees and a bound; an empty list a calendar.
    let changed = SMALL
        .replace("lot_size = \"1\"\n", "lot_size = 1.0\nmax_notional = \"none\"\ncalendar = []\n");
    let more = r#"
[account.carol]
maker_fee_bps = "none"
taker_fee_bps = "none"
max_open_orders = 50

[account.carol.limits.KWHEUR]
max_order_qty = "none"
collar_bps = "none"

[account.carol.key.bot]
revoked = true

[instrument.KWHEUR.rules]
max_stop_orders = "none"
notional_by_avg_price = true
"#;
    let changed = format!("{changed}{more}");
    let output = house.apply(&changed, &[]);
    for line in [
        "~ instrument KWHEUR: max_notional 900 -> none",
        "~ instrument KWHEUR, rules: notional_by_avg_price false -> true, max_stop_orders 5 -> none",
        "~ account carol: maker_fee_bps 1 -> none, taker_fee_bps 2 -> none, max_open_orders 10000 -> 50",
        "~ account carol, limits in KWHEUR: max_order_qty 7 -> none, collar_bps 50 -> none",
        "- account carol, key bot: revoked",
        "applied 5 changes",
    ] {
        assert!(output.contains(line), "{line}\n{output}");
    }
    check_no_difference(&house.apply(&changed, &[]));
    assert_eq!(house.admin("instrument rules KWHEUR")["max_stop_orders"], Value::Null);
    assert_eq!(house.admin("limits carol KWHEUR")["collar_bps"], Value::Null);
    assert_eq!(house.admin("key list"), json!([]));

    let delisted = changed.replace("calendar = []", "delisted = true");
    assert!(house.apply(&delisted, &[]).contains("- instrument KWHEUR: delisted"));
    check_no_difference(&house.apply(&delisted, &[]));
    check_no_difference(&house.apply(&house.export(), &[]));
    let (_, sentence) = house.refused(&changed, &[]);
    assert!(sentence.contains("the venue has delisted it, for ever"), "{sentence}");
}

#[test]
fn what_cannot_be_is_refused_with_its_line_before_anything_is_done() {
    let house = House::new();
    house.apply(SMALL, &[]);
    house.admin("withdrawal request carol EUR 1 --ref out-1");
    house.admin("key add carol --name old");
    let market = house.export();
    for (more, expected) in [
        ("[asets.BTC]\n", "market.toml:1: unknown key `asets`: did you mean `asset`?"),
        (
            "[asset.BTC]\ndecimal = 8\n",
            "market.toml:2: asset BTC: unknown key `decimal`: did you mean `decimals`?",
        ),
        (
            "[asset.btc]\n",
            "market.toml:1: the name `btc` of `asset` is not 1 to 16 capital letters",
        ),
        (
            "[asset.BTC]\ndecimals = 19\n",
            "market.toml:2: asset BTC: `decimals` must be a whole number from 0 to 18, and is 19",
        ),
        ("[asset.BTC\n", "market.toml:1: "),
        (
            "[venue]\nwithdrawal_approvals = 6\n",
            "market.toml:2: venue: `withdrawal_approvals` must be a whole number from 0 to 5, and is 6",
        ),
        ("[venue.main]\n", "market.toml:1: venue: unknown key `main`"),
        ("[asset.BTC]\n[asset.BTC]\n", "market.toml:2: "),
        ("[[asset]]\nname = \"BTC\"\n", "`asset` must be tables with names, as `[asset.NAME]`"),
        (
            "\n[asset.EUR]\ndecimals = 3\n",
            "market.toml:2: asset EUR: `decimals` cannot change, and is 2",
        ),
        (
            "[instrument.KWHEUR]\ntick_size = 0.02\n",
            "instrument KWHEUR: `tick_size` cannot change, and is 0.01",
        ),
        (
            "[instrument.GASEUR]\nbase = \"GAS\"\n",
            "market.toml:1: instrument GASEUR: it is new, and needs `quote`",
        ),
        (
            "[instrument.GASEUR]\nbase = \"GAS\"\nquote = \"EUR\"\ntick_size = 0.01\nlot_size = 1\n",
            "instrument GASEUR: neither the file nor the venue has the asset GAS",
        ),
        ("[instrument.KWHEUR]\ncalendar = [[\"Monday\", \"09:00\", \"Closed\"]]\n", "`Monday`"),
        (
            "[instrument.KWHEUR]\nfee_tiers = [[\"0\", \"x\", \"1\"]]\n",
            "instrument KWHEUR: `fee_tiers` must be a list of tiers",
        ),
        (
            "[instrument.KWHEUR.rules]\nbreach = \"halt\"\n",
            "must be one of \"VolatilityAuction\", \"Halt\", and is \"halt\"",
        ),
        ("[account.carol.limits.BTCEUR]\ncollar_bps = 1\n", "the instrument BTCEUR"),
        ("[account.venue.key.bot]\n", "the account is the venue's own"),
        ("[account.carol]\nmaker_fee_bps = 1\n", "account carol: own fees are two"),
        (
            "[account.carol.deposit.bank-1]\nasset = \"EUR\"\namount = 101\n",
            "account carol, deposit bank-1: `amount` of a deposit cannot change, and is 100",
        ),
        (
            "[instrument.GASEUR]\nbase = \"KWH\"\nquote = \"EUR\"\ntick_size = 0.001\nlot_size = 1\n",
            "market.toml:1: instrument GASEUR: one tick times one lot is not a whole number",
        ),
        (
            "[account.carol.deposit.bank-2]\nasset = \"EUR\"\namount = 0.001\n",
            "account carol, deposit bank-2: `amount` must be above 0 with at most 2 decimals, and is 0.001",
        ),
        (
            "[account.carol.deposit.out-1]\nasset = \"EUR\"\namount = 1\n",
            "account carol, deposit out-1: the venue has a withdrawal of this reference",
        ),
        (
            "[account.carol.key.old]\nrole = \"operator\"\n",
            "account carol, key old: `role` of a key cannot change, and is trader",
        ),
        (
            "[account.carol.key.new]\nexpires = 2020-01-01T00:00:00Z\n",
            "has ended at 2020-01-01T00:00:00Z",
        ),
        ("[account.carol.key.new]\nexpires = 2600-01-01T00:00:00Z\n", "the last is 2554-07-21"),
        (
            "[account.carol.key.new]\npublic_key = \"x\"\n",
            "`public_key` is wrong: it is not a public key",
        ),
    ] {
        // Its first entry alone could be applied.
        let (_, sentence) = house.refused(&format!("{more}[account.dave]\n"), &[]);
        assert!(sentence.contains(expected), "{more}\n{sentence}");
    }
    let file = house.path("market.toml");
    let data = house.data();
    fs::write(&file, "[account.carol.key.new]\n").unwrap();
    let sentence = run_refused(&["apply", text(&file), "--data", &data, "--yes"]);
    assert!(sentence.contains("name --master-key"), "{sentence}");
    let wrong = ["--master-key", "/nowhere/key"];
    let sentence = run_refused(&[&["apply", text(&file), "--data", &data], &wrong[..]].concat());
    assert!(sentence.contains("/nowhere/key is neither 64 hex digits nor a file"), "{sentence}");
    let open = house.path("open.jsonl");
    fs::write(&open, "").unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o644)).unwrap();
    let (_, sentence) = house.refused("[account.carol.key.new]\n", &["--secrets", text(&open)]);
    assert!(sentence.contains("chmod 600"), "{sentence}");
    assert_eq!(house.export(), market, "nothing was done");
}

#[test]
fn names_of_every_form_survive_an_export() {
    let house = House::new();
    let market = r#"
[asset.EUR]

[account."desk.1".deposit.'wire:"7"\\x.y']
asset = "EUR"
amount = 1.50

[account.desk-2.key."bot.v1"]
allow_ip = ["192.0.2.7", "2001:db8::/32"]
"#;
    house.apply(market, &[]);
    check_no_difference(&house.apply(market, &[]));
    house.admin("key add desk-2");
    let export = house.export();
    assert!(export.contains("# Account desk-2 has keys without a name"), "{export}");
    check_no_difference(&house.apply(&export, &[]));
    let other = House::new();
    other.apply(&export, &[]);
    check_no_difference(&other.apply(market, &[]));
    assert_eq!(other.admin("account list")[1]["account"], "desk.1");
}

#[tokio::test]
async fn a_failure_half_way_names_what_is_done_and_the_next_run_continues() {
    let house = House::new();
    let venue = house.serve();
    // More money than a venue can hold of an asset.
    let limits = "[account.carol.limits.KWHEUR]\nmax_order_qty = 0.5\n";
    let calendar = "calendar = [[\"Mon-Sun\", \"00:00\", \"Closed\"]]\nmax_open_orders = 7\n";
    let wrong =
        SMALL.replace("lot_size = \"1\"\n", &format!("lot_size = \"1\"\n{calendar}")) + limits;
    let (output, sentence) = house.refused(&wrong, &[]);
    assert!(sentence.contains("account carol, limits in KWHEUR: "), "{sentence}");
    assert!(
        sentence.contains("(change 7 of 8: 6 are done, and a further `apply` continues"),
        "{sentence}"
    );
    assert!(output.contains("done      + asset EUR: decimals 2"), "{output}");
    assert!(output.contains("failed    ~ account carol, limits in KWHEUR"), "{output}");
    assert!(output.contains("not done  + account carol, deposit bank-1"), "{output}");
    let right = wrong.replace("0.5", "2");
    let output = house.apply(&right, &[]);
    assert!(output.contains("2 differences"), "{output}");
    check_no_difference(&house.apply(&right, &[]));
    let listed = &house.admin("instrument list")[0];
    assert_eq!((&listed["phase"], &listed["max_open_orders"]), (&json!("Closed"), &json!(7)));
    venue.stop();

    // An instrument whose listing was not finished takes no order, until it is.
    let add = "instrument add GASEUR --base KWH --quote EUR --tick-size 0.01 --lot-size 1";
    house.admin(&format!("{add} --max-open-orders 0"));
    let gas =
        "[instrument.GASEUR]\nbase = \"KWH\"\nquote = \"EUR\"\ntick_size = 0.01\nlot_size = 1\n";
    let gas = format!("{gas}calendar = [[\"Mon-Sun\", \"00:00\", \"Halt\"]]\n");
    let rules = "[instrument.GASEUR.rules]\nmax_amends = 3\n";
    let output = house.apply(&format!("{gas}{rules}"), &[]);
    let order = ["calendar none", "rules: max_amends none -> 3", "max_open_orders 0 -> 1000"];
    let places = order.map(|part| output.find(part).unwrap_or_else(|| panic!("{part}: {output}")));
    assert!(places.is_sorted(), "{output}");
}

#[tokio::test]
async fn symbols_of_binance_become_instruments() {
    let house = House::new();
    let demo = tempfile::tempdir().unwrap();
    let source = Serving::start(&["--data", text(demo.path()), "--demo", "--no-bots"]);
    let rules = "instrument rules BTCUSDT --avg-price-mins 5 --buy-max-bps 12000 --max-amends 3";
    run_json(&words(text(demo.path()), rules));
    // A venue's own answer, and symbols as Binance has them.
    let info = house.path("exchangeInfo.json");
    let url = format!("{}/api/v3/exchangeInfo", source.url);
    let answer = get(&url);
    fs::write(&info, &answer).unwrap();
    let from = |info: &Path, more: &[&str]| {
        let data = house.data();
        let args = ["apply", "--exchange-info", text(info), "--data", &data, "--yes"];
        let output = run(&[&args, more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let venue = house.serve();
    from(&info, &[]);
    check_no_difference(&from(&info, &[]));
    let own = house.path("own.json");
    fs::write(&own, get(&format!("{}/api/v3/exchangeInfo", venue.url))).unwrap();
    let symbols = |file: &Path| -> Value {
        let info: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        info["symbols"].clone()
    };
    assert_eq!(symbols(&own), symbols(&info), "the copy has the same rules");

    let link = json!({"symbols": [
        {
            "symbol": "LINKBTC", "status": "TRADING", "baseAsset": "LINK", "quoteAsset": "XBT",
            "baseAssetPrecision": 8, "quotePrecision": 8, "quoteAssetPrecision": 8,
            "filters": [
                {"filterType": "PRICE_FILTER", "minPrice": "0.00000010", "maxPrice": "1000.00000000",
                 "tickSize": "0.00000010"},
                {"filterType": "LOT_SIZE", "minQty": "0.01000000", "maxQty": "90000.00000000",
                 "stepSize": "0.01000000"},
                {"filterType": "MARKET_LOT_SIZE", "minQty": "0.00000000", "maxQty": "2319.43527196",
                 "stepSize": "0.00000000"},
                {"filterType": "NOTIONAL", "minNotional": "0.00010000", "applyMinToMarket": true,
                 "maxNotional": "9000000.00000000", "applyMaxToMarket": false, "avgPriceMins": 5},
                {"filterType": "PERCENT_PRICE_BY_SIDE", "bidMultiplierUp": "5",
                 "bidMultiplierDown": "0.2", "askMultiplierUp": "5", "askMultiplierDown": "0.2",
                 "avgPriceMins": 5},
                {"filterType": "MAX_NUM_ORDERS", "maxNumOrders": 200},
                {"filterType": "SOMETHING_NEW"},
            ],
        },
        {"symbol": "OLDBTC", "status": "BREAK", "baseAsset": "OLD", "quoteAsset": "XBT",
         "baseAssetPrecision": 8, "quotePrecision": 8, "filters": []},
    ]});
    fs::write(&info, link.to_string()).unwrap();
    // A market file beside it has the last word.
    let file = house.path("more.toml");
    fs::write(&file, "[instrument.LINKBTC]\nmax_open_orders = 9\n").unwrap();
    let output = from(&info, &[text(&file)]);
    assert!(output.contains("+ asset XBT: decimals 9"), "{output}");
    assert!(!output.contains("OLD"), "it does not trade: {output}");
    let listed = house.admin("instrument list");
    let link = listed.as_array().unwrap().last().unwrap();
    assert_eq!(
        (&link["market_max_qty"], &link["max_notional"], &link["max_open_orders"]),
        (&json!("2319.43"), &json!("9000000.000000000"), &json!(9))
    );
    let rules = house.admin("instrument rules LINKBTC");
    assert_eq!((&rules["buy_max_bps"], &rules["sell_min_bps"]), (&json!(50_000), &json!(2_000)));
    check_no_difference(&from(&info, &[text(&file), "--symbol", "LINKBTC"]));
    let data = house.data();
    let args = ["apply", "--exchange-info", text(&info), "--data", &data, "--symbol"];
    let sentence = run_refused(&[&args[..], &["NONE"]].concat());
    assert!(sentence.contains("it has no symbol `NONE`"), "{sentence}");
    let sentence = run_refused(&[&args[..], &["OLDBTC"]].concat());
    assert!(sentence.contains("symbol OLDBTC: it has no filter PRICE_FILTER"), "{sentence}");
    source.stop();
    venue.stop();
}

/// The body of an answer, over a connection of its own.
fn get(url: &str) -> String {
    let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// No order rests or trades before the calendar has closed the instrument.
#[tokio::test]
async fn a_new_instrument_does_not_trade_before_its_calendar() {
    let house = House::new();
    let venue = house.serve();
    let keys = house.path("keys.jsonl");
    house.apply(&format!("{SMALL}[account.carol.key.bot]\n"), &["--secrets", text(&keys)]);
    let key: Value = serde_json::from_str(&fs::read_to_string(&keys).unwrap()).unwrap();
    let text_of = |name: &str| key[name].as_str().unwrap().to_owned();
    let carol = venue.client(&text_of("api_key"), &text_of("secret_key"));
    let gas =
        "[instrument.GASEUR]\nbase = \"KWH\"\nquote = \"EUR\"\ntick_size = 0.01\nlot_size = 1\n";
    // As `apply` leaves it between its steps.
    let add = "instrument add GASEUR --base KWH --quote EUR --tick-size 0.01 --lot-size 1";
    house.admin(&format!("{add} --max-open-orders 0"));
    let buy = NewOrder::limit("GASEUR", Side::Buy, "1", "1");
    let refusal = carol.place(&buy).await.unwrap_err().to_string();
    assert!(refusal.contains("MAX_NUM_ORDERS"), "{refusal}");
    house.apply(&format!("{gas}calendar = [[\"Mon-Sun\", \"00:00\", \"Closed\"]]\n"), &[]);
    let refusal = carol.place(&buy).await.unwrap_err().to_string();
    assert!(refusal.contains("Market is closed."), "{refusal}");
    venue.stop();
}

/// A failure half-way would leave a part of the market.
#[test]
fn keys_without_a_master_key_are_refused_before_anything_is_done() {
    let house = House::new();
    let (file, data) = (house.path("market.toml"), house.data());
    fs::write(&file, format!("{SMALL}[account.carol.key.bot]\n")).unwrap();
    let sentence = run_refused(&["apply", text(&file), "--data", &data, "--yes"]);
    assert!(sentence.contains("no master key"), "{sentence}");
    assert!(fs::read_dir(&data).unwrap().next().is_none(), "nothing was begun");
}

#[test]
fn a_look_at_a_stopped_venue_adds_nothing_to_its_log() {
    let house = House::new();
    let data = house.data();
    house.apply(SMALL, &[]);
    let batches = || {
        let shown = run(&["log", "dump", &data, "--json"]).stdout;
        String::from_utf8(shown).unwrap().lines().count()
    };
    let before = batches();
    run_json(&["admin", "--data", &data, "account", "list"]);
    assert!(run(&["export", "market", "--data", &data]).status.success());
    let file = house.path("market.toml");
    assert!(house.apply_file(&file, &["--dry-run"]).status.success());
    assert_eq!(batches(), before);
    run_json(&["admin", "--data", &data, "account", "add", "dave"]);
    assert_eq!(batches(), before + 2, "an epoch of its own, and the command");
}
