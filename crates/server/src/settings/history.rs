//! `[history]`: where the read model is, and how much of the past it keeps.

use std::fmt;
#[cfg(feature = "postgres")]
use std::path::Path;

use projection::HistoryRetention;
use serde::{Deserialize, Serialize};

const HOUR_NS: u64 = 3_600 * 1_000_000_000;
const MIB: u64 = 1 << 20;
/// Less is not worth a database.
const BYTES_MIN: u64 = 64 * MIB;

#[derive(Clone, Deserialize, Serialize)]
pub struct History {
    /// `sqlite`, the file in the data folder, or URLs of databases with commas. They may hold
    /// passwords.
    pub url: String,
    /// A file with the password of the database.
    pub password_file: Option<String>,
    /// URLs of replicas that answer queries, one for each database.
    pub replica: Option<String>,
    /// `all`, or limits by age and size: `90d`, `36h`, `500mib`, `20gib`, `90d,20gib`.
    pub retention: String,
}

impl Default for History {
    fn default() -> Self {
        Self { url: SQLITE.into(), password_file: None, replica: None, retention: "all".into() }
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("retention", &self.retention).finish_non_exhaustive()
    }
}

const SQLITE: &str = "sqlite";

/// Where the read model is.
#[derive(Clone, Debug)]
pub enum Place {
    /// In the data folder.
    Sqlite,
    /// In one database, or in several by account.
    #[cfg(feature = "postgres")]
    Postgres {
        databases: Vec<sinks::postgres::Address>,
        /// One for each database, or none.
        replicas: Vec<sinks::postgres::Address>,
    },
}

impl History {
    pub(super) fn check(&self) -> Result<(), String> {
        self.place()?;
        self.retention().map(drop)
    }

    /// An error does not repeat the URL.
    pub fn place(&self) -> Result<Place, String> {
        let place = read_place(&self.url, self.password_file.as_deref())?;
        if self.password_file.is_some() && matches!(place, Place::Sqlite) {
            return Err("history_password_file is for a database: name it with history".into());
        }
        let Some(replica) = &self.replica else { return Ok(place) };
        with_replicas(place, replica, self.password_file.as_deref())
    }

    pub fn retention(&self) -> Result<HistoryRetention, String> {
        if self.retention == "all" {
            return Ok(HistoryRetention::ALL);
        }
        let refused = || {
            format!(
                "history_retention must be `all`, or an age of at least 1h, a size of at least \
                 64mib, or both, such as `90d,20gib`, and is `{}`",
                self.retention
            )
        };
        let mut kept = HistoryRetention::ALL;
        for limit in self.retention.split(',') {
            let (place, value) = parse(limit.trim()).ok_or_else(refused)?;
            let place = match place {
                Limit::Age => &mut kept.max_age_ns,
                Limit::Size => &mut kept.max_bytes,
            };
            if place.replace(value).is_some() {
                return Err(refused());
            }
        }
        Ok(kept)
    }
}

/// For the venue, and for the tools that name a read model in the same way.
pub fn read_place(url: &str, password_file: Option<&str>) -> Result<Place, String> {
    if url == SQLITE {
        return Ok(Place::Sqlite);
    }
    if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
        return Err(
            "history must be `sqlite`, or such as postgres://user@host:5432/database".into()
        );
    }
    of_server(url, password_file)
}

#[cfg(feature = "postgres")]
fn with_replicas(place: Place, urls: &str, password_file: Option<&str>) -> Result<Place, String> {
    let Place::Postgres { databases, .. } = place else { return Err(NO_PRIMARY.into()) };
    let replicas = addresses("history_replica", urls, password_file)?;
    if replicas.len() != databases.len() {
        return Err(format!(
            "history_replica names {} replicas of {} databases: there is one for each, in their order",
            replicas.len(),
            databases.len()
        ));
    }
    Ok(Place::Postgres { databases, replicas })
}

#[cfg(not(feature = "postgres"))]
fn with_replicas(_: Place, _: &str, _: Option<&str>) -> Result<Place, String> {
    Err(NO_PRIMARY.into())
}

const NO_PRIMARY: &str = "history_replica is for a database: name it with history";

#[cfg(feature = "postgres")]
fn of_server(url: &str, password_file: Option<&str>) -> Result<Place, String> {
    let databases = addresses("history", url, password_file)?;
    Ok(Place::Postgres { databases, replicas: Vec::new() })
}

#[cfg(feature = "postgres")]
fn addresses(
    setting: &str,
    urls: &str,
    password_file: Option<&str>,
) -> Result<Vec<sinks::postgres::Address>, String> {
    let addresses = sinks::postgres::Address::parse_all(urls)
        .map_err(|reason| format!("{setting} is not a URL of PostgreSQL: {reason}"))?;
    let Some(file) = password_file.map(Path::new) else { return Ok(addresses) };
    if addresses.iter().any(sinks::postgres::Address::has_password) {
        return Err(format!("{setting} has a password, and history_password_file names another"));
    }
    let password = std::fs::read_to_string(file)
        .map_err(|error| format!("history_password_file {}: {error}", file.display()))?;
    let with_password =
        |address: sinks::postgres::Address| address.with_password(password.trim_end());
    Ok(addresses.into_iter().map(with_password).collect())
}

#[cfg(not(feature = "postgres"))]
fn of_server(_: &str, _: Option<&str>) -> Result<Place, String> {
    Err("this build has no PostgreSQL: history can be `sqlite` only (`cargo build --release` makes a \
         build that has it)"
        .into())
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Age,
    Size,
}

fn parse(text: &str) -> Option<(Limit, u64)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let (limit, unit, least) = match unit {
        "h" => (Limit::Age, HOUR_NS, HOUR_NS),
        "d" => (Limit::Age, 24 * HOUR_NS, HOUR_NS),
        "mib" => (Limit::Size, MIB, BYTES_MIN),
        "gib" => (Limit::Size, MIB << 10, BYTES_MIN),
        _ => return None,
    };
    let value = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (value >= least).then_some((limit, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::tests::load;

    #[test]
    fn history_is_a_file_or_a_database() {
        let place = |url: &str| load(json!({ "history": url })).map(|all| all.history.place());
        assert!(matches!(load(json!({})).unwrap().history.place(), Ok(Place::Sqlite)));
        assert!(matches!(place("sqlite").unwrap(), Ok(Place::Sqlite)));
        for url in ["", "SQLite", "mysql://bw:s3cret@db/m", "db:5432"] {
            let error = place(url).unwrap_err();
            assert!(error.contains("history must be `sqlite`"), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
        let error = load(json!({ "history_password_file": "/nowhere" })).unwrap_err();
        assert!(error.contains("history_password_file is for a database"), "{error}");
        let error = load(json!({ "history_replica": "postgres://bw@localhost/m" })).unwrap_err();
        assert!(error.contains("history_replica is for a database"), "{error}");
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn the_password_of_a_database_comes_from_one_place_and_is_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "s3cret\n").unwrap();
        let place = |url: &str, file: Option<&Path>| -> Result<Vec<bool>, String> {
            let flags = json!({ "history": url, "history_password_file": file });
            let all = load(flags)?;
            assert!(!format!("{all:?}").contains("s3cret"));
            match all.history.place()? {
                Place::Postgres { databases, .. } => {
                    Ok(databases.iter().map(sinks::postgres::Address::has_password).collect())
                }
                Place::Sqlite => panic!("a database"),
            }
        };
        let replica = |url: &str| {
            let history = "postgres://bw@localhost/m,postgres://bw@localhost/n";
            load(json!({ "history": history, "history_replica": url })).map(|_| ()).unwrap_err()
        };
        let error = replica("postgres://bw:s3cret@db/m");
        assert!(error.contains("names 1 replicas of 2 databases"), "{error}");
        let error = replica("postgres://bw:s3cret@db/m,postgres://bw:s3cret@db");
        assert!(error.contains("history_replica is not a URL of PostgreSQL: number 2"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
        let plain = "postgres://bw@localhost/m";
        assert_eq!(place(plain, None).unwrap(), [false]);
        assert_eq!(place(plain, Some(&file)).unwrap(), [true]);
        assert_eq!(place("postgres://bw:s3cret@localhost/m", None).unwrap(), [true]);
        let two = "postgres://bw@localhost/m,postgres://bw@localhost/n";
        assert_eq!(place(two, Some(&file)).unwrap(), [true, true]);
        for (url, file, reason) in [
            ("postgres://bw:s3cret@localhost/m", Some(&*file), "names another"),
            (plain, Some(Path::new("/nowhere")), "history_password_file /nowhere: "),
            ("postgres://bw:s3cret@/m", None, "names no host"),
            ("postgres://bw:s3cret@db", None, "names no database"),
        ] {
            let error = place(url, file).unwrap_err();
            assert!(error.contains(reason) && !error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn what_history_keeps_is_set_by_age_and_by_size() {
        let kept = |text: &str| {
            load(json!({ "history_retention": text })).map(|all| all.history.retention().unwrap())
        };
        assert_eq!(load(json!({})).unwrap().history.retention(), Ok(HistoryRetention::ALL));
        assert_eq!(kept("all").unwrap(), HistoryRetention::ALL);
        let (day, gib) = (24 * HOUR_NS, 1 << 30);
        let limits = |max_age_ns, max_bytes| HistoryRetention { max_age_ns, max_bytes };
        assert_eq!(kept("90d").unwrap(), limits(Some(90 * day), None));
        assert_eq!(kept("64mib").unwrap(), limits(None, Some(BYTES_MIN)));
        assert_eq!(kept("20gib, 36h").unwrap(), limits(Some(36 * HOUR_NS), Some(20 * gib)));
        for text in ["", "90", "d", "0h", "63mib", "1d,2d", "90 d", "1y", "all,1d", "99999999999d"]
        {
            let error = kept(text).unwrap_err();
            assert!(error.contains("history_retention must be `all`"), "{error}");
            assert!(error.contains(&format!("and is `{text}`")), "{error}");
        }
    }
}
