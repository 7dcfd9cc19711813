//! Questions about the log, answered by child processes: a replay takes the processor time and the
//! memory of a whole venue, and must not be in the venue's own process.
//!
//! A child is this binary as `buttonwood log answer`. It takes idle priority and a limit of memory
//! by itself, and ends with its standard input, so none outlives the venue.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cli::Failure;
use cli::log_question::{AnswerHead, Outcome, TEXT_LEN_MAX};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Children, and so questions at once.
const CHILDREN_MAX: usize = 2;
/// A child that takes longer is ended. On a busy machine it waits for most of the time.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(60);
/// A child that has nothing to answer for this long is ended.
const IDLE_TIME_MAX: Duration = Duration::from_secs(60);

/// The running program, also after an upgrade has replaced its file.
const PROGRAM: &str = "/proc/self/exe";

#[derive(Clone, Debug)]
pub(super) struct LogTools(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    data_dir: PathBuf,
    permits: Semaphore,
    /// The one that was used last is last.
    idle: Mutex<Vec<Helper>>,
}

#[derive(Debug)]
struct Helper {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    used: Instant,
}

impl LogTools {
    pub(super) fn new(data_dir: PathBuf) -> Self {
        let permits = Semaphore::new(CHILDREN_MAX);
        Self(Arc::new(Shared { data_dir, permits, idle: Mutex::default() }))
    }

    /// Returns JSON.
    pub(super) async fn ask(&self, question: &str) -> Result<String, Failure> {
        let shared = &self.0;
        let Ok(_permit) = shared.permits.try_acquire() else {
            return Err(Failure::busy(format!(
                "{CHILDREN_MAX} questions about the log are being answered: ask again when one is \
                 done"
            )));
        };
        let mut helper = match shared.take_idle() {
            Some(helper) => helper,
            None => shared.start()?,
        };
        let answered = timeout(ANSWER_TIME_MAX, helper.ask(question)).await;
        let Ok(answered) = answered else {
            return Err(Failure::unavailable(format!(
                "the log was replayed for {} s without an answer: the machine is busy, or the \
                 snapshot before the moment is too far back; ask again later, or use `buttonwood \
                 log` on the venue's machine",
                ANSWER_TIME_MAX.as_secs()
            )));
        };
        let answered = match answered {
            Ok(answered) => answered,
            Err(error) => return Err(helper.failure(error).await),
        };
        helper.used = Instant::now();
        shared.idle().push(helper);
        let idle = Arc::downgrade(shared);
        tokio::spawn(async move {
            sleep(IDLE_TIME_MAX).await;
            if let Some(shared) = idle.upgrade() {
                shared.idle().retain(|helper| helper.used.elapsed() < IDLE_TIME_MAX);
            }
        });
        answered
    }
}

impl Shared {
    fn start(&self) -> Result<Helper, Failure> {
        let mut command = Command::new(PROGRAM);
        // It needs no setting of the venue, above all no secret.
        command.arg0("buttonwood").args(["log", "answer"]).arg(&self.data_dir).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let cannot = |error| Failure::fault(format!("cannot start a reader of the log: {error}"));
        let mut child = command.spawn().map_err(cannot)?;
        let questions = child.stdin.take().expect("it is a pipe");
        let answers = BufReader::new(child.stdout.take().expect("it is a pipe"));
        Ok(Helper { child, questions, answers, used: Instant::now() })
    }

    /// A child that waits. The system may have ended one since, where memory is short.
    fn take_idle(&self) -> Option<Helper> {
        let mut idle = self.idle();
        std::iter::from_fn(|| idle.pop())
            .find_map(|mut helper| matches!(helper.child.try_wait(), Ok(None)).then_some(helper))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Helper>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Helper {
    /// The outer error is of the child, which is not used again.
    async fn ask(&mut self, question: &str) -> io::Result<Result<String, Failure>> {
        self.questions.write_all(format!("{question}\n").as_bytes()).await?;
        let mut line = String::new();
        self.answers.read_line(&mut line).await?;
        let head: AnswerHead = serde_json::from_str(&line)?;
        if head.len > TEXT_LEN_MAX {
            return Err(io::Error::other("the answer is too long"));
        }
        let mut text = vec![0; head.len];
        self.answers.read_exact(&mut text).await?;
        let text = String::from_utf8(text).map_err(io::Error::other)?;
        Ok(match head.outcome {
            Outcome::Answered => Ok(text),
            Outcome::Refused => Err(Failure::new(text)),
            Outcome::Failed => Err(Failure::fault(text)),
        })
    }

    async fn failure(mut self, error: io::Error) -> Failure {
        // A child that has closed its output ends at once.
        let ended = timeout(Duration::from_secs(1), self.child.wait()).await;
        let how = match ended {
            Ok(Ok(status)) => format!("has ended ({status})"),
            Ok(Err(_)) | Err(_) => format!("does not answer ({error})"),
        };
        Failure::unavailable(format!(
            "the reader of the log {how}; the venue's log has its error, and the state may need \
             more than the 8 GiB of memory that it has"
        ))
    }
}
