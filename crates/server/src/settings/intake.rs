//! `[intake]`: orders from Redis.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[derive(Clone, Deserialize, Serialize)]
pub struct Intake {
    /// The URL of Redis; `None` is no intake. It may hold a password.
    pub url: Option<String>,
    /// A file with the password.
    pub password_file: Option<PathBuf>,
    /// `all`, or numbers and names of accounts separated by commas.
    pub accounts: String,
    /// Replies, and dead letters, that Redis keeps.
    pub replies_max: usize,
    /// Certificates of authorities (PEM) for `rediss://`, in place of those that this machine
    /// trusts.
    pub ca: Option<PathBuf>,
}

impl Default for Intake {
    fn default() -> Self {
        Self {
            url: None,
            password_file: None,
            accounts: "all".into(),
            replies_max: 1_000_000,
            ca: None,
        }
    }
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intake").field("accounts", &self.accounts).finish_non_exhaustive()
    }
}

/// The last reply says where the intake goes on.
const REPLIES_MAX: RangeInclusive<usize> = 1_000..=1_000_000_000;

impl Intake {
    pub(super) fn check(&self) -> Result<(), String> {
        if !REPLIES_MAX.contains(&self.replies_max) {
            return Err(format!(
                "intake_replies_max must be {} to {}, and is {}",
                REPLIES_MAX.start(),
                REPLIES_MAX.end(),
                self.replies_max
            ));
        }
        if self.url.is_none() {
            let of_intake = [("password_file", &self.password_file), ("ca", &self.ca)];
            let set = of_intake.iter().find(|(_, value)| value.is_some());
            return match set {
                Some((name, _)) => {
                    Err(format!("intake_{name} is for orders from Redis: name it with intake"))
                }
                None => Ok(()),
            };
        }
        self.check_url()
    }

    #[cfg(not(feature = "redis"))]
    fn check_url(&self) -> Result<(), String> {
        Err("this build has no Redis: it takes no orders by intake (`cargo build --release` makes a \
             build that does)"
            .into())
    }
}

#[cfg(feature = "redis")]
mod of_redis {
    use std::time::Duration;

    use gateway::{IntakeAccounts, IntakeAddress, IntakeSettings};

    use super::Intake;
    use crate::settings::log::Durability;

    /// Where a reply comes before the log is on stable storage, an entry stays until the operating
    /// system has long written it.
    const KEEP_WITHOUT_SYNC: Duration = Duration::from_secs(3_600);

    impl Intake {
        pub(super) fn check_url(&self) -> Result<(), String> {
            self.accounts()?;
            self.address().map(drop)
        }

        /// `None` without an intake.
        pub(crate) fn intake_settings(
            &self,
            durability: Durability,
        ) -> Result<Option<IntakeSettings>, String> {
            let Some(address) = self.address()? else { return Ok(None) };
            Ok(Some(IntakeSettings {
                address,
                accounts: self.accounts()?,
                replies_max: self.replies_max,
                keep: match durability {
                    Durability::Fsync => Duration::ZERO,
                    Durability::Os | Durability::Memory => KEEP_WITHOUT_SYNC,
                },
            }))
        }

        fn accounts(&self) -> Result<IntakeAccounts, String> {
            IntakeAccounts::parse(&self.accounts).ok_or_else(|| {
                format!(
                    "intake_accounts must be `all`, or numbers and names of accounts such as \
                     `1,alice`, and is `{}`",
                    self.accounts
                )
            })
        }

        /// An error does not repeat the URL.
        fn address(&self) -> Result<Option<IntakeAddress>, String> {
            let Some(url) = &self.url else { return Ok(None) };
            let mut address = IntakeAddress::parse(url)
                .map_err(|reason| format!("intake is not a URL of Redis: {reason}"))?;
            if let Some(file) = &self.password_file {
                if address.has_password() {
                    return Err(
                        "intake has a password, and intake_password_file names another".into()
                    );
                }
                let password = std::fs::read_to_string(file)
                    .map_err(|error| format!("intake_password_file {}: {error}", file.display()))?;
                address = address.with_password(password.trim_end());
            }
            if let Some(file) = &self.ca {
                if !address.speaks_tls() {
                    return Err("intake_ca has a use with rediss:// only".into());
                }
                let pem = std::fs::read(file)
                    .map_err(|error| format!("intake_ca {}: {error}", file.display()))?;
                address = address.with_authorities(pem);
            }
            Ok(Some(address))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::settings::tests::{load, refused};

    #[test]
    fn without_a_url_nothing_else_of_the_intake_has_a_use() {
        assert!(load(json!({})).unwrap().intake.url.is_none());
        let sentence = refused(json!({ "intake_password_file": "/nowhere" }));
        assert!(sentence.contains("intake_password_file is for orders from Redis"), "{sentence}");
        let sentence = refused(json!({ "intake_replies_max": 9 }));
        assert!(sentence.contains("must be 1000 to 1000000000, and is 9"), "{sentence}");
    }

    #[cfg(not(feature = "redis"))]
    #[test]
    fn a_build_without_redis_says_so() {
        let sentence = refused(json!({ "intake": "redis://:s3cret@localhost" }));
        assert!(sentence.contains("this build has no Redis"), "{sentence}");
        assert!(!sentence.contains("s3cret"), "{sentence}");
    }

    #[cfg(feature = "redis")]
    #[test]
    fn the_password_of_redis_comes_from_one_place_and_is_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        std::fs::write(&file, "s3cret\n").unwrap();
        let plain = "redis://localhost:6379";
        let all = load(json!({ "intake": plain, "intake_password_file": file })).unwrap();
        let settings = all.intake.intake_settings(all.log.durability).unwrap().unwrap();
        assert!(settings.address.has_password() && settings.keep.is_zero());
        assert!(!format!("{all:?} {settings:?}").contains("s3cret"));
        let weaker = load(json!({ "intake": plain, "durability": "os" })).unwrap();
        let settings = weaker.intake.intake_settings(weaker.log.durability).unwrap().unwrap();
        assert_eq!(settings.keep.as_secs(), 3_600);
        let with = |flags| refused(flags);
        for (flags, reason) in [
            (
                json!({ "intake": "redis://:s3cret@h", "intake_password_file": file }),
                "names another",
            ),
            (
                json!({ "intake": plain, "intake_password_file": "/nowhere" }),
                "intake_password_file /nowhere: ",
            ),
            (
                json!({ "intake": "http://:s3cret@h" }),
                "is not a URL of Redis: it must be such as redis://",
            ),
            (json!({ "intake": "redis://:s3cret@h/x" }), "is not a URL of Redis: "),
            (json!({ "intake": plain, "intake_ca": file }), "rediss:// only"),
            (json!({ "intake": "rediss://h", "intake_ca": "/nowhere" }), "intake_ca /nowhere: "),
            (json!({ "intake": plain, "intake_accounts": "1,,2" }), "and is `1,,2`"),
        ] {
            let sentence = with(flags);
            assert!(sentence.contains(reason) && !sentence.contains("s3cret"), "{sentence}");
        }
    }
}
