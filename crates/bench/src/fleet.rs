//! The child processes of a run: this same binary, which reads a task from standard input and
//! writes lines to standard output.

use super::socket::{SHM, UNIX};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use cli::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use serde::de::DeserializeOwned;
use server::now_ns;

use super::spec::{Key, Load, Outcome, Spec, Word};
use super::usage::Usage;

/// The time between the last agent's `Connected` and the begin, so that all begin together.
const LEAD: Duration = Duration::from_millis(50);
const WATCH_EVERY: Duration = Duration::from_millis(100);
const PROGRESS_STYLE: &str = "{prefix} {wide_bar} {pos}/{len} s  {msg}";

impl Spec {
    /// Brings the load on. `watch` is called where the measured time begins, at intervals in it,
    /// and where it ends.
    pub(super) fn run(
        &self,
        label: &str,
        mut watch: impl FnMut(Moment) -> Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let mut agents = self.start()?;
        agents.iter_mut().try_for_each(Agent::expect_connected)?;
        let begin_ns = now_ns() + nanos(LEAD);
        agents.iter_mut().try_for_each(|agent| agent.send(&begin_ns))?;
        let done = AtomicU64::new(0);
        let progress = progress(label, self.warm_up + self.measured);
        let mut usage = [None, None];
        thread::scope(|scope| {
            let listen = |agent| scope.spawn(|| Agent::listen(agent, &done));
            let listeners: Vec<_> = agents.into_iter().map(listen).collect();
            let have_ended = || listeners.iter().all(thread::ScopedJoinHandle::is_finished);
            let moments =
                [(Moment::Begin, self.warm_up), (Moment::End, self.warm_up + self.measured)];
            for (moment, after) in moments {
                let left =
                    || Duration::from_nanos((begin_ns + nanos(after)).saturating_sub(now_ns()));
                while !left().is_zero() && !have_ended() {
                    thread::sleep(left().min(WATCH_EVERY));
                    show(&progress, done.load(Ordering::Relaxed));
                    if moment == Moment::End {
                        watch(Moment::Within)?;
                    }
                }
                usage[moment as usize] = self.process.and_then(Usage::of);
                watch(moment)?;
            }
            let mut merged = Outcome::default();
            for listener in listeners {
                merged.add(&listener.join().map_err(|_| Failure::new("a listener panicked"))??);
            }
            progress.finish_and_clear();
            merged.usage =
                usage[1].take().zip(usage[0].take()).map(|(end, begin)| end.since(&begin));
            Ok(merged)
        })
    }

    fn start(&self) -> Result<Vec<Agent>, Failure> {
        let agents = self.agents.clamp(1, self.keys.len());
        let per_agent = self.keys.len().div_ceil(agents);
        let start = |(at, keys): (usize, &[Key])| {
            let share = keys.len() as f64 / self.keys.len() as f64;
            let spec = Self {
                keys: keys.to_vec(),
                rate: self.rate.map(|rate| rate * share),
                // Clients of different agents must not send the same orders.
                seed: self.seed.wrapping_add(at as u64),
                requests_max: self.requests_max.map(|max| (max as f64 * share).ceil() as u64),
                ..self.clone()
            };
            let part = match self.load {
                Load::Ouch { .. } | Load::OuchEcho { .. } => "ouch-agent",
                Load::OuchUdp { .. } | Load::OuchUdpEcho { .. } => "ouch-udp-agent",
                Load::Grpc { .. } | Load::GrpcCalls => "grpc-agent",
                _ => "agent",
            };
            Agent::spawn(part, &spec)
        };
        self.keys.chunks(per_agent).enumerate().map(start).collect()
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Moment {
    Begin,
    End,
    Within,
}

/// A bar on a terminal; nothing where standard error is none.
fn progress(label: &str, time: Duration) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(PROGRESS_STYLE).expect("the template is a constant");
    ProgressBar::new(time.as_secs().max(1)).with_style(style).with_prefix(label.to_owned())
}

fn show(progress: &ProgressBar, done: u64) {
    let elapsed = progress.elapsed();
    progress.set_position(elapsed.as_secs());
    let per_s = done as f64 / elapsed.as_secs_f64();
    progress.set_message(format!("{done} answered, {per_s:.0}/s"));
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
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Agent {
    /// Starts `bench <part>`, and sends it its task.
    pub(super) fn spawn(part: &str, task: &impl serde::Serialize) -> Result<Self, Failure> {
        let mut process = own_binary()?
            .args(["bench", part])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::new(format!("an agent cannot be started: {error}")))?;
        let stdin = process.stdin.take().expect("it is piped");
        let stdout = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut agent = Self { process: Process(process), stdin, stdout };
        agent.send(task)?;
        Ok(agent)
    }

    pub(super) fn process(&self) -> u32 {
        self.process.0.id()
    }

    pub(super) fn send(&mut self, message: &impl serde::Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(message)?;
        writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush()).map_err(|_| ended())
    }

    pub(super) fn expect_connected(&mut self) -> Result<(), Failure> {
        match self.receive()? {
            Word::Connected => Ok(()),
            _ => Err(ended()),
        }
    }

    fn listen(mut self, done: &AtomicU64) -> Result<Outcome, Failure> {
        loop {
            match self.receive()? {
                Word::Connected => {}
                Word::Done(count) => {
                    done.fetch_add(count, Ordering::Relaxed);
                }
                Word::Ended(outcome) => {
                    self.wait()?;
                    return Ok(*outcome);
                }
            }
        }
    }

    /// Returns when the process has ended by itself. One that is killed at its end writes no
    /// profile, or only half of one, to the folder of `make coverage`.
    pub(super) fn wait(&mut self) -> Result<(), Failure> {
        if self.process.0.wait()?.success() { Ok(()) } else { Err(ended()) }
    }

    /// An agent that fails has its reason on standard error.
    pub(super) fn receive<T: DeserializeOwned>(&mut self) -> Result<T, Failure> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line)? {
            0 => Err(ended()),
            _ => Ok(serde_json::from_str(&line)?),
        }
    }

    pub(super) fn receive_ready(&mut self) -> Result<String, Failure> {
        read_ready(&mut self.stdout)
    }
}

fn ended() -> Failure {
    Failure::new("an agent ended before its time; the reason is above")
}

/// The child's side: the next message from standard input.
pub(super) fn receive<T: DeserializeOwned>() -> Result<T, Failure> {
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line)? {
        0 => Err(Failure::new("this command is a part of `bench`, which starts it itself")),
        _ => Ok(serde_json::from_str(&line)?),
    }
}

/// Of an agent: its clients are connected. Returns when they are to begin.
pub(super) fn connected() -> Result<Instant, Failure> {
    emit(&Word::Connected)?;
    let begin_ns: u64 = receive()?;
    Ok(Instant::now() + Duration::from_nanos(begin_ns.saturating_sub(now_ns())))
}

/// The child's side: a message on standard output.
pub(super) fn emit(message: &impl serde::Serialize) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string(message)?)?;
    Ok(out.flush()?)
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
pub(super) fn read_ready(stdout: impl BufRead) -> Result<String, Failure> {
    Ok(read_ports(stdout)?.0)
}

/// Likewise, and the address of its port for OUCH or gRPC.
pub(super) fn read_ports(stdout: impl BufRead) -> Result<(String, Option<String>), Failure> {
    let mut port = None;
    for line in stdout.lines() {
        let line = line?;
        if let Some((name, place)) =
            line.strip_prefix("listening ").and_then(|of| of.split_once(' '))
        {
            port = Some(match name {
                "ouch-shm" => format!("{SHM}{place}"),
                name if name.ends_with("-unix") => format!("{UNIX}{place}"),
                _ => place.to_owned(),
            });
        }
        if let Some(address) = line.strip_prefix("ready http://") {
            return Ok((address.to_owned(), port));
        }
    }
    Err(Failure::new("the venue did not start; the reason is above"))
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
