//! The keys and the secrets of one-time codes that `apply` makes, for their owners.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use cli::Failure;
use serde_json::{Map, Value};

use super::Step;

/// The bits of a mode that let other users read or write a file.
const OTHERS: u32 = 0o077;

/// A file of JSON lines, or standard output.
pub(super) struct Secrets {
    file: Option<(PathBuf, File)>,
    /// Keys and logins whose secret standard output did not take.
    not_shown: Vec<String>,
}

impl Secrets {
    pub(super) fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let not_shown = Vec::new();
        let Some(path) = file else { return Ok(Self { file: None, not_shown }) };
        let named = |error: std::io::Error| Failure::new(format!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(0o600).open(path).map_err(named)?;
        let mode = file.metadata().map_err(named)?.permissions().mode();
        if mode & OTHERS != 0 {
            return Err(Failure::new(format!(
                "{}: other users can read it (mode {:o}), and it is for secrets: chmod 600 it \
                 first. Nothing was changed",
                path.display(),
                mode & 0o777
            )));
        }
        Ok(Self { file: Some((path.to_owned(), file)), not_shown })
    }

    /// Each secret is on disk before the next step.
    pub(super) fn keep(&mut self, step: &Step, answer: &Value) -> Result<(), Failure> {
        let secrets = ["api_key", "secret_key", "otpauth_uri"];
        let made = secrets.iter().filter_map(|name| Some((*name, answer.get(*name)?)));
        let made: Vec<_> = made.collect();
        if made.is_empty() {
            return Ok(()); // A login without one-time codes.
        }
        let names = ["account", "name", "user"];
        let mut line = Map::new();
        let named = names.iter().filter_map(|name| Some((*name, step.fields.get(*name)?)));
        for (name, value) in named.chain(made) {
            line.insert(name.to_owned(), value.clone());
        }
        let line = Value::Object(line);
        match &mut self.file {
            None => {
                let mut out = std::io::stdout().lock();
                if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                    self.not_shown.push(step.title.clone());
                }
            }
            Some((path, file)) => {
                let written = writeln!(file, "{line}").and_then(|()| file.sync_all());
                written.map_err(|error| {
                    Failure::new(format!(
                        "{}: {error}: the secret of {} is lost, so revoke it",
                        path.display(),
                        step.title
                    ))
                })?;
            }
        }
        Ok(())
    }

    /// Fails if a secret went nowhere, because no later run shows it. All steps are done by then.
    pub(super) fn check_shown(&self) -> Result<(), Failure> {
        if self.not_shown.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!(
            "all changes are applied, but standard output was closed before the secret of {}: \
             revoke it and make another, with --secrets FILE",
            self.not_shown.join(", ")
        )))
    }
}
