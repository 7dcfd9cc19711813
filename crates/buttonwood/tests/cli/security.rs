//! Keys, the master key and what is encrypted, through the binary.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use client::{Client, NewOrder};
use serde_json::{Value, json};
use tempfile::TempDir;
use types::Side;

use crate::process::{BINARY, Serving, command, run, run_json, run_refused, text};
use crate::serve::files_below;

// The examples of Binance's documentation.
const ED25519: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAgmDRTtj2FA+wzJUIlAL9ly1eovjLBu7uXUFR+jFULmg=
-----END PUBLIC KEY-----
";
const RSA: &str = "-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyfKiFXpcOhF5rX1XxePN
akwN7Etwtn3v05cZNY+ftDHbVZHs/kY6Ruj5lhxVFAq5dv7Ba9/4jPijXuMuIc6Y
8nUlqtrrxC8DEOAczw9SKATDYZN9nbLfYlbBFfHzRQUXdAtYCPI6XtxmJBS7aOBb
4nZe1SVm+bhLrp0YQnx2P0s+37qkGeVn09m6w9MnWxjgCkkYFPWQkXIu5qOnwx6p
NfqDmFD7d7dUc/6PZQ1bKFALu/UETsobmBk82ShbrBhlc0JXuhf9qBR7QASjHjFQ
2N+VF2PfH8dm5prZIpz/MFKPkBW4Yuss0OXiD+jQt1J2JUKspLqsIqoXjHQQGjL7
3wIDAQAB
-----END PUBLIC KEY-----
";

/// A venue with a market and an account, and a master key beside its folder.
struct House {
    dir: TempDir,
}

impl House {
    fn new() -> Self {
        let house = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(house.data()).unwrap();
        assert!(run(&["admin", "new-master-key", text(&house.file("first.key"))]).status.success());
        for line in [
            "asset add EUR",
            "asset add KWH",
            "instrument add KWHEUR --base KWH --quote EUR --tick-size 0.01 --lot-size 0.01",
            "account add carol",
            "deposit carol EUR 5000 --ref bank-1",
        ] {
            house.admin("first.key", line);
        }
        house
    }

    fn data(&self) -> PathBuf {
        self.file("data")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn admin(&self, master_key: &str, line: &str) -> Value {
        run_json(&self.words(master_key, line).iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn refused(&self, master_key: &str, line: &str) -> String {
        run_refused(&self.words(master_key, line).iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// In which `@name` is a file beside the data folder.
    fn words(&self, master_key: &str, line: &str) -> Vec<String> {
        let (data, key) = (self.data(), self.file(master_key));
        let fixed = ["admin", "--data", text(&data), "--master-key", text(&key)];
        let named = line.split_whitespace().map(|word| match word.strip_prefix('@') {
            Some(name) => text(&self.file(name)).to_owned(),
            None => word.to_owned(),
        });
        fixed.map(str::to_owned).into_iter().chain(named).collect()
    }

    fn serve(&self, master_key: &str) -> Serving {
        let (data, key) = (self.data(), self.file(master_key));
        Serving::start(&["--data", text(&data), "--master-key", text(&key)])
    }

    /// Why it does not start.
    fn no_start(&self, master_key: &str) -> String {
        let (data, key) = (self.data(), self.file(master_key));
        let at = ["serve", "--http", "127.0.0.1:0", "--data", text(&data)];
        run_refused(&[&at[..], &["--master-key", text(&key), "--log-level", "error"]].concat())
    }

    fn client(&self, venue: &Serving, key: &Value) -> Client {
        venue.client(key["api_key"].as_str().unwrap(), key["secret_key"].as_str().unwrap())
    }
}

#[test]
fn keys_have_a_kind_networks_and_an_end() {
    let house = House::new();
    let admin = |line: &str| house.admin("first.key", line);
    let refused = |line: &str| house.refused("first.key", line);
    fs::write(house.file("ed.pem"), ED25519).unwrap();
    fs::write(house.file("rsa.pem"), RSA).unwrap();
    fs::write(house.file("none.pem"), "nothing").unwrap();
    let private = ED25519.replace("PUBLIC", "PRIVATE");
    fs::write(house.file("private.pem"), private).unwrap();

    let networks = "--allow-ip 10.1.2.3/8 --allow-ip ::1 --allow-ip ::ffff:192.0.2.7";
    let hmac = admin(&format!("key add carol {networks} --expires 2199-01-01T00:00:00Z"));
    assert_eq!(hmac["secret_key"].as_str().unwrap().len(), 64);
    let asymmetric = admin("key add carol --kind ed25519 --public-key @ed.pem --role read-only");
    assert_eq!(asymmetric.get("secret_key"), None, "the venue has none");
    admin("key add carol --kind rsa --public-key @rsa.pem --once");
    admin("key add carol --role operator --name desk-1");
    let expected = json!([
        { "key": 1, "account": "carol", "name": null, "role": "trader", "kind": "hmac",
          "public_key": null, "allow_ip": ["10.0.0.0/8", "::1/128", "192.0.2.7/32"],
          "expires": "2199-01-01T00:00:00Z", "once": false },
        { "key": 2, "account": "carol", "name": null, "role": "read-only", "kind": "ed25519",
          "public_key": ED25519, "allow_ip": [], "expires": null, "once": false },
        { "key": 3, "account": "carol", "name": null, "role": "trader", "kind": "rsa",
          "public_key": RSA, "allow_ip": [], "expires": null, "once": true },
        { "key": 4, "account": "carol", "name": "desk-1", "role": "operator", "kind": "hmac",
          "public_key": null, "allow_ip": [], "expires": null, "once": false },
    ]);
    assert_eq!(admin("key list"), expected);
    let data = house.data();
    let without = run_json(&["admin", "--data", text(&data), "key", "list"]);
    assert_eq!(without[1], json!({ "key": 2, "account": "carol", "role": "read-only" }));

    for (line, part) in [
        ("key add carol --kind ed25519", "--public-key"),
        ("key add carol --public-key @ed.pem", "HMAC"),
        ("key add carol --kind rsa --public-key @ed.pem", "--kind ed25519"),
        ("key add carol --kind rsa --public-key @none.pem", "none.pem: it is not a public key"),
        ("key add carol --kind ed25519 --public-key @private.pem", "private key"),
        ("key add carol --kind rsa --public-key @missing.pem", "missing.pem"),
        ("key add carol --allow-ip 300.1.1.1", "`300.1.1.1`"),
        ("key add carol --allow-ip 10.0.0.0/33", "`10.0.0.0/33`"),
        ("key add carol --expires 2020-01-01T00:00:00Z", "`2020-01-01T00:00:00Z`"),
        ("key add carol --expires 2555-01-01T00:00:00Z", "the last is 2554-07-21T23:34:33Z"),
        ("key add carol --name desk-1", "key 4 of the account has the name `desk-1`"),
        ("key add carol --name two%words", "`two%words`"),
        ("key add carol --expires soon", "`soon`"),
    ] {
        let sentence = refused(line);
        assert!(sentence.contains(part), "{line}: {sentence}");
    }
    let many = " --allow-ip 2001:db8::/64".repeat(40);
    assert!(refused(&format!("key add carol{many}")).contains("networks"));
    // With a master key that is not the venue's no key is made, because no venue could open it.
    assert!(run(&["admin", "new-master-key", text(&house.file("other.key"))]).status.success());
    assert!(house.refused("other.key", "key add carol").contains("does not open"));
    assert_eq!(admin("key list"), expected);
}

#[tokio::test]
async fn the_master_key_is_rotated_on_a_running_and_on_a_stopped_venue() {
    let house = House::new();
    let buy = NewOrder::limit("KWHEUR", Side::Buy, "1", "0.25");
    let early = house.admin("first.key", "key add carol");
    house.admin("first.key", "key add carol");
    house.admin("first.key", "key revoke 2");

    let venue = house.serve("first.key");
    let client = house.client(&venue, &early);
    client.place(&buy).await.unwrap();
    let told = house.admin("first.key", "rotate-master-key @second.key");
    assert_eq!(told["keys_resealed"], 1);
    let again = house.refused("first.key", "rotate-master-key @second.key");
    assert!(again.contains("in use already"), "{again}");
    // Older keys go on, and later ones are sealed by the new master key.
    client.place(&buy).await.unwrap();
    let late = house.admin("first.key", "key add carol");
    house.client(&venue, &late).place(&buy).await.unwrap();
    venue.kill();

    let sentence = house.no_start("first.key");
    let fingerprint = told["fingerprint"].as_str().unwrap();
    assert!(sentence.contains(fingerprint) && sentence.contains("rotated"), "{sentence}");
    assert!(house.refused("first.key", "key add carol").contains(fingerprint));
    let told = house.admin("second.key", "rotate-master-key @third.key");
    assert_eq!(told["keys_resealed"], 2);
    assert!(house.no_start("second.key").contains(told["fingerprint"].as_str().unwrap()));
    let venue = house.serve("third.key");
    for key in [&early, &late] {
        house.client(&venue, key).place(&buy).await.unwrap();
    }
    venue.stop();

    for key in ["first.key", "second.key", "third.key"] {
        let master_key = fs::read_to_string(house.file(key)).unwrap();
        lies_nowhere(&house.data(), master_key.trim());
    }
    for key in [&early, &late] {
        lies_nowhere(&house.data(), key["secret_key"].as_str().unwrap());
        lies_nowhere(&house.data(), key["api_key"].as_str().unwrap());
    }
}

/// Whenever the process is killed, one of the two master keys opens the venue, and its keys work.
#[tokio::test]
async fn a_rotation_that_is_cut_short_is_done_or_not_done() {
    let house = House::new();
    let keys =
        [house.admin("first.key", "key add carol"), house.admin("first.key", "key add carol")];
    let buy = NewOrder::limit("KWHEUR", Side::Buy, "1", "0.25");
    let mut present = "first.key".to_owned();
    for round in 0..6_u64 {
        let next = format!("round-{round}.key");
        let venue = house.serve(&present);
        let words = house.words(&present, &format!("rotate-master-key @{next}"));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut rotation =
            command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        tokio::time::sleep(Duration::from_millis(round * 7)).await;
        venue.kill();
        // Where the venue was gone already, it was carried out on the folder.
        rotation.wait().unwrap();
        let opens = |key: &str| {
            house.file(key).exists() && {
                let words = house.words(key, "key add carol --role read-only");
                run(&words.iter().map(String::as_str).collect::<Vec<_>>()).status.success()
            }
        };
        let by = [&present, &next].map(|key| opens(key));
        assert_ne!(by[0], by[1], "round {round}: one of the two");
        if by[1] {
            assert!(house.no_start(&present).contains("rotated"));
            present = next;
        }
        let venue = house.serve(&present);
        for key in &keys {
            house.client(&venue, key).place(&buy).await.unwrap();
        }
        venue.stop();
    }
}

#[test]
fn a_demo_keeps_its_master_key() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let venue = Serving::start(&["--data", data, "--demo", "--no-bots"]);
    let other = dir.path().join("other.key");
    let sentence = run_refused(&["admin", "--data", data, "rotate-master-key", text(&other)]);
    assert!(sentence.contains("demo.json"), "{sentence}");
    assert!(!other.exists());
    venue.stop();
}

#[test]
fn a_port_beyond_this_machine_is_encrypted_or_said_not_to_be() {
    let house = House::new();
    let (data, key) = (house.data(), house.file("first.key"));
    let serve = ["serve", "--data", text(&data), "--master-key", text(&key), "--http"];
    let refused = |args: &[&str]| run_refused(&[&serve[..], args].concat());
    let sentence = refused(&["0.0.0.0:0"]);
    assert!(
        sentence.contains("--tls-cert") && sentence.contains("--allow-plaintext"),
        "{sentence}"
    );
    let (missing, pem) = (house.file("missing.pem"), house.file("cert.pem"));
    fs::write(&pem, "nothing").unwrap();
    let sentence = refused(&["0.0.0.0:0", "--tls-cert", text(&missing), "--tls-key", text(&pem)]);
    assert!(sentence.contains("missing.pem"), "{sentence}");
    let sentence = refused(&["0.0.0.0:0", "--tls-cert", text(&pem), "--tls-key", text(&pem)]);
    assert!(sentence.contains("cert.pem"), "{sentence}");
    assert!(refused(&["127.0.0.1:0", "--cors-origin", "*"]).contains("`*`"));

    let args = ["--data", text(&data), "--master-key", text(&key), "--tls-self-signed"];
    let venue = Serving::start(&args);
    assert!(venue.url.starts_with("https://127.0.0.1:"), "{}", venue.url);
    // It reads its certificate again, and does not end.
    let id = venue.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(100));
    venue.stop();
}

fn lies_nowhere(data: &Path, secret: &str) {
    for file in files_below(data) {
        let bytes = fs::read(&file).unwrap();
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "a secret lies open in {}", file.display());
    }
}

/// A command of a user that leaves all its files open to others.
fn careless(args: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 0; exec \"$@\"", "sh", BINARY]).args(args).stdin(Stdio::null());
    shell
}

#[test]
fn files_are_their_owners_whatever_the_umask() {
    let dir = tempfile::tempdir().unwrap();
    let (data, backup) = (dir.path().join("data"), dir.path().join("backup"));
    let messages = dir.path().join("stderr");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
    let mut serve = careless(&["serve", "--http", "127.0.0.1:0", "--data", text(&data), "--demo"]);
    serve.stderr(fs::File::create(&messages).unwrap());
    let venue = Serving::ready(serve);
    let copied = careless(&["backup", text(&data), text(&backup)]).output();
    assert!(copied.as_ref().unwrap().status.success(), "{copied:?}");
    let is_open = |path: &Path| {
        let mode = fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
        (mode & 0o077 != 0).then(|| format!("{} {mode:o}", path.display()))
    };
    assert_eq!(is_open(&data.join("admin.sock")), None);
    venue.stop();
    let mut found = 0;
    let open: Vec<_> = [&data, &backup]
        .into_iter()
        .flat_map(|folder| all_below(folder))
        .inspect(|_| found += 1)
        .filter_map(|path| is_open(&path))
        .collect();
    assert!(open.is_empty() && found > 15, "{found} files and folders: {open:?}");
    // A folder that existed keeps its mode, and the operator hears of it.
    let messages = fs::read_to_string(messages).unwrap();
    assert!(messages.contains("other users can use the data folder"), "{messages}");
}

/// Most of a fault's consequences are the system's to prevent.
#[test]
fn the_unit_of_systemd_leaves_the_venue_its_folder_and_its_sockets() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let unit = fs::read_to_string(root.join("deploy/buttonwood.service")).unwrap();
    for line in [
        "User=buttonwood",
        "StateDirectory=buttonwood",
        "StateDirectoryMode=0700",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
        "ProtectSystem=strict",
        "ProtectHome=yes",
        "PrivateTmp=yes",
        "PrivateDevices=yes",
        "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
        "RestrictNamespaces=yes",
    ] {
        assert!(unit.lines().any(|found| found == line), "the unit has no {line}");
    }
}

/// All files and folders below a folder.
fn all_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            let below = if path.is_dir() { all_below(&path) } else { Vec::new() };
            std::iter::once(path).chain(below)
        })
        .collect()
}

#[test]
fn no_symbolic_link_is_followed_in_a_data_folder() {
    for name in ["log", "access.jsonl", "lock", "projection"] {
        let house = House::new();
        let (inside, outside) = (house.data().join(name), house.file("elsewhere"));
        if inside.exists() {
            fs::rename(&inside, &outside).unwrap();
        }
        std::os::unix::fs::symlink(&outside, &inside).unwrap();
        let sentence = house.refused("first.key", "account list");
        assert!(sentence.contains("is a symbolic link"), "{name}: {sentence}");
        assert!(sentence.contains(text(&inside)), "{name}: {sentence}");
    }
    // Also deeper in the folder.
    let house = House::new();
    let segment = all_below(&house.data().join("log")).into_iter().min().unwrap();
    fs::rename(&segment, house.file("elsewhere")).unwrap();
    std::os::unix::fs::symlink(house.file("elsewhere"), &segment).unwrap();
    let sentence = house.refused("first.key", "account list");
    assert!(sentence.contains(text(&segment)), "{sentence}");
}

#[test]
fn a_master_key_that_others_can_write_is_refused() {
    let house = House::new();
    let key = house.file("first.key");
    fs::set_permissions(&key, Permissions::from_mode(0o622)).unwrap();
    let sentence = house.refused("first.key", "key add carol");
    assert!(sentence.contains("other users can write the master key"), "{sentence}");
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    house.admin("first.key", "key add carol");
}
