//! Settings, errors and odd circumstances of a start, as an operator meets them.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::process::{Serving, command, run, run_json, run_refused, text};

/// A start that ends before it opens a venue.
fn serve_with(args: &[&str], variables: &[(&str, &str)]) -> Output {
    let args = [&["serve", "--data", "/nowhere/data"], args].concat();
    let http = ("BUTTONWOOD_HTTP", "127.0.0.1:0");
    command(&args).envs([http]).envs(variables.iter().copied()).output().unwrap()
}

#[track_caller]
fn check_refused(args: &[&str], variables: &[(&str, &str)], expected: &str) {
    let output = serve_with(args, variables);
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{sentence}");
    assert_eq!(sentence.trim_end().lines().count(), 1, "{sentence}");
    assert!(sentence.contains(expected), "{args:?} {variables:?}: {sentence}");
    assert!(!sentence.contains("default.") && !sentence.contains(".rs"), "{sentence}");
}

#[test]
fn a_mistyped_variable_stops_the_start_and_names_the_nearest() {
    for (name, near) in [
        ("BUTTONWOOD_DATA", "did you mean BUTTONWOOD_DATA_DIR?"),
        ("BUTTONWOOD_DURABILTY", "did you mean BUTTONWOOD_DURABILITY?"),
        ("BUTTONWOOD_ZZZZZZZZ", "--help"),
    ] {
        check_refused(&[], &[(name, "os")], &format!("unknown variable {name}: "));
        check_refused(&[], &[(name, "os")], near);
    }
    // The next obstacle is the missing key, so these variables are none.
    let variables = [
        ("BUTTONWOOD_SERVICE_HOST", "10.0.0.1"),
        ("BUTTONWOOD_SERVICE_PORT_HTTP", "8080"),
        ("BUTTONWOOD_PORT", "tcp://10.0.0.1:8080"),
        ("BUTTONWOOD_PORT_8080_TCP", "tcp://10.0.0.1:8080"),
        ("BUTTONWOOD_PORT_8080_TCP_ADDR", "10.0.0.1"),
        ("BUTTONWOOD_CRASH_ROUNDS", "5"),
        ("BUTTONWOOD_POWER_SEED", "5"),
        ("BUTTONWOOD_BINARY", "target/debug/buttonwood"),
        ("BUTTONWOOD_DIST", "dist"),
        ("BUTTONWOOD_URL", "http://127.0.0.1:8080"),
    ];
    check_refused(&[], &variables, "master key");
}

#[test]
fn a_wrong_value_is_named_with_the_place_that_it_came_from() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("b.toml");
    let check_file = |content: &str, expected: &str| {
        fs::write(&file, content).unwrap();
        check_refused(&["--config", text(&file)], &[], expected);
    };
    check_file(
        "\n[log]\nsegment_kib = \"x\"\n",
        "b.toml:3: log.segment_kib must be a whole number",
    );
    check_file("snapshot_every = 0\n", "b.toml:1: snapshot_every)");
    check_file("\nhtpt = 1\n", "b.toml:2: unknown key `htpt`: did you mean `http`?");
    check_file("demo = yes\n", "b.toml:1: ");
    let durability = "BUTTONWOOD_DURABILITY must be `fsync`, `os` or `memory`, and is `disk`";
    check_refused(&[], &[("BUTTONWOOD_DURABILITY", "disk")], durability);
    let overload = "(from BUTTONWOOD_OVERLOAD_MS)";
    check_refused(&[], &[("BUTTONWOOD_OVERLOAD_MS", "99999")], overload);
    check_refused(&["--http", "8080"], &[], "--http must be an address with a port");
    let level = [("BUTTONWOOD_LOG_LEVEL", "loud")];
    check_refused(&[], &level, "the log level `loud` is none of");
}

/// Other users of the machine see command lines, and files of settings are copied about.
#[test]
fn the_master_key_itself_is_taken_from_its_variable_only() {
    let dir = tempfile::tempdir().unwrap();
    let key = "0123456789abcdef".repeat(4);
    let refusal = "master_key is the key itself, which others can see there: name a file";
    check_refused(&["--master-key", &key], &[], refusal);
    check_refused(&["--master-key", &key], &[], "(from --master-key)");
    let file = dir.path().join("b.toml");
    fs::write(&file, format!("\nmaster_key = \"{key}\"\n")).unwrap();
    check_refused(&["--config", text(&file)], &[], "b.toml:2: master_key)");

    let data = text(dir.path());
    let refused = run(&["admin", "--data", data, "--master-key", &key, "asset", "list"]);
    let sentence = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{sentence}");
    assert!(sentence.contains(refusal) && !sentence.contains(&key), "{sentence}");

    // The next obstacle is the empty folder, so the variable may hold it.
    let mut list = command(&["admin", "--data", data, "asset", "list"]);
    let output = list.env("BUTTONWOOD_MASTER_KEY", &key).output().unwrap();
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(sentence.contains("there is no venue in"), "{sentence}");
}

#[test]
fn addresses_may_name_a_host_or_only_a_port() {
    let dir = tempfile::tempdir().unwrap();
    for (at, address) in ["localhost:0", ":0"].into_iter().enumerate() {
        let data = dir.path().join(at.to_string());
        let args = ["serve", "--data", text(&data), "--demo", "--no-bots", "--http", address];
        let mut process = command(&args).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        let bound = lines.find_map(|line| line.strip_prefix("ready http://").map(str::to_owned));
        let bound = bound.unwrap();
        assert!(bound.starts_with("127.0.0.1:"), "{bound}");
        TcpStream::connect(&bound).unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }
}

#[test]
fn a_venue_makes_its_admin_socket_again() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let socket = dir.path().join("admin.sock");
    for replace in [false, true] {
        fs::remove_file(&socket).unwrap();
        if replace {
            fs::write(&socket, "not a socket").unwrap();
        }
        // The command itself waits until the venue has its socket again.
        let assets = run_json(&["admin", "--data", data, "asset", "list"]);
        assert_eq!(assets.as_array().map(Vec::len), Some(3), "{assets}");
    }
    venue.stop();
    assert!(!socket.exists());
}

/// A tool that has the folder is no venue: it makes no socket.
#[test]
fn a_folder_that_another_process_has_is_named_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    Serving::start(&["--data", data, "--demo", "--no-bots"]).stop();
    let _lock = log::DataDirLock::acquire(dir.path()).unwrap();
    let sentence = run_refused(&["admin", "--data", data, "asset", "list"]);
    let process = format!("process {}", std::process::id());
    for part in [process.as_str(), "admin.sock", "try again"] {
        assert!(sentence.contains(part), "{sentence}");
    }
}

#[test]
fn a_file_of_a_later_build_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    Serving::start(&["--data", data, "--demo", "--no-bots"]).stop();
    for (folder, extension) in [("log", "log"), ("snapshots", "snapshot")] {
        let mut files: Vec<_> = fs::read_dir(dir.path().join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .collect();
        files.sort();
        let Some(file) = files.last() else { panic!("no {extension}") };
        let sound = fs::read(file).unwrap();
        let mut later = sound.clone();
        later[8] = 2;
        fs::write(file, later).unwrap();
        let sentence =
            run_refused(&["serve", "--http", "127.0.0.1:0", "--data", data, "--demo", "--no-bots"]);
        let expected = [text(file), "made by a later build", "format version 2"];
        assert!(expected.iter().all(|part| sentence.contains(part)), "{sentence}");
        fs::write(file, sound).unwrap();
    }
    Serving::start(&["--data", data, "--demo", "--no-bots"]).stop();
}

#[test]
fn the_access_record_names_the_parameters_at_fault() {
    let dir = tempfile::tempdir().unwrap();
    let venue = Serving::start(&["--data", text(dir.path()), "--demo", "--no-bots"]);
    let address = venue.url.strip_prefix("http://").unwrap();
    let get = |path: &str| {
        let mut socket = TcpStream::connect(address).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        socket.write_all(head.as_bytes()).unwrap();
        let mut reply = String::new();
        socket.read_to_string(&mut reply).unwrap();
        assert!(reply.starts_with("HTTP/1.1 400"), "{reply}");
        reply
    };
    let reply = get("/api/v3/depth?symbol=BTCUSDT&speed=1&colour=2");
    assert!(!reply.contains("colour"), "{reply}");
    get("/api/v3/depth?symbol=BTCUSDT&limit=5&limit=6");
    get("/api/v3/depth?symbol=BTCUSDT&limit=x");
    venue.stop();
    let record = fs::read_to_string(dir.path().join("access.jsonl")).unwrap();
    let lines: Vec<Value> =
        record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = [(-1104, "('colour', 'speed')"), (-1101, "('limit')"), (-1100, "'limit'")];
    assert_eq!(lines.len(), expected.len(), "{record}");
    for (line, (code, name)) in lines.iter().zip(expected) {
        assert_eq!(line["code"], code);
        assert!(line["reason"].as_str().unwrap().contains(name), "{line}");
    }
}

/// The recipe of docs/operations.md: a venue in memory is set up while it runs.
#[test]
fn a_venue_in_memory_is_set_up_through_its_socket() {
    let dir = tempfile::tempdir().unwrap();
    let (data, key) = (dir.path().join("data"), dir.path().join("master.key"));
    fs::create_dir(&data).unwrap();
    let data = text(&data);
    assert!(run(&["admin", "new-master-key", text(&key)]).status.success());
    let start = ["--durability", "memory", "--data", data, "--master-key", text(&key)];
    for _ in 0..2 {
        let venue = Serving::start(&start);
        let admin = |args: &[&str]| run_json(&[&["admin", "--data", data], args].concat());
        assert_eq!(admin(&["asset", "list"]), json!([]), "nothing is kept");
        admin(&["asset", "add", "EUR", "--decimals", "8"]);
        admin(&["account", "add", "carol"]);
        admin(&["deposit", "carol", "EUR", "5", "--ref", "bank-1"]);
        assert_eq!(admin(&["asset", "list"]).as_array().map(Vec::len), Some(1));
        venue.stop();
    }
    // Before the start the same command would make a log, which the venue in memory refuses.
    run_json(&["admin", "--data", data, "asset", "add", "EUR", "--decimals", "8"]);
    let sentence = run_refused(&[&["serve", "--http", "127.0.0.1:0"], &start[..]].concat());
    assert!(sentence.contains("durable log") && sentence.contains("after its start"), "{sentence}");
}

#[test]
fn the_level_of_the_log_is_changed_while_a_venue_runs() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let logged = |level: &str| {
        let shown = run_json(&["admin", "--data", data, "log-level", level]);
        assert_eq!(shown["level"], level);
    };
    let file = dir.path().join("stderr.txt");
    let args = ["serve", "--http", "127.0.0.1:0", "--demo", "--no-bots", "--log-level", "warn"];
    let mut serve = command(&[&args[..], &["--data", data]].concat());
    serve.stderr(fs::File::create(&file).unwrap());
    let venue = Serving::ready(serve);
    logged("info");
    let refused = run(&["admin", "--data", data, "log-level", "loud"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`loud` is none of off"));
    venue.stop();
    let lines = fs::read_to_string(&file).unwrap();
    assert!(!lines.contains("venue open") && lines.contains("stopping"), "{lines}");
    let stopped = run(&["admin", "--data", data, "log-level", "info"]);
    assert!(String::from_utf8_lossy(&stopped.stderr).contains("give its next start --log-level"));
}

#[test]
fn lines_of_the_log_have_no_colours_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["serve", "--http", "127.0.0.1:0", "--demo", "--no-bots", "--log-level", "info"];
    let args = [&args[..], &["--data", text(dir.path())]].concat();
    let file = dir.path().join("stderr.txt");
    let mut process = command(&args)
        .stdout(Stdio::piped())
        .stderr(fs::File::create(&file).unwrap())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("ready ")));
    process.kill().unwrap();
    process.wait().unwrap();
    let lines = fs::read_to_string(&file).unwrap();
    assert!(lines.contains("venue open"), "{lines}");
    assert!(!lines.contains('\u{1b}'), "{lines:?}");
}
