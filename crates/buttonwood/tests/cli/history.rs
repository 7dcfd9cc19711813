//! `log` as operators and auditors see it: on venues that run, that are stopped, and on folders
//! with something wrong in them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use client::NewOrder;
use log::snapshot::{self, Snapshot};
use log::{Batch, Durability, FileLog, Log, Options, SEGMENT_SIZE_MIN};
use parquet::file::reader::SerializedFileReader;
use parquet::record::Field;
use serde_json::{Value, json};
use types::{Command, Entry, Reader, Side, Wire};

use crate::operator::trader;
use crate::process::{Serving, run, run_json, run_refused, text};
use crate::serve::files_below;

/// What a run that succeeded printed.
pub(crate) fn printed(args: &[&str]) -> String {
    let output = run(args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

fn json_lines(args: &[&str]) -> Vec<Value> {
    printed(args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A demo in which alice bids for 2 BTC at 100 and bob sells her half of one, stopped again.
pub(crate) async fn traded(data: &str) {
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots", "--snapshot-every", "5"]);
    let [alice, bob] = [0, 1].map(|account| trader(&venue, data, account));
    alice.place(&NewOrder::limit("BTCUSDT", Side::Buy, "2", "100")).await.unwrap();
    bob.place(&NewOrder::limit("BTCUSDT", Side::Sell, "0.5", "99")).await.unwrap();
    venue.stop();
}

#[tokio::test]
async fn an_order_is_found_in_the_log_and_in_the_state_before_and_after_its_trade() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    traded(data).await;
    let before = contents(dir.path());

    let report = printed(&["log", "verify", data]);
    assert!(report.contains("and the log leads to its state"), "{report}");
    assert!(report.contains(" in the log itself, all compared"), "{report}");
    assert!(report.contains("end        clean"), "{report}");
    assert!(report.contains("rebuilds   every state from the beginning"), "{report}");
    assert!(report.ends_with("\nsound\n"), "{report}");

    let lines = json_lines(&["log", "dump", data, "--json"]);
    for (line, sequence) in lines.iter().zip(1..) {
        assert_eq!(line["sequence"], sequence);
        assert_eq!(line["last_sequence"], sequence, "no command was so large");
    }
    let bought = lines.iter().position(|line| line["command"] == "NewOrder").unwrap();
    let buy = &lines[bought];
    let sell = lines[bought + 1..].iter().find(|line| line["command"] == "NewOrder").unwrap();
    assert_eq!((&buy["origin"], &buy["account"]), (&json!("Rest"), &json!("alice")));
    let fields = &buy["fields"];
    assert_eq!(fields["instrument"], "BTCUSDT");
    assert_eq!(fields["price"], "100.00");
    assert_eq!(fields["size"], json!({"order_qty": "2.00000"}));
    assert_eq!(fields["time_in_force"], "Gtc");
    assert_eq!(fields["terms"], Value::Null);
    assert_eq!(sell["fields"]["side"], "Sell");
    let sealed: Vec<_> = lines.iter().filter(|line| line["command"] == "CreateKey").collect();
    assert!(!sealed.is_empty());
    assert!(sealed.iter().all(|key| key["fields"]["spec"]["sealed_secret"] == "(sealed)"));

    let sequence = buy["sequence"].to_string();
    let line = printed(&["log", "dump", data, "--from", &sequence, "--to", &sequence]);
    assert_eq!(line.lines().count(), 1, "{line}");
    let wanted = [" Rest alice NewOrder ", " price=100.00 ", " size.order_qty=2.00000"];
    assert!(wanted.iter().all(|part| line.contains(part)), "{line}");
    assert!(line.starts_with(&format!("{sequence} {}", buy["time"].as_str().unwrap())), "{line}");
    let from_time =
        json_lines(&["log", "dump", data, "--json", "--from", buy["time"].as_str().unwrap()]);
    // All commands of a batch have its time: the venue's own may stand beside the order.
    let from_then = lines.iter().position(|line| line["time"] == buy["time"]).unwrap();
    assert_eq!(from_time, lines[from_then..]);

    // The state between the two orders, by sequence and by time, and that at the end.
    let between = run_json(&["log", "state", data, "--json", "--until", &sequence]);
    assert_eq!(between["sequence"], buy["sequence"]);
    assert_eq!(between["instruments"][0]["bids"], json!([["100.00", "2.00000"]]));
    let alice = account(&between, "alice");
    let usdt = json!({"asset": "USDT", "free": "999800.00000000", "locked": "200.00000000"});
    assert_eq!(alice["balances"][0], usdt);
    assert_eq!(alice["open_orders"][0]["leaves_qty"], "2.00000");
    for time in [&buy["time"], &buy["sequenced_ns"]] {
        let by_time = ["log", "state", data, "--json", "--until", time.as_str().unwrap()];
        let then = run_json(&by_time);
        assert_eq!(then["time"], between["time"]);
        assert_eq!(then["instruments"], between["instruments"]);
        assert_eq!(then["accounts"], between["accounts"]);
    }
    // A time as the API prints it is the whole millisecond.
    let time_ns: u64 = buy["sequenced_ns"].as_str().unwrap().parse().unwrap();
    let time_ms = (time_ns / 1_000_000).to_string();
    let then = run_json(&["log", "state", data, "--json", "--until", &time_ms]);
    assert!(then["sequence"].as_u64() >= between["sequence"].as_u64(), "{then}");
    let from_ms = json_lines(&["log", "dump", data, "--json", "--from", &time_ms]);
    assert!(from_ms.iter().any(|line| line["sequence"] == buy["sequence"]), "{from_ms:?}");
    let end = run_json(&["log", "state", data, "--json"]);
    assert_eq!(end["instruments"][0]["bids"], json!([["100.00", "1.50000"]]));
    assert_eq!(account(&end, "alice")["open_orders"][0]["cum_qty"], "0.50000");
    assert_eq!(account(&end, "bob")["open_orders"], json!([]));
    let shown = printed(&["log", "state", data]);
    assert!(shown.contains("\nBTCUSDT (Continuous)\n  bid 100.00 1.50000\n"), "{shown}");
    assert!(
        shown.contains("\nalice\n  USDT free 999800.00000000 locked 150.00000000\n"),
        "{shown}"
    );
    assert!(contents(dir.path()) == before, "looking changes nothing");
}

fn account<'a>(state: &'a Value, name: &str) -> &'a Value {
    let accounts = state["accounts"].as_array().unwrap();
    accounts.iter().find(|account| account["account"] == name).unwrap()
}

/// Files and what is in them.
pub(crate) fn contents(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> =
        files_below(dir).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    files.sort();
    files
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tools_work_beside_a_venue_under_load() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let venue = Serving::start(&["--data", data, "--demo", "--snapshot-every", "200"]);
    let ended = Arc::new(AtomicBool::new(false));
    let traders = [0, 1, 0, 1, 0, 1, 0, 1].map(|account| {
        let (trader, ended) = (trader(&venue, data, account), Arc::clone(&ended));
        let side = [Side::Buy, Side::Sell][account];
        tokio::spawn(async move {
            while !ended.load(Ordering::Relaxed) {
                trader.place(&NewOrder::limit("BTCUSDT", side, "0.001", "60000")).await.unwrap();
            }
        })
    });
    let data_dir = data.to_owned();
    let looks = tokio::task::spawn_blocking(move || {
        let mut last = 0;
        while last < 3_000 {
            let report = printed(&["log", "verify", &data_dir]);
            assert!(report.ends_with("\nsound\n"), "{report}");
            let state = run_json(&["log", "state", &data_dir, "--json"]);
            let sequence = state["sequence"].as_u64().unwrap();
            let from = format!("{}", sequence - 20);
            let lines = json_lines(&["log", "dump", &data_dir, "--json", "--from", &from]);
            assert!(lines.len() > 20 && lines[0]["sequence"] == sequence - 20);
            assert!(sequence >= last, "what was there stays there");
            last = sequence;
        }
    });
    let looked = looks.await;
    ended.store(true, Ordering::Relaxed);
    for trader in traders {
        trader.await.unwrap();
    }
    looked.unwrap();
    venue.stop();
    assert!(printed(&["log", "verify", data]).contains("and the log leads to its state"));
}

/// The same venue with a log in segments of a few kilobytes, and the snapshots made to fit it.
fn in_small_segments(source: &Path, target: &Path) {
    retold(source, target, |_| {});
}

/// The same, with commands changed on the way.
fn retold(source: &Path, target: &Path, change: impl Fn(&mut Command)) {
    let options = Options {
        segment_size: SEGMENT_SIZE_MIN,
        durability: Durability::Os,
        ..Options::default()
    };
    let (mut log, _) = FileLog::open(&target.join("log"), options).unwrap();
    let recovered = log::inspect(&source.join("log")).unwrap();
    let mut reader = recovered.read_from(1).unwrap();
    let mut hashes = Vec::new();
    while let Some(frame) = reader.read().unwrap() {
        let header = frame.header;
        let batch = Batch {
            epoch: header.epoch,
            sequenced_ns: header.sequenced_ns,
            rules_version: header.rules_version,
            command_count: header.command_count,
            payload: changed(frame.payload, &change),
        };
        log.append(batch).unwrap();
        hashes.push(loop {
            if let Some(committed) = log.poll().unwrap() {
                break committed.hash;
            }
            std::thread::yield_now();
        });
    }
    log.close().unwrap();
    for (batch_number, path) in snapshot::files(&source.join("snapshots")).unwrap() {
        let chain_hash = hashes[batch_number as usize - 1];
        let fitting = Snapshot { chain_hash, ..snapshot::load(&path).unwrap() };
        snapshot::write(&target.join("snapshots"), &fitting).unwrap();
    }
}

fn changed(payload: &[u8], change: impl Fn(&mut Command)) -> Vec<u8> {
    let (mut rest, mut changed) = (Reader(payload), Vec::new());
    while !rest.is_empty() {
        let mut entry: Entry = rest.read().unwrap();
        change(&mut entry.command);
        entry.write(&mut changed);
    }
    changed
}

fn segments(data: &Path) -> Vec<PathBuf> {
    let mut files = files_below(&data.join("log"));
    files.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
    files.sort();
    files
}

/// A venue that has traded for a while and made snapshots on the way.
pub(crate) async fn long_lived(data: &Path) -> u64 {
    let venue =
        Serving::start(&["--data", text(data), "--demo", "--no-bots", "--snapshot-every", "20"]);
    let alice = trader(&venue, text(data), 0);
    let order = NewOrder::limit("ETHUSDT", Side::Buy, "0.1", "1000");
    for _ in 0..70 {
        alice.place(&order).await.unwrap();
    }
    // Snapshots are written beside the orders; the one of the stop comes behind another.
    while snapshot::files(&data.join("snapshots")).unwrap().is_empty() {
        alice.place(&order).await.unwrap();
    }
    alice.place(&order).await.unwrap();
    venue.stop();
    json_lines(&["log", "dump", text(data), "--json"]).len() as u64
}

#[tokio::test]
async fn what_is_older_than_the_log_is_refused_by_the_place_where_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, data] = ["whole", "data"].map(|name| dir.path().join(name));
    let commands = long_lived(&whole).await;
    in_small_segments(&whole, &data);
    let report = printed(&["log", "verify", text(&data)]);
    assert_eq!(report.matches("and the log leads to its state").count(), 2, "{report}");
    // Trimmed as far as the older snapshot allows.
    let oldest = snapshot::load(&files_below(&data.join("snapshots")).into_iter().min().unwrap());
    let oldest = oldest.unwrap();
    let segments = segments(&data);
    assert!(segments.len() > 3, "{segments:?}");
    for (segment, next) in segments.iter().zip(&segments[1..]) {
        if segment_first_batch(next) <= oldest.batch_number + 1 {
            fs::remove_file(segment).unwrap();
        }
    }
    let first_kept = oldest.sequence + 1;
    let report = printed(&["log", "verify", text(&data)]);
    assert!(
        report.contains(&format!("rebuilds   states from sequence {}, 2", oldest.sequence)),
        "{report}"
    );
    let refused = |args: &[&str]| {
        let sentence = run_refused(&[&["log"], args].concat());
        let place = format!("reach back to the state after sequence {}, 2", oldest.sequence);
        assert!(sentence.contains(&place), "{args:?}: {sentence}");
    };
    let data_text = text(&data);
    refused(&["dump", data_text, "--from", "1"]);
    refused(&["dump", data_text, "--from", &(first_kept - 1).to_string()]);
    refused(&["state", data_text, "--until", &(first_kept - 2).to_string()]);
    refused(&["state", data_text, "--until", "2026-01-01T00:00:00Z"]);

    let kept = json_lines(&["log", "dump", data_text, "--json"]);
    assert_eq!(kept[0]["sequence"], first_kept);
    assert_eq!(kept.len() as u64, commands - oldest.sequence);
    let same = ["--json", "--until", &first_kept.to_string()];
    let [from_whole, from_rest] =
        [text(&whole), data_text].map(|of| run_json(&[&["log", "state", of], &same[..]].concat()));
    assert_eq!(from_whole["accounts"], from_rest["accounts"]);

    // Without its snapshots a trimmed log leads nowhere, and its commands have no sequence.
    fs::remove_dir_all(data.join("snapshots")).unwrap();
    for tool in ["verify", "dump", "state"] {
        let sentence = run_refused(&["log", tool, data_text]);
        assert!(sentence.contains("no sound snapshot holds what came before"), "{sentence}");
    }
}

fn segment_first_batch(segment: &Path) -> u64 {
    segment.file_stem().unwrap().to_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn each_wrong_input_has_its_own_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, data] = ["whole", "data"].map(|name| dir.path().join(name));
    let commands = long_lived(&whole).await;
    in_small_segments(&whole, &data);
    let data_text = text(&data);
    let check = |args: &[&str], words: &[&str]| {
        let before = contents(&data);
        let sentence = run_refused(&[&["log"], args].concat());
        assert!(words.iter().all(|word| sentence.contains(word)), "{args:?}: {sentence}");
        assert!(contents(&data) == before, "{args:?} changed something");
    };
    let everywhere = |folder: &Path, words: &[&str]| {
        for tool in ["verify", "dump", "state"] {
            check(&[tool, text(folder)], words);
        }
    };

    everywhere(Path::new("/nowhere"), &["no folder /nowhere", "serve --data"]);
    let file = dir.path().join("file");
    fs::write(&file, "text").unwrap();
    everywhere(&file, &["is a file", text(&file)]);
    let empty = dir.path().join("empty");
    fs::create_dir(&empty).unwrap();
    everywhere(&empty, &["no venue in", text(&empty)]);

    let last = commands.to_string();
    let beyond = (commands + 1).to_string();
    check(&["state", data_text, "--until", &beyond], &["beyond the end", &last]);
    check(&["state", data_text, "--until", "2099-01-01T00:00:00Z"], &["beyond the end", "2099-"]);
    let early = ["2026-01-01T00:00:00Z", "1767225600000", "1767225600000000000"];
    for time in early {
        let expected = ["2026-01-01T00", "before the venue's first command", "name that time"];
        check(&["state", data_text, "--until", time], &expected);
        check(&["dump", data_text, "--to", time], &expected);
    }
    check(&["dump", data_text, "--from", &beyond], &["beyond the end", &last]);
    check(&["dump", data_text, "--to", &beyond], &["beyond the end", &last]);
    check(&["dump", data_text, "--from", "9", "--to", "8"], &["sequence 9", "after", "exchange"]);
    let output = run(&["log", "state", data_text, "--until", "yesterday"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("neither a sequence"));

    let segments = segments(&data);
    let foreign = data.join("log/notes.log");
    fs::write(&foreign, "text").unwrap();
    everywhere(&data, &["not a segment", text(&foreign), "move it elsewhere"]);
    fs::remove_file(foreign).unwrap();

    let middle = &segments[2];
    let sound = fs::read(middle).unwrap();
    fs::remove_file(middle).unwrap();
    let first = segment_first_batch(middle);
    everywhere(&data, &["are missing", &first.to_string(), text(&segments[3])]);
    let mut damaged = sound.clone();
    damaged[200] ^= 1;
    fs::write(middle, &damaged).unwrap();
    everywhere(&data, &["damaged at byte 56", text(middle), &first.to_string()]);
    let mut newer = sound.clone();
    newer[8] += 1;
    let checksum = *blake3::hash(&newer[..40]).as_bytes();
    newer[40..56].copy_from_slice(&checksum[..16]);
    fs::write(middle, &newer).unwrap();
    everywhere(&data, &["format version 2", text(middle), "later build"]);
    fs::write(middle, &sound).unwrap();

    // Snapshots: damaged, of another venue, of a log that is not all there.
    let snapshots = files_below(&data.join("snapshots"));
    let newest = snapshots.iter().max().unwrap();
    let sound = fs::read(newest).unwrap();
    let mut damaged = sound.clone();
    damaged[300] ^= 1;
    fs::write(newest, &damaged).unwrap();
    check(&["verify", data_text], &["damaged at byte", text(newest)]);
    assert!(printed(&["log", "dump", data_text]).lines().count() as u64 == commands);
    let other = snapshot::load(snapshots.iter().min().unwrap()).unwrap();
    let batch_number = snapshot_batch(newest);
    fs::remove_dir_all(data.join("snapshots")).unwrap();
    snapshot::write(&data.join("snapshots"), &Snapshot { batch_number, ..other.clone() }).unwrap();
    check(&["state", data_text], &["another log", text(newest)]);
    check(&["verify", data_text], &["another log", text(newest)]);
    fs::remove_dir_all(data.join("snapshots")).unwrap();
    snapshot::write(&data.join("snapshots"), &Snapshot { batch_number: 9_999, ..other }).unwrap();
    check(&["state", data_text], &["the log ends at batch", "9999", "newest segments are missing"]);
    check(&["verify", data_text], &["9999"]);
}

#[tokio::test]
async fn every_damaged_place_of_a_log_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, data] = ["whole", "data"].map(|name| dir.path().join(name));
    long_lived(&whole).await;
    in_small_segments(&whole, &data);
    let segments = segments(&data);
    let [first, second, .., last] = segments.as_slice() else { panic!("{segments:?}") };
    // Frames as the log says where they are: of the first file the second and the fourth, the
    // header of the second file and the first frame behind it.
    let offsets = frame_offsets(&data);
    let in_file = |file: &Path| -> Vec<u64> {
        let mine = offsets.iter().filter(|(path, ..)| path == file);
        mine.map(|(_, offset)| *offset).collect()
    };
    let places = [
        (first, in_file(first)[1]),
        (first, in_file(first)[3]),
        (second, 0),
        (second, in_file(second)[0]),
    ];
    for (file, offset) in places {
        let mut bytes = fs::read(file).unwrap();
        bytes[offset as usize + 20] ^= 1;
        fs::write(file, bytes).unwrap();
    }
    // The end of the newest one is as a crash leaves it, and no damage.
    let end = offsets.last().unwrap().1 as usize;
    let mut bytes = fs::read(last).unwrap();
    bytes[end + 20] ^= 1;
    fs::write(last, bytes).unwrap();

    let before = contents(&data);
    let output = run(&["log", "verify", text(&data)]);
    assert_eq!(output.status.code(), Some(1));
    let report = String::from_utf8(output.stdout).unwrap();
    let told: Vec<_> = report.lines().filter(|line| line.starts_with("problem ")).collect();
    assert_eq!(told.len(), places.len(), "{report}");
    for (line, (file, offset)) in told.iter().zip(places) {
        let place = format!("{} is damaged at byte {offset}, batch ", file.display());
        assert!(line.contains(&place), "{line}, and not {place}");
    }
    assert!(contents(&data) == before, "looking changes nothing");
}

/// Where each frame of a log lies.
fn frame_offsets(data: &Path) -> Vec<(PathBuf, u64)> {
    let recovered = log::inspect(&data.join("log")).unwrap();
    let mut reader = recovered.read_from(1).unwrap();
    let mut offsets = Vec::new();
    while reader.read().unwrap().is_some() {
        let (file, offset) = reader.place().unwrap();
        offsets.push((file.to_path_buf(), offset));
    }
    offsets
}

fn snapshot_batch(path: &Path) -> u64 {
    segment_first_batch(path)
}

#[tokio::test]
async fn a_state_that_the_log_does_not_lead_to_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    traded(data).await;
    let file = files_below(&dir.path().join("snapshots")).into_iter().max().unwrap();
    let snapshot = snapshot::load(&file).unwrap();
    // Well-formed and sound by itself, but one balance is a cent higher.
    let mut forged = snapshot.clone();
    let engine = forged.sections.iter_mut().find(|section| section.name == "engine").unwrap();
    let amount = 150_00000000_i128.to_le_bytes();
    let at = engine.payload.windows(16).position(|bytes| bytes == amount).unwrap();
    engine.payload[at] += 1;
    forged.state_hash = *blake3::hash(&engine.payload).as_bytes();
    fs::remove_file(&file).unwrap();
    snapshot::write(file.parent().unwrap(), &forged).unwrap();
    let sentence = run_refused(&["log", "verify", data]);
    assert!(sentence.contains(text(&file)), "{sentence}");
}

#[tokio::test]
async fn a_log_that_does_not_lead_to_the_hashes_in_it_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, data] = ["whole", "data"].map(|name| dir.path().join(name));
    long_lived(&whole).await;
    retold(&whole, &data, |command| {
        if let Command::StateHash(claim) = command {
            claim.state_hash[7] ^= 1;
        }
    });
    let sentence = run_refused(&["log", "verify", text(&data)]);
    assert!(sentence.contains("than the replay"), "{sentence}");
}

#[tokio::test]
async fn an_unfinished_write_at_the_end_is_reported_and_is_no_problem() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    traded(data).await;
    let end = log::inspect(&dir.path().join("log")).unwrap().files().last().unwrap().end.unwrap();
    let segment = segments(dir.path()).remove(0);
    let mut bytes = fs::read(&segment).unwrap();
    bytes[end as usize..][..9].copy_from_slice(b"BWL1 torn");
    fs::write(&segment, &bytes).unwrap();
    let report = printed(&["log", "verify", data]);
    let told = format!("9 bytes of an unfinished write at byte {end} of {}", segment.display());
    assert!(report.contains(&told) && report.ends_with("\nsound\n"), "{report}");
}

#[tokio::test]
async fn a_folder_that_may_not_be_read_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    traded(text(&data)).await;
    let nobody = ["--reuid", "65534", "--clear-groups", env!("CARGO_BIN_EXE_buttonwood")];
    let run_as_nobody =
        |args: &[&str]| std::process::Command::new("setpriv").args(nobody).args(args).output();
    match run_as_nobody(&["--version"]) {
        Ok(output) if output.status.success() => {}
        _ => return eprintln!("SKIPPED: there is no `setpriv` to become another user with"),
    }
    let output = run_as_nobody(&["log", "verify", text(&data)]).unwrap();
    let sentence = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{sentence}");
    assert!(
        sentence.contains("ermission denied") && sentence.contains("run this as"),
        "{sentence}"
    );
}

#[tokio::test]
async fn an_export_has_each_order_each_trade_and_all_balances() {
    let dir = tempfile::tempdir().unwrap();
    let [data, out] = ["data", "out"].map(|name| dir.path().join(name));
    let (data, out_text) = (text(&data), text(&out));
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let [alice, bob] = [0, 1].map(|account| trader(&venue, data, account));
    alice.place(&NewOrder::limit("BTCUSDT", Side::Buy, "2", "100")).await.unwrap();
    bob.place(&NewOrder::limit("BTCUSDT", Side::Sell, "0.5", "99")).await.unwrap();
    alice.place(&NewOrder::post_only("ETHUSDT", Side::Buy, "1", "10")).await.unwrap();
    alice.cancel_all("ETHUSDT").await.unwrap();
    run_json(&["admin", "--data", data, "bust", "BTCUSDT", "1", "alice", "bob"]);
    run_json(&["admin", "--data", data, "withdraw", "bob", "USDT", "7.5", "--ref", "wire-9"]);
    // One that left, and others that did not.
    let withdrawal = ["admin", "--data", data, "withdrawal"];
    for step in [
        "request bob USDT 2 --ref wire-10",
        "request bob USDT 3 --ref wire-11",
        "request bob USDT 4 --ref wire-12",
        "cancel bob --ref wire-11",
        "confirm bob --ref wire-12",
    ] {
        run_json(&[&withdrawal[..], &step.split(' ').collect::<Vec<_>>()].concat());
    }
    let done = run_json(&["log", "export", data, "--out", out_text]);
    venue.stop();
    assert_eq!(done["format"], 1);
    for file in files_below(&out) {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    for (name, count) in [("orders", 3), ("trades", 1), ("adjustments", 1)] {
        assert_eq!(done["rows"][name], count, "{name}");
    }

    let orders = table(&out.join("orders.csv"));
    let check = |row: usize, columns: &[&str], wanted: &[&str]| {
        let found: Vec<_> = columns.iter().map(|column| orders[row][*column].as_str()).collect();
        assert_eq!(found, wanted, "order {row}");
    };
    let columns =
        ["account", "side", "price", "order_qty", "cum_qty", "leaves_qty", "status", "cause"];
    check(0, &columns, &["bob", "Sell", "99.00", "0.50000", "0.50000", "0.00000", "Filled", ""]);
    check(
        1,
        &columns,
        &["alice", "Buy", "10.00", "1.0000", "0.0000", "0.0000", "Canceled", "CancelAll"],
    );
    check(
        2,
        &columns,
        &["alice", "Buy", "100.00", "2.00000", "0.50000", "1.50000", "PartiallyFilled", ""],
    );
    let trade = &table(&out.join("trades.csv"))[0];
    assert_eq!(trade["buyer"], "alice");
    assert_eq!((trade["price"].as_str(), trade["qty"].as_str()), ("100.00", "0.50000"));
    assert_eq!(
        (trade["quote_qty"].as_str(), trade["aggressor_side"].as_str()),
        ("50.00000000", "Sell")
    );
    assert_eq!(
        (trade["buyer_fee"].as_str(), trade["buyer_fee_asset"].as_str()),
        ("0.00050000", "BTC")
    );
    let bust = &table(&out.join("adjustments.csv"))[0];
    assert_eq!((bust["kind"].as_str(), bust["seller_quote"].as_str()), ("Busted", "-49.95000000"));
    let transfers = table(&out.join("transfers.csv"));
    assert_eq!(done["rows"]["transfers"], transfers.len());
    let columns = ["kind", "account", "asset", "amount", "free", "external_ref"];
    let of_row = |row: &Row| columns.map(|column| row[column].clone());
    let deposit =
        ["Deposited", "alice", "USDT", "1000000.00000000", "1000000.00000000", "demo-USDT"];
    assert!(transfers.iter().any(|row| of_row(row) == deposit), "{transfers:?}");
    let [.., before, last] = &transfers[..] else { panic!("{transfers:?}") };
    let withdrawal = ["Withdrawn", "bob", "USDT", "7.50000000", "999992.50000000", "wire-9"];
    assert_eq!(of_row(before), withdrawal);
    let completed = ["Withdrawn", "bob", "USDT", "4.00000000", "999986.50000000", "wire-12"];
    assert_eq!(of_row(last), completed);
    let parquet = dir.path().join("parquet");
    run_json(&["log", "export", data, "--out", text(&parquet), "--format", "parquet"]);
    let rows = parquet_table(&parquet.join("transfers.parquet"));
    assert_eq!(
        rows.iter().map(of_row).collect::<Vec<_>>(),
        transfers.iter().map(of_row).collect::<Vec<_>>()
    );
    assert_eq!(rows.last().unwrap()["sequence"], last["sequence"]);

    let balances = table(&out.join("balances.csv"));
    assert_eq!(done["rows"]["balances"], balances.len());
    let of_alice = |row: &&_| row_says(row, "account", "alice") && row_says(row, "asset", "USDT");
    let alice = balances.iter().find(of_alice).unwrap();
    assert_eq!(
        (alice["locked"].as_str(), alice["total"].as_str()),
        ("150.00000000", "1000000.00000000")
    );

    // An order that is open at the beginning of the range is in it, without the command it came by.
    let from = orders[0]["sequence"].clone();
    let rest = dir.path().join("rest");
    let done = run_json(&["log", "export", data, "--out", text(&rest), "--from", &from]);
    assert_eq!(done["first_sequence"].to_string(), from);
    assert_eq!(table(&rest.join("orders.csv"))[2]["sequence"], "");

    let before = contents(&out);
    let sentence = run_refused(&["log", "export", data, "--out", out_text]);
    assert!(sentence.contains("not empty") && sentence.contains(out_text), "{sentence}");
    let file = out.join("orders.csv");
    let sentence = run_refused(&["log", "export", data, "--out", text(&file)]);
    assert!(sentence.contains(text(&file)), "{sentence}");
    assert!(contents(&out) == before);
}

type Row = std::collections::BTreeMap<String, String>;

fn row_says(row: &Row, column: &str, value: &str) -> bool {
    row[column] == value
}

/// The rows of a CSV file by their columns' names.
fn table(path: &Path) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The same of a Parquet file.
fn parquet_table(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let shown = |field: &Field| match field {
        Field::Str(text) => text.clone(),
        field => field.to_string(),
    };
    let row = |row: parquet::record::Row| {
        row.get_column_iter().map(|(name, field)| (name.clone(), shown(field))).collect()
    };
    reader.into_iter().map(|found| row(found.unwrap())).collect()
}
