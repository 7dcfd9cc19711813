//! The agents: started as processes of this same binary, which receive their task and
//! are read until the last has sent its outcome.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use cli::Failure;
use serde::de::DeserializeOwned;
use server::now_ns;

use super::progress::Progress;
use super::spec::{Key, Load, Outcome, Spec, Word};

/// Between the last agent's being ready and the begin, so that all begin together.
const LEAD: Duration = Duration::from_millis(50);

/// A load as all agents together are to bring it.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    pub(super) address: String,
    pub(super) load: Load,
    /// One for each client.
    pub(super) keys: Vec<Key>,
    pub(super) agents: usize,
    /// Requests a second; `None` is a closed loop.
    pub(super) rate: Option<f64>,
    pub(super) window: usize,
    pub(super) seed: u64,
    pub(super) warm_up: Duration,
    pub(super) measured: Duration,
    /// Of all agents together.
    pub(super) requests_max: Option<u64>,
    pub(super) ramp: Duration,
}

impl Drive {
    /// Has it done. `look` is called where the measured time begins and where it ends.
    pub(super) fn run(
        &self,
        label: &str,
        mut look: impl FnMut(Moment) -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let mut agents = self.start()?;
        for agent in &mut agents {
            agent.expect_connected()?;
        }
        let begin_ns = now_ns() + nanos(LEAD);
        for agent in &mut agents {
            agent.tell(&begin_ns.to_string())?;
        }
        let done = AtomicU64::new(0);
        let progress = Progress::begin(label, self.warm_up + self.measured);
        thread::scope(|scope| {
            let listen = |agent| scope.spawn(|| Agent::listen(agent, &done));
            let listeners: Vec<_> = agents.into_iter().map(listen).collect();
            let have_ended = || listeners.iter().all(thread::ScopedJoinHandle::is_finished);
            progress.until(begin_ns + nanos(self.warm_up), &done, have_ended);
            look(Moment::Begin)?;
            let end_ns = begin_ns + nanos(self.warm_up + self.measured);
            progress.until(end_ns, &done, have_ended);
            look(Moment::End)?;
            let mut merged = Outcome::default();
            for listener in listeners {
                merged.add(&listener.join().map_err(|_| Failure::new("a listener panicked"))??);
            }
            progress.end();
            Ok(merged)
        })
    }

    fn start(&self) -> Result<Vec<Agent>, Failure> {
        let agents = self.agents.clamp(1, self.keys.len());
        let per_agent = self.keys.len().div_ceil(agents);
        let start = |(at, keys): (usize, &[Key])| {
            let share = keys.len() as f64 / self.keys.len() as f64;
            let mut agent = Agent::spawn("agent")?;
            agent.tell(&serde_json::to_string(&Spec {
                address: self.address.clone(),
                load: self.load,
                keys: keys.to_vec(),
                rate: self.rate.map(|rate| rate * share),
                window: self.window,
                // Clients of different agents must not send the same orders.
                seed: self.seed.wrapping_add(at as u64),
                warm_up_ms: self.warm_up.as_millis() as u64,
                measured_ms: self.measured.as_millis() as u64,
                requests_max: self.requests_max.map(|max| (max as f64 * share).ceil() as u64),
                ramp_ms: self.ramp.as_millis() as u64,
            })?)?;
            Ok(agent)
        };
        self.keys.chunks(per_agent).enumerate().map(start).collect()
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Moment {
    Begin,
    End,
}

/// A process that is killed when it is dropped.
#[derive(Debug)]
pub(super) struct Process(pub(super) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended is gone already.
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}

/// A process of this same binary, and its standard input and output.
pub(super) struct Agent {
    process: Process,
    words: ChildStdin,
    answers: BufReader<std::process::ChildStdout>,
}

impl Agent {
    /// `part` is what it is in `bench`.
    pub(super) fn spawn(part: &str) -> Result<Self, Failure> {
        let mut process = own_binary()?
            .args(["bench", part])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::new(format!("an agent cannot be started: {error}")))?;
        let words = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Ok(Self { process: Process(process), words, answers })
    }

    pub(super) fn process(&self) -> u32 {
        self.process.0.id()
    }

    pub(super) fn tell(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.words, "{line}").and_then(|()| self.words.flush()).map_err(|_| ended())
    }

    pub(super) fn expect_connected(&mut self) -> Result<(), Failure> {
        let is_connected = matches!(self.hear::<Word>()?, Word::Connected);
        is_connected.then_some(()).ok_or_else(ended)
    }

    fn listen(mut self, done: &AtomicU64) -> Result<Outcome, Failure> {
        loop {
            match self.hear::<Word>()? {
                Word::Connected => {}
                Word::Done(count) => {
                    done.fetch_add(count, Ordering::Relaxed);
                }
                Word::Ended(outcome) => return Ok(*outcome),
            }
        }
    }

    /// An agent that fails has its reason on standard error.
    pub(super) fn hear<T: DeserializeOwned>(&mut self) -> Result<T, Failure> {
        let mut line = String::new();
        match self.answers.read_line(&mut line)? {
            0 => Err(ended()),
            _ => Ok(serde_json::from_str(&line)?),
        }
    }

    pub(super) fn hear_ready(&mut self) -> Result<String, Failure> {
        read_ready(&mut self.answers)
    }
}

fn ended() -> Failure {
    Failure::new("an agent ended before its time; the reason is above")
}

/// This same program, without the settings that the environment has for a venue.
pub(super) fn own_binary() -> Result<Command, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("BUTTONWOOD_") {
            command.env_remove(name);
        }
    }
    Ok(command)
}

/// The address in the line that a server prints when it is ready.
pub(super) fn read_ready(mut stdout: impl BufRead) -> Result<String, Failure> {
    let mut line = String::new();
    stdout.read_line(&mut line)?;
    let address = line.trim_end().strip_prefix("ready http://");
    let address = address.ok_or_else(|| {
        Failure::new("the venue for the run did not come up; the reason is above")
    })?;
    Ok(address.to_owned())
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
