//! `backup` and `restore`, beside a venue that runs and on folders with something wrong in them.

use std::fs;
use std::path::Path;

use client::NewOrder;
use types::Side;

use crate::history::{contents, printed};
use crate::operator::trader;
use crate::process::{Serving, run_json, run_refused, text};
use crate::serve::files_below;

#[tokio::test]
async fn a_venue_is_backed_up_while_it_trades_added_to_and_brought_back() {
    let dir = tempfile::tempdir().unwrap();
    let [data, backup, back] = ["data", "backup", "back"].map(|name| dir.path().join(name));
    let [data, backup, back] = [&data, &backup, &back].map(|path| text(path));
    let venue = Serving::start(&["--data", data, "--demo", "--snapshot-every", "30"]);
    let alice = trader(&venue, data, 0);
    let order = NewOrder::limit("ETHUSDT", Side::Buy, "0.1", "1000");
    for _ in 0..50 {
        alice.place(&order).await.unwrap();
    }
    let first = printed(&["backup", data, backup]);
    assert!(first.contains("checked; it holds the venue up to batch"), "{first}");
    let size = copied_bytes(&first);
    let kept = run_json(&["log", "state", backup, "--json"]);
    assert_eq!(kept["sequence"].as_u64(), Some(number_after(&first, "(sequence ")));

    // Only what is new is copied, behind what is there already.
    for _ in 0..5 {
        alice.place(&order).await.unwrap();
    }
    let before = fs::read(segment(backup)).unwrap();
    let second = printed(&["backup", data, backup]);
    assert!(copied_bytes(&second) < size, "{second} after {first}");
    assert!(fs::read(segment(backup)).unwrap().starts_with(&before));
    assert!(number_after(&second, "(sequence ") >= number_after(&first, "(sequence ") + 5);
    assert!(printed(&["log", "verify", backup]).ends_with("\nsound\n"));
    for _ in 0..5 {
        alice.place(&order).await.unwrap();
    }
    // A copy that was cut short is gone on from.
    let mut torn = fs::read(segment(backup)).unwrap();
    let whole = torn.len();
    torn.extend(b"BWL1 and then the machine stopped");
    fs::write(segment(backup), &torn).unwrap();
    let third = printed(&["backup", data, backup]);
    assert!(fs::metadata(segment(backup)).unwrap().len() > whole as u64);
    venue.stop();

    let restored = printed(&["restore", backup, back]);
    assert_eq!(number_after(&restored, "(sequence "), number_after(&third, "(sequence "));
    let [from_backup, from_back, from_data] = [
        run_json(&["log", "state", backup, "--json"]),
        run_json(&["log", "state", back, "--json"]),
        run_json(&[
            "log",
            "state",
            data,
            "--json",
            "--until",
            &number_after(&third, "(sequence ").to_string(),
        ]),
    ];
    assert_eq!(from_backup, from_back);
    assert_eq!(from_backup, from_data);

    // The read model is no part of a backup, and is made from the log that came back.
    let last = number_after(&restored, "(sequence ");
    let rebuilt = printed(&["projection", "rebuild", back]);
    assert!(rebuilt.trim_end().ends_with(&format!("commands 1 to {last}")), "{rebuilt}");
    let audit = |data: &str| {
        let until = last.to_string();
        run_json(&[
            "admin", "audit", "--json", "--limit", "1000", "--until", &until, "--data", data,
        ])
    };
    assert_eq!(audit(back), audit(data));
    assert!(!audit(back).as_array().unwrap().is_empty());

    // It goes on from there, and can be backed up again into the same place.
    fs::copy(format!("{data}/demo.json"), format!("{back}/demo.json")).unwrap();
    let venue = Serving::start(&["--data", back, "--no-bots"]);
    let open = trader(&venue, back, 0).open_orders(Some("ETHUSDT")).await.unwrap();
    assert!(open.len() >= 60, "{}", open.len());
    trader(&venue, back, 0).place(&order).await.unwrap();
    printed(&["backup", back, backup]);
    venue.stop();
    let status = printed(&["projection", "status", back]);
    assert!(status.starts_with("commands 1 to ") && !status.contains("missing"), "{status}");
    assert!(printed(&["log", "verify", back]).ends_with("\nsound\n"));

    // The first venue has gone another way since.
    let sentence = run_refused(&["backup", data, backup]);
    assert!(sentence.contains("another venue") && sentence.contains(backup), "{sentence}");
}

fn segment(folder: &str) -> String {
    format!("{folder}/log/00000000000000000001.log")
}

fn number_after(text: &str, words: &str) -> u64 {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("no {words:?} in {text}"));
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

fn copied_bytes(text: &str) -> u64 {
    number_after(text, ": ")
}

#[tokio::test]
async fn what_is_no_backup_is_not_brought_back() {
    let dir = tempfile::tempdir().unwrap();
    let [data, backup, other] = ["data", "backup", "other"].map(|name| dir.path().join(name));
    crate::history::traded(text(&data)).await;
    printed(&["backup", text(&data), text(&backup)]);
    let before = contents(dir.path());
    let check = |args: &[&str], words: &[&str]| {
        let sentence = run_refused(args);
        assert!(words.iter().all(|word| sentence.contains(word)), "{args:?}: {sentence}");
    };
    check(&["restore", text(&data), text(&other)], &["no backup", text(&data), "backup.json"]);
    check(&["restore", "/nowhere", text(&other)], &["no backup", "/nowhere"]);
    check(&["restore", text(&backup), text(&data)], &["not empty", text(&data)]);
    check(&["backup", "/nowhere", text(&other)], &["no folder /nowhere"]);
    check(&["backup", text(&data), text(&data)], &["no backup", text(&data)]);
    let file = data.join("demo.json");
    check(&["restore", text(&backup), text(&file)], &[text(&file), "Not a directory"]);
    assert!(contents(dir.path()) == before && !other.exists(), "nothing was changed");

    let mark = backup.join("backup.json");
    fs::write(&mark, "{\"format\":2}").unwrap();
    check(&["restore", text(&backup), text(&other)], &["format 2", text(&mark), "newer version"]);
    fs::write(&mark, "?").unwrap();
    check(&["restore", text(&backup), text(&other)], &["which format", text(&mark)]);
    fs::write(&mark, "{\"format\":1}").unwrap();
    let segment = files_below(&backup.join("log")).remove(0);
    let mut bytes = fs::read(&segment).unwrap();
    bytes[500] ^= 1;
    fs::write(&segment, &bytes).unwrap();
    check(&["restore", text(&backup), text(&other)], &["damaged at byte", text(&segment)]);
    assert!(!other.exists());

    // Of another venue.
    let stranger = dir.path().join("stranger");
    crate::history::traded(text(&stranger)).await;
    let second = dir.path().join("second");
    printed(&["backup", text(&data), text(&second)]);
    let before = contents(&second);
    check(&["backup", text(&stranger), text(&second)], &["another venue", text(&second)]);
    assert!(contents(&second) == before);
    assert!(Path::new(&second).join("snapshots").is_dir());
}
