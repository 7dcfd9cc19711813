//! A venue of a test's own: the real binary, a free port, a temporary folder.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use client::{Client, Credentials};
use serde_json::Value;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_buttonwood");

/// Killed when it is dropped.
pub(crate) struct Serving {
    process: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) url: String,
    /// The address of a demo's page, with the first code.
    pub(crate) page: Option<String>,
    /// The address of the OUCH port.
    pub(crate) ouch: Option<String>,
    /// The address of the gRPC port.
    pub(crate) grpc: Option<String>,
    /// Further ports and sockets by their names.
    pub(crate) listening: BTreeMap<String, String>,
}

/// Runs the binary to its end, without what the environment of the test says.
pub(crate) fn run(args: &[&str]) -> Output {
    command(args).output().expect("the binary runs")
}

/// What a run that succeeded printed, as JSON.
pub(crate) fn run_json(args: &[&str]) -> Value {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The one sentence with which a run that must fail ended.
pub(crate) fn run_refused(args: &[&str]) -> String {
    let output = run(args);
    let sentence = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {sentence}");
    assert_eq!(sentence.trim_end().lines().count(), 1, "{args:?}: {sentence}");
    assert!(sentence.starts_with("buttonwood: "), "{args:?}: {sentence}");
    sentence
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("BUTTONWOOD_")) {
        command.env_remove(name);
    }
    command
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

impl Serving {
    /// `serve` on any free port, once it is ready.
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut args = args.to_vec();
        args.splice(0..0, ["serve", "--http", "127.0.0.1:0", "--log-level", "warn"]);
        Self::ready(command(&args))
    }

    /// The venue that this command serves.
    pub(crate) fn ready(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the binary runs");
        let stdout = process.stdout.take().expect("it is piped");
        let stdout = BufReader::new(stdout);
        let (url, page, ouch, grpc) = (String::new(), None, None, None);
        let listening = BTreeMap::new();
        let mut serving = Self { process, stdout, url, page, ouch, grpc, listening };
        loop {
            let line = serving.next_line();
            match line.split_once(' ') {
                Some(("open", page)) => serving.page = Some(page.to_owned()),
                Some(("listening", port)) => {
                    let (name, place) = port.split_once(' ').expect("a name and a place");
                    match name {
                        "ouch" => serving.ouch = Some(place.to_owned()),
                        "grpc" => serving.grpc = Some(place.to_owned()),
                        _ => {}
                    }
                    serving.listening.insert(name.to_owned(), place.to_owned());
                }
                Some(("ready", url)) => {
                    serving.url = url.to_owned();
                    return serving;
                }
                _ => panic!("not ready: {line:?}"),
            }
        }
    }

    /// The next line that it prints.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("it is text");
        line.trim_end().to_owned()
    }

    pub(crate) fn client(&self, api_key: &str, secret_key: &str) -> Client {
        let credentials =
            Credentials { api_key: api_key.to_owned(), secret_key: secret_key.to_owned() };
        Client::new(&self.url, Some(credentials)).expect("a valid address")
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Asks the venue to stop, and waits until it has.
    pub(crate) fn stop(mut self) {
        let id = self.process.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status().expect("kill runs");
        assert!(killed.success());
        let status = self.process.wait().expect("it ends");
        assert_eq!(status.code(), Some(0));
    }

    /// kill -9.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // After a stop or a kill it is gone already.
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder has a plain name")
}
