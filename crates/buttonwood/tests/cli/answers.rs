//! `log answer`: the process that answers a running venue's questions about its log.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::history::long_lived;
use crate::process::{command, run_json, text};

/// It is asked line by line.
struct Answers {
    process: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Answers {
    fn of(data: &str) -> Self {
        let mut answer = command(&["log", "answer", data]);
        let mut process = answer.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let questions = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self { process, questions, answers }
    }

    /// The outcome and the text.
    fn ask(&mut self, question: &Value) -> (String, String) {
        writeln!(self.questions.as_mut().unwrap(), "{question}").unwrap();
        let mut head = String::new();
        self.answers.read_line(&mut head).unwrap();
        let head: Value = serde_json::from_str(&head).unwrap();
        let mut text = vec![0; head["len"].as_u64().unwrap().try_into().unwrap()];
        self.answers.read_exact(&mut text).unwrap();
        (head["outcome"].as_str().unwrap().to_owned(), String::from_utf8(text).unwrap())
    }

    fn json(&mut self, question: &Value) -> Value {
        let (outcome, text) = self.ask(question);
        assert_eq!(outcome, "Answered", "{question}: {text}");
        serde_json::from_str(&text).unwrap()
    }
}

#[tokio::test]
async fn a_process_answers_a_venues_questions_about_its_log_and_ends_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let data = text(dir.path());
    let commands = long_lived(dir.path()).await;
    let mut answers = Answers::of(data);
    let state = |at: Option<u64>| {
        let at = at.map(|at| at.to_string());
        json!({ "State": { "at": at, "account": null, "instrument": null } })
    };
    // Forward from the state before, and back from a snapshot.
    for at in [commands - 5, commands - 2, 3, commands] {
        let here = run_json(&["log", "state", data, "--until", &at.to_string(), "--json"]);
        assert_eq!(answers.json(&state(Some(at))), here, "at {at}");
    }
    assert_eq!(answers.json(&state(None))["sequence"], commands);
    let status = fs::read_to_string(format!("/proc/{}/status", answers.process.id())).unwrap();
    assert!(status.contains("Seccomp:\t2\n"), "it has no network: {status}");
    let (outcome, sentence) = answers.ask(&state(Some(commands + 1)));
    assert!(outcome == "Refused" && sentence.contains("beyond the end of the log"), "{sentence}");

    let page = |from: Option<u64>, to: Option<u64>, kind: Option<&str>| {
        let [from, to] = [from, to].map(|at| at.map(|at| at.to_string()));
        json!({ "Commands": {
            "from": from, "to": to, "account": null, "instrument": null, "order": null,
            "kind": kind, "limit": 3,
        } })
    };
    let sequences = |page: &Value| {
        let rows = page["commands"].as_array().unwrap();
        rows.iter().map(|row| row["sequence"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let first = answers.json(&page(Some(5), None, None));
    assert_eq!(sequences(&first), [5, 6, 7]);
    let last = answers.json(&page(None, None, None));
    assert_eq!(sequences(&last).last(), Some(&commands));
    let orders = answers.json(&page(Some(1), None, Some("NewOrder")));
    assert_eq!(orders["commands"][0]["command"], "NewOrder", "{orders}");
    let (outcome, sentence) = answers.ask(&page(Some(9), Some(5), None));
    assert!(outcome == "Refused" && sentence.contains("exchange them"), "{sentence}");
    let (outcome, _) = answers.ask(&json!("nonsense"));
    assert_ne!(outcome, "Answered");

    answers.questions = None;
    assert!(answers.process.wait().unwrap().success());
}
