use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use gateway::SocketSettings;
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use types::{
    AccountId, BandBreach, CancelAll, ClOrdId, Command, Entry, Envelope, Event, HaltVenue,
    InstrumentRules, KeyId, NewOrder, OrderSize, OrderType, Origin, Phase, Price, PriceBands, Qty,
    SessionId, SetInstrumentRules, SetPhase, Side, StpMode, TimeInForce,
};
use venue::Reply;

use crate::socket::{Socket, connect, next, say};
use crate::support::{BTCUSDT, MAKER, Site, TAKER, now_ms};

type Ticket = venue::Ticket<Result<Reply, types::Refused>>;

fn submit(site: &Site, account: AccountId, command: Command) -> Ticket {
    let envelope = Envelope {
        account,
        key: KeyId(1),
        session: SessionId(0),
        client_seq: 0,
        origin: Origin::WebSocket,
        received_ns: 0,
        retry_key: None,
        address: None,
    };
    site.handle.submit(Entry { envelope, command }).unwrap()
}

/// A limit order past the sockets: quantity in lots, price in ticks.
pub(crate) fn submit_order(
    site: &Site,
    account: AccountId,
    side: Side,
    lots: u64,
    ticks: i64,
) -> Ticket {
    let mut random = [0; 16];
    getrandom::fill(&mut random).unwrap();
    let order = NewOrder {
        instrument: BTCUSDT,
        cl_ord_id: ClOrdId::generated(random),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        price: Price::from_ticks(ticks),
        size: OrderSize::Base(Qty::from_lots(lots)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    };
    submit(site, account, Command::NewOrder(order))
}

pub(crate) async fn is_done(reply: Ticket) {
    let reply = reply.await.unwrap().unwrap();
    let refused = reply.events().any(|event| matches!(event, Event::CommandRejected(_)));
    assert!(!refused, "{reply:?}");
}

/// A copy of the book, kept as Binance's documents describe.
#[derive(Default)]
struct Copy {
    last_update_id: u64,
    in_sync: bool,
    sides: [BTreeMap<String, String>; 2],
}

impl Copy {
    fn of(snapshot: &Value) -> Self {
        let mut copy =
            Self { last_update_id: snapshot["lastUpdateId"].as_u64().unwrap(), ..Self::default() };
        copy.set(&snapshot["bids"], &snapshot["asks"]);
        copy
    }

    fn apply(&mut self, update: &Value) {
        let (first, last) = (update["U"].as_u64().unwrap(), update["u"].as_u64().unwrap());
        if last <= self.last_update_id {
            return;
        }
        if self.in_sync {
            assert_eq!(first, self.last_update_id + 1);
        } else {
            assert!(first <= self.last_update_id + 1, "the snapshot is too old");
        }
        (self.in_sync, self.last_update_id) = (true, last);
        self.set(&update["b"], &update["a"]);
    }

    fn set(&mut self, bids: &Value, asks: &Value) {
        for (side, levels) in self.sides.iter_mut().zip([bids, asks]) {
            for level in levels.as_array().unwrap() {
                let text = |index: usize| level[index].as_str().unwrap().to_owned();
                if text(1) == "0.00000000" {
                    side.remove(&text(0))
                } else {
                    side.insert(text(0), text(1))
                };
            }
        }
    }
}

/// Follows a stream of depth until it pauses. Each update begins where the last one ended.
async fn follow(mut socket: Socket, mut copy: Option<Copy>, buffered: Vec<Value>) -> Copy {
    let mut copy = copy.take().expect("a snapshot");
    buffered.iter().for_each(|update| copy.apply(update));
    while let Ok(Some(Ok(message))) = timeout(Duration::from_millis(1_500), socket.next()).await {
        if let Message::Text(text) = message {
            copy.apply(&serde_json::from_str(&text).unwrap());
        }
    }
    copy
}

#[tokio::test(flavor = "multi_thread")]
async fn snapshot_and_stream_give_the_book() {
    let site = Site::new().await;
    let mut fast = connect(&site, "/ws/btcusdt@depth@100ms").await;
    let fastest = connect(&site, "/ws/btcusdt@depth@20ms").await;
    let slow = connect(&site, "/ws/btcusdt@depth").await;
    let mut state = 7_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut followers = Vec::new();
    let mut previous_u = None;
    let mut late = None;
    for round in 0..60 {
        let mut replies = Vec::new();
        for _ in 0..20 {
            let account = if random(2) == 0 { MAKER } else { TAKER };
            let side = if random(2) == 0 { Side::Buy } else { Side::Sell };
            let ticks = 10_000 + i64::try_from(random(60)).unwrap() - 30;
            replies.push(submit_order(&site, account, side, 10_000 + random(90_000), ticks));
        }
        if round % 10 == 9 {
            let cl_ord_id = ClOrdId::parse("all").unwrap();
            let cancel = CancelAll { instrument: BTCUSDT, cl_ord_id };
            replies.push(submit(&site, MAKER, Command::CancelAll(cancel)));
        }
        for reply in replies {
            is_done(reply).await;
        }
        match round {
            10 => {
                // One update is buffered before the snapshot; the others come after it.
                let update = next(&mut fast).await;
                assert_eq!(update["e"], "depthUpdate");
                previous_u = update["u"].as_u64();
                let snapshot = site.get("/api/v3/depth?symbol=BTCUSDT&limit=5000").await.ok();
                followers.push((Copy::of(&snapshot), vec![update]));
            }
            20 => late = Some(connect(&site, "/ws/btcusdt@depth@100ms").await),
            25 => {
                for _ in 0..2 {
                    let snapshot = site.get("/api/v3/depth?symbol=BTCUSDT&limit=5000").await.ok();
                    followers.push((Copy::of(&snapshot), Vec::new()));
                }
                let snapshot = site.get("/api/v3/depth?symbol=BTCUSDT&limit=5000").await.ok();
                followers.push((Copy::of(&snapshot), Vec::new()));
            }
            _ => {}
        }
        sleep(Duration::from_millis(15)).await;
    }
    assert!(previous_u.is_some());
    let sockets = [fast, late.expect("it joined"), fastest, slow];
    let tasks: Vec<_> = sockets
        .into_iter()
        .zip(followers)
        .map(|(socket, (copy, buffered))| tokio::spawn(follow(socket, Some(copy), buffered)))
        .collect();
    let mut copies = Vec::new();
    for task in tasks {
        copies.push(task.await.unwrap());
    }
    let book = site.get("/api/v3/depth?symbol=BTCUSDT&limit=5000").await.ok();
    let book = Copy::of(&book);
    assert!(!book.sides[0].is_empty() && !book.sides[1].is_empty());
    for copy in copies {
        assert!(copy.in_sync);
        assert_eq!(copy.sides, book.sides);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_auction_and_every_change_of_status_are_published() {
    let site = Site::new().await;
    let mut socket = connect(&site, "/stream?streams=!status@arr/btcusdt@auction").await;
    let mut next_of = async |stream: &str| {
        let message = next(&mut socket).await;
        assert_eq!(message["stream"], stream, "{message}");
        message["data"].clone()
    };
    let status = |data: &Value| status_of(&data[0]);
    let present = next_of("!status@arr").await;
    assert_eq!(status(&present), json!(["PRESENT", "TRADING", "Continuous"]));

    is_done(submit(&site, MAKER, set_phase(Phase::OpeningAuction))).await;
    let opened = next_of("!status@arr").await;
    assert_eq!(status(&opened), json!(["PHASE", "AUCTION_MATCH", "OpeningAuction"]));

    is_done(submit_order(&site, MAKER, Side::Sell, 100_000, 10_000)).await;
    is_done(submit_order(&site, TAKER, Side::Buy, 250_000, 10_100)).await;
    let mut indicated = next_of("btcusdt@auction").await;
    while indicated["p"].is_null() {
        indicated = next_of("btcusdt@auction").await;
    }
    assert_eq!(indicated["p"], "101.00000000");
    assert_eq!(json!([indicated["q"], indicated["Q"]]), json!(["1.00000000", "1.50000000"]));
    assert_eq!(json!([indicated["S"], indicated["x"]]), json!(["BUY", false]));
    // A later reader gets what it was last.
    let mut late = connect(&site, "/ws/btcusdt@auction").await;
    assert_eq!(next(&mut late).await, indicated);

    is_done(submit(&site, MAKER, set_phase(Phase::Continuous))).await;
    let mut found = [next(&mut socket).await, next(&mut socket).await];
    found.sort_by_key(|message| message["stream"].to_string());
    let [ended, uncrossed] = found;
    assert_eq!(status(&ended["data"]), json!(["PHASE", "TRADING", "Continuous"]));
    let result = &uncrossed["data"];
    assert_eq!(
        json!([result["p"], result["q"], result["x"]]),
        json!(["101.00000000", "1.00000000", true])
    );
    is_done(submit_order(&site, MAKER, Side::Buy, 100_000, 9_000)).await;
    let mut late = connect(&site, "/ws/btcusdt@auction").await;
    assert_eq!(next(&mut late).await, *result);

    is_done(submit(&site, MAKER, Command::HaltVenue(HaltVenue { level: 1, resume_ns: 0 }))).await;
    assert_eq!(status(&next(&mut socket).await["data"]), json!(["HALT", "HALT", "Continuous"]));
    is_done(submit(&site, MAKER, Command::ResumeVenue(()))).await;
    assert_eq!(status(&next(&mut socket).await["data"]), json!(["HALT", "TRADING", "Continuous"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_auction_without_a_trade_leaves_no_result() {
    let site = Site::new().await;
    for phase in [Phase::OpeningAuction, Phase::Continuous] {
        is_done(submit(&site, MAKER, set_phase(phase))).await;
        if phase == Phase::OpeningAuction {
            is_done(submit_order(&site, MAKER, Side::Buy, 100_000, 10_000)).await;
        }
    }
    let mut late = connect(&site, "/ws/btcusdt@auction").await;
    // The next message is the next reply: no other came between them.
    assert_eq!(say(&mut late, "garbage").await["code"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_change_of_status_has_its_own_phase_in_a_batch_of_two() {
    let site = Site::new().await;
    let mut socket = connect(&site, "/ws/!status@arr").await;
    assert_eq!(next(&mut socket).await[0]["c"], "PRESENT");
    let (resume, resumed) = std::sync::mpsc::channel::<()>();
    let _held = site.handle.read_views(move |_, _| resumed.recv().unwrap()).unwrap();
    let phases = [Phase::OpeningAuction, Phase::Continuous];
    for phase in phases {
        drop(submit(&site, MAKER, set_phase(phase)));
    }
    sleep(Duration::from_millis(100)).await;
    resume.send(()).unwrap();
    let mut seen = Vec::new();
    while seen.len() < 2 {
        seen.extend(next(&mut socket).await.as_array().unwrap().iter().map(status_of));
    }
    let expected =
        [["PHASE", "AUCTION_MATCH", "OpeningAuction"], ["PHASE", "TRADING", "Continuous"]];
    assert_eq!(seen, expected.map(|status| json!(status)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phase_keeps_its_end_over_a_restart() {
    let site = Site::new().await;
    let bands = PriceBands {
        static_bps: 0,
        dynamic_bps: 100,
        breach: BandBreach::Halt,
        breach_ns: 3_600_000_000_000,
    };
    let rules = InstrumentRules { bands, ..InstrumentRules::default() };
    let set = SetInstrumentRules { instrument: BTCUSDT, rules };
    is_done(submit(&site, MAKER, Command::SetInstrumentRules(set))).await;
    for ticks in [10_000, 11_000] {
        is_done(submit_order(&site, MAKER, Side::Sell, 100_000, ticks)).await;
        is_done(submit_order(&site, TAKER, Side::Buy, 100_000, ticks)).await;
    }
    let mut socket = connect(&site, "/ws/!status@arr").await;
    let halted = next(&mut socket).await[0].clone();
    assert_eq!(status_of(&halted), json!(["PRESENT", "HALT", "Halt"]));
    let from_now = halted["T"].as_u64().unwrap() - now_ms();
    assert!((3_500_000..=3_600_000).contains(&from_now), "{halted}");

    let site = site.restarted().await;
    let mut socket = connect(&site, "/ws/!status@arr").await;
    let again = &next(&mut socket).await[0];
    assert_eq!((status_of(again), &again["T"]), (status_of(&halted), &halted["T"]));
}

fn set_phase(phase: Phase) -> Command {
    Command::SetPhase(SetPhase { instrument: BTCUSDT, phase })
}

fn status_of(one: &Value) -> Value {
    assert_eq!((&one["e"], &one["s"]), (&json!("symbolStatus"), &json!("BTCUSDT")));
    json!([one["c"], one["S"], one["p"]])
}

#[tokio::test(flavor = "multi_thread")]
async fn depth_that_finds_the_venue_busy_is_sent_when_it_is_not() {
    let site = Site::new().await;
    let mut socket = connect(&site, "/ws/btcusdt@depth@100ms").await;
    for ticks in [10_000, 10_100] {
        is_done(submit_order(&site, MAKER, Side::Buy, 100_000, ticks)).await;
    }
    assert_eq!(next(&mut socket).await["b"][0][0], "100.00000000");
    // The second is due in 100 ms. Until then the queue is full.
    let (resume, resumed) = std::sync::mpsc::channel::<()>();
    let _first = site.handle.read_views(move |_, _| resumed.recv().unwrap()).unwrap();
    let mut asked = Vec::new();
    while let Ok(answer) = site.handle.read_views(|_, _| ()) {
        asked.push(answer);
    }
    sleep(Duration::from_millis(300)).await;
    resume.send(()).unwrap();
    assert_eq!(next(&mut socket).await["b"][0][0], "101.00000000");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_stream_has_its_payload() {
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "1", "100").await;
    let mut socket =
        connect(&site, "/stream?streams=btcusdt@trade/btcusdt@bookTicker/btcusdt@depth5@100ms")
            .await;
    let mut found = BTreeMap::new();
    for _ in 0..2 {
        let message = next(&mut socket).await;
        found.insert(message["stream"].as_str().unwrap().to_owned(), message["data"].clone());
    }
    assert_eq!(found["btcusdt@bookTicker"]["a"], "100.00000000");
    assert_eq!(found["btcusdt@depth5@100ms"]["asks"], json!([["100.00000000", "1.00000000"]]));
    site.order(&site.taker, "BUY", "0.25", "100").await;
    for _ in 0..3 {
        let message = next(&mut socket).await;
        found.insert(message["stream"].as_str().unwrap().to_owned(), message["data"].clone());
    }
    let trade = &found["btcusdt@trade"];
    assert_eq!(
        (&trade["t"], &trade["q"], &trade["m"]),
        (&json!(1), &json!("0.25000000"), &json!(false))
    );
    assert!(trade["E"].as_u64().unwrap() < 10_000_000_000_000);
    assert_eq!(found["btcusdt@bookTicker"]["A"], "0.75000000");
    assert_eq!(found["btcusdt@depth5@100ms"]["asks"], json!([["100.00000000", "0.75000000"]]));

    let mut in_us = connect(&site, "/ws/btcusdt@trade?timeUnit=MICROSECOND").await;
    site.order(&site.taker, "BUY", "0.25", "100").await;
    let trade = next(&mut in_us).await;
    assert_eq!(trade["t"], 2);
    assert!(trade["E"].as_u64().unwrap() > 1_000_000_000_000_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_chooses_its_streams() {
    let site = Site::new().await;
    site.order(&site.maker, "SELL", "5", "100").await;
    for target in
        ["/ws", "/ws/", "/ws/pqia91ma19a5s61cv6a81va65sdf19v8a65a1a5s61cv6a81va65sdf19v8a65a1"]
    {
        let mut socket = connect(&site, target).await;
        let list = json!({"method": "LIST_SUBSCRIPTIONS", "id": 1});
        assert_eq!(say(&mut socket, list).await, json!({"result": [], "id": 1}));
    }
    let mut socket = connect(&site, "/ws/nothing@trade/x/btcusdt@odd").await;
    let subscribe = json!({"method": "SUBSCRIBE", "params": ["btcusdt@trade"], "id": 2});
    assert_eq!(say(&mut socket, subscribe).await, json!({"result": null, "id": 2}));
    site.order(&site.taker, "BUY", "1", "100").await;
    assert_eq!(next(&mut socket).await["t"], 1);
    let combined = json!({"method": "SET_PROPERTY", "params": ["combined", true], "id": 3});
    assert_eq!(say(&mut socket, combined).await, json!({"result": null, "id": 3}));
    site.order(&site.taker, "BUY", "1", "100").await;
    assert_eq!(next(&mut socket).await["stream"], "btcusdt@trade");
    let unsubscribe = json!({"method": "UNSUBSCRIBE", "params": ["btcusdt@trade"], "id": 4});
    assert_eq!(say(&mut socket, unsubscribe).await, json!({"result": null, "id": 4}));
    site.order(&site.taker, "BUY", "1", "100").await;
    // The next message is the next reply: no other came between them.
    assert_eq!(say(&mut socket, "garbage").await["code"], 3);
    let unknown = json!({"method": "SUBSCRIBE", "params": ["none@trade"], "id": 5});
    let reply = say(&mut socket, unknown).await;
    assert_eq!(reply["msg"], "Invalid request: unknown symbol in stream none@trade");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_readers_are_cut_and_the_others_go_on() {
    let site = Site::with(SocketSettings { ws_queue_max: 64, ..SocketSettings::default() }).await;
    let mut slow = Vec::new();
    // One slow client more than there are worker threads.
    for _ in 0..=Handle::current().metrics().num_workers() {
        let tcp = TcpSocket::new_v4().unwrap();
        tcp.set_recv_buffer_size(4_096).unwrap();
        let tcp = tcp.connect(site.address).await.unwrap();
        let streams = "btcusdt@trade/btcusdt@aggTrade";
        let target = format!("ws://{}/stream?streams={streams}", site.address);
        slow.push(client_async(target, tcp).await.unwrap().0);
    }
    let mut good = connect(&site, "/stream?streams=btcusdt@trade").await;
    is_done(submit_order(&site, MAKER, Side::Sell, 900_000_000, 100_000)).await;

    // More than all buffers to a slow client can hold.
    const TRADES: u64 = 20_000;
    const BURST: u64 = 50;
    for burst in 0..TRADES / BURST {
        let replies: Vec<_> =
            (0..BURST).map(|_| submit_order(&site, TAKER, Side::Buy, 500, 100_000)).collect();
        // An order whose ticket no task polls waits for the engine's thread, up to a second.
        for reply in replies {
            is_done(reply).await;
        }
        for number in 1..=BURST {
            assert_eq!(next(&mut good).await["data"]["t"], burst * BURST + number);
        }
    }
    let slow_count = slow.len();
    for mut slow in slow {
        let mut received = 0;
        let ended = timeout(Duration::from_secs(5), async {
            while let Some(Ok(_)) = slow.next().await {
                received += 1;
            }
        });
        assert!(ended.await.is_ok(), "a slow reader is still connected");
        assert!(received < 2 * TRADES, "{received}");
    }
    is_done(submit_order(&site, TAKER, Side::Buy, 500, 100_000)).await;
    assert_eq!(next(&mut good).await["data"]["t"], TRADES + 1);
    // Each once, whichever of its streams found the queue full.
    let metrics = site.get("/metrics").await.body;
    let cut = metrics.lines().filter(|line| line.starts_with("buttonwood_readers_cut_total{"));
    let counts = cut.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap());
    assert_eq!(counts.sum::<usize>(), slow_count, "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_a_websocket() {
    let settings = SocketSettings {
        ws_messages_per_second: 10,
        ws_ping_every: Duration::from_millis(100),
        ws_silence_max: Duration::from_millis(400),
        ..SocketSettings::default()
    };
    let site = Site::with(settings).await;
    let close_code = async |socket: &mut Socket| {
        while let Some(Ok(message)) = timeout(Duration::from_secs(5), socket.next()).await.unwrap()
        {
            if let Message::Close(frame) = message {
                return frame.map(|frame| u16::from(frame.code));
            }
        }
        None
    };
    let mut hasty = connect(&site, "/ws").await;
    for _ in 0..20 {
        let _closed = hasty.send(Message::text("x")).await;
    }
    assert_eq!(close_code(&mut hasty).await, Some(1008));
    let mut binary = connect(&site, "/ws").await;
    binary.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(close_code(&mut binary).await, Some(1003));
    let mut huge = connect(&site, "/ws").await;
    let _closed = huge.send(Message::text("x".repeat(100_000))).await;
    close_code(&mut huge).await;

    // A client that answers pings stays. A silent one is closed.
    let mut alive = connect(&site, "/ws").await;
    let mut dead = connect(&site, "/ws").await;
    let pings = timeout(Duration::from_millis(1_000), async {
        let mut pings = 0;
        while let Some(Ok(message)) = alive.next().await {
            pings += u32::from(message.is_ping());
            if pings > 6 {
                return pings;
            }
        }
        pings
    });
    assert!(pings.await.unwrap() > 6);
    // Its pings are unread in the buffer, and the close follows them.
    sleep(Duration::from_millis(200)).await;
    assert_eq!(close_code(&mut dead).await, None);

    let plain = site.get("/ws").await;
    plain.is_error(426, -1000, "Here WebSocket is spoken; the request must be an upgrade.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_is_announced() {
    let site = Site::new().await;
    let mut socket = connect(&site, "/stream?streams=btcusdt@trade").await;
    let served = site.shut_down();
    let announced = next(&mut socket).await;
    assert_eq!(announced["data"]["e"], "serverShutdown");
    let closed = socket.next().await.unwrap().unwrap();
    let Message::Close(Some(frame)) = closed else { panic!("{closed:?}") };
    assert_eq!(u16::from(frame.code), 1001);
    let _end = socket.next().await;
    served.await.unwrap().unwrap();
}
