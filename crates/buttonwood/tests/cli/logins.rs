//! Logins of persons, through the binary.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::{Serving, command, run, run_json, run_refused, text};
use crate::serve::files_below;

const PASSWORD: &str = "correct horse battery";

/// A venue with an account, and a master key and passwords beside its folder.
struct House(TempDir);

impl House {
    fn new() -> Self {
        let house = Self(tempfile::tempdir().unwrap());
        fs::create_dir(house.file("data")).unwrap();
        assert!(run(&["admin", "new-master-key", text(&house.file("first.key"))]).status.success());
        fs::write(house.file("password"), format!("{PASSWORD}\nsecond line\n")).unwrap();
        fs::write(house.file("short"), "eleven char").unwrap();
        house.done("first.key", "account add carol");
        house.done("first.key", "account add desk");
        house
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// In which `@name` is a file beside the data folder.
    fn words(&self, master_key: &str, line: &str) -> Vec<String> {
        let fixed = ["admin", "--data", "@data", "--master-key"].map(str::to_owned);
        let key = format!("@{master_key}");
        let words = line.split_whitespace().map(str::to_owned);
        let words = fixed.into_iter().chain([key]).chain(words);
        let placed = |word: String| match word.strip_prefix('@') {
            Some(name) => text(&self.file(name)).to_owned(),
            None => word,
        };
        words.map(placed).collect()
    }

    fn done(&self, master_key: &str, line: &str) -> Value {
        let words = self.words(master_key, line);
        run_json(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn refused(&self, line: &str) -> String {
        let words = self.words("first.key", line);
        run_refused(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

#[test]
fn an_operator_adds_changes_and_revokes_logins() {
    let house = House::new();
    let done = |line: &str| house.done("first.key", line);
    let added = done("login add carol carol --password-file @password");
    assert_eq!(added, json!({ "login": 1, "user": "carol" }));
    let added = done("login add desk@example.com desk --role operator --password-file @password");
    let uri = added["otpauth_uri"].as_str().unwrap();
    assert!(uri.starts_with("otpauth://totp/Buttonwood:desk%40example.com?secret="), "{uri}");
    let row = |login: u32, user: &str, account: &str, role: &str, totp: bool| {
        json!({ "login": login, "user": user, "account": account, "role": role,
                "ways": ["page"], "keys": 0, "totp": totp })
    };
    let carol = row(1, "carol", "carol", "trader", false);
    let desk = row(2, "desk@example.com", "desk", "operator", true);
    assert_eq!(done("login list"), json!([carol, desk]));
    assert_eq!(done("login set carol"), carol, "without options nothing changes");

    let changed = done("login set carol --totp new --sign-out");
    assert!(changed["otpauth_uri"].as_str().unwrap().contains("Buttonwood:carol?"));
    assert_eq!(done("login list")[0]["totp"], true);
    assert_eq!(done("login set carol --totp off")["totp"], false);

    for (line, part) in [
        ("login add carol desk --password-file @password", "another login has this user name"),
        ("login add bob bob --password-file @password", "there is no account `bob`"),
        ("login add Bob desk --password-file @password", "`Bob` is not 1 to 32 small letters"),
        ("login add bob desk --password-file @short", "11 characters, and must have at least 12"),
        ("login add bob desk --password-file @missing", "missing"),
        ("login add bob desk", "--password-file or in the variable BUTTONWOOD_PASSWORD"),
        ("login set carol --password", "--password-file or in the variable BUTTONWOOD_PASSWORD"),
        ("login set bob --totp off", "there is no login `bob`"),
        ("login set desk@example.com --totp off", "always asks for one-time codes"),
        ("login revoke bob", "there is no login `bob`"),
    ] {
        let sentence = house.refused(line);
        assert!(sentence.contains(part), "{line}: {sentence}");
    }
    assert_eq!(done("login revoke carol"), json!({ "revoked": "carol", "keys_revoked": 0 }));
    assert_eq!(done("login list"), json!([desk]));
}

#[test]
fn a_password_comes_from_a_variable_too_and_lies_nowhere() {
    let house = House::new();
    let words = house.words("first.key", "login add carol carol");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let added = command(&words).env("BUTTONWOOD_PASSWORD", PASSWORD).output().unwrap();
    assert!(added.status.success(), "{added:?}");
    house.done("first.key", "login set carol --totp new --password-file @password");
    let (data, key) = (house.file("data"), house.file("first.key"));
    let venue = Serving::start(&["--data", text(&data), "--master-key", text(&key)]);
    // On a running venue, and for all logins.
    house.done("first.key", "login add bob carol --password-file @password");
    let told = house.done("first.key", "rotate-master-key @second.key");
    assert_eq!((&told["keys_resealed"], &told["logins_resealed"]), (&json!(0), &json!(2)));
    assert_eq!(house.done("second.key", "login list").as_array().unwrap().len(), 2);
    venue.stop();
    assert_eq!(house.done("second.key", "login list")[0]["totp"], true);
    let sentence = house.refused("login set carol --sign-out");
    assert!(sentence.contains("rotated"), "{sentence}");
    for file in files_below(&data) {
        let bytes = fs::read(&file).unwrap();
        let found = bytes.windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

/// Applies a market file beside the data folder; the status, and what was printed.
fn apply(house: &House, market: &str) -> (bool, String) {
    let file = house.file("market.toml");
    fs::write(&file, market.replace('@', &format!("{}/", text(house.0.path())))).unwrap();
    let (data, key) = (house.file("data"), house.file("first.key"));
    let secrets = house.file("secrets.jsonl");
    let args = ["apply", text(&file), "--yes", "--data", text(&data), "--master-key", text(&key)];
    let output = command(&[&args[..], &["--secrets", text(&secrets)]].concat())
        .env("DESK_PASSWORD", PASSWORD)
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(printed).unwrap())
}

#[test]
fn a_market_file_adds_and_revokes_logins_and_has_no_password() {
    let house = House::new();
    let market = r#"
        [account.carol.login.carol]
        password_file = "@password"
        [account.desk.login.desk]
        role = "operator"
        password_variable = "DESK_PASSWORD"
    "#;
    let (is_done, printed) = apply(&house, market);
    assert!(is_done, "{printed}");
    assert!(printed.contains("+ account carol, login carol: password_file /"), "{printed}");
    let of_desk = "+ account desk, login desk: role operator, password_variable DESK_PASSWORD";
    assert!(printed.contains(of_desk) && !printed.contains(PASSWORD), "{printed}");
    let secrets = fs::read_to_string(house.file("secrets.jsonl")).unwrap();
    let secrets: Vec<Value> =
        secrets.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(secrets.len(), 1, "carol's login has no codes");
    assert_eq!((&secrets[0]["account"], &secrets[0]["user"]), (&json!("desk"), &json!("desk")));
    assert!(secrets[0]["otpauth_uri"].as_str().unwrap().starts_with("otpauth://totp/"));
    let (is_done, printed) = apply(&house, market);
    assert!(is_done && printed.starts_with("no difference"), "{printed}");
    let logins = house.done("first.key", "login list");
    let rows = logins.as_array().unwrap().iter().map(|row| [&row["user"], &row["role"]]);
    assert_eq!(rows.collect::<Vec<_>>(), [["carol", "trader"], ["desk", "operator"]]);

    // An export names the logins, and applies where they are.
    let (data, key) = (house.file("data"), house.file("first.key"));
    let export = ["export", "market", "--data", text(&data), "--master-key", text(&key)];
    let exported = String::from_utf8(run(&export).stdout).unwrap();
    let of_carol = "\n[account.carol.login.carol]\nrole = \"trader\"\n";
    let of_desk = "\n[account.desk.login.desk]\nrole = \"operator\"\ntotp = true\n";
    assert!(exported.contains(of_carol) && exported.contains(of_desk), "{exported}");
    let (is_done, printed) = apply(&house, &exported);
    assert!(is_done && printed.starts_with("no difference"), "{printed}");

    let (is_done, printed) = apply(&house, "[account.carol.login.carol]\nrevoked = true\n");
    assert!(is_done && printed.contains("- account carol, login carol: revoked"), "{printed}");
    assert_eq!(house.done("first.key", "login list").as_array().unwrap().len(), 1);

    let needs = "it is new, and needs one of `password_file` and `password_variable`";
    for (login, sentence) in [
        ("carol.login.new", needs),
        ("carol.login.new]\npassword_file = \"@short\"\n[venue", "must have at least 12"),
        ("carol.login.new]\npassword_variable = \"UNSET\"\n[venue", "in the variable UNSET"),
        ("carol.login.desk", "the user has a login of the account desk: revoke it first"),
        ("carol.login.Carol", "the name `Carol` of `login` is not 1 to 32 small letters"),
        ("desk.login.desk]\nrole = \"trader\"\n[venue", "`role` of a login cannot change"),
        ("desk.login.desk]\ntotp = false\n[venue", "use `admin login set`"),
        (
            "carol.login.new]\nrole = \"operator\"\ntotp = false\n[venue",
            "an operator's login always asks for one-time codes",
        ),
    ] {
        let (is_done, printed) = apply(&house, &format!("[account.{login}]\n"));
        assert!(!is_done && printed.contains(sentence), "{login}: {printed}");
        assert!(!printed.contains("eleven char"), "{printed}");
    }
}
