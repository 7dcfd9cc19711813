//! The OpenAPI document, checked against a running venue.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Reply, Site};

const UNREAD: i64 = -1104;
/// Keeps a request below the largest number of parameters.
const NAMES_AT_ONCE: usize = 40;

struct Documented<'a> {
    method: String,
    path: &'a str,
    operation: &'a Value,
}

#[tokio::test(flavor = "multi_thread")]
async fn each_operation_takes_the_parameters_of_the_document_and_no_others() {
    let site = Site::new().await;
    let document = site.get("/openapi.json").await.json();
    let operations: Vec<Documented<'_>> = operations(&document);
    assert_eq!(operations.len(), gateway::OPERATIONS.len());
    let all: BTreeSet<&str> = operations.iter().flat_map(|one| one.names(|_| true)).collect();
    assert!(all.len() > 100, "{all:?}");
    for one in &operations {
        for name in one.names(|parameter| parameter["required"] == false) {
            let reply = one.ask(&site, &[name]).await;
            assert_ne!(reply.json()["code"], UNREAD, "{} {} knows {name}", one.method, one.path);
        }
        let known: BTreeSet<&str> = one.names(|_| true).collect();
        let unknown: Vec<&str> = all.difference(&known).copied().collect();
        for names in unknown.chunks(NAMES_AT_ONCE) {
            let read = one.required().count() + if one.is_signed() { 2 } else { 0 };
            let sent = read + names.len();
            let msg = format!(
                "Not all sent parameters were read; read '{read}' parameter(s) but was sent '{sent}'."
            );
            one.ask(&site, names).await.is_error(400, UNREAD, &msg);
        }
    }
}

fn operations(document: &Value) -> Vec<Documented<'_>> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap();
        methods.iter().map(move |(method, operation)| Documented {
            method: method.to_uppercase(),
            path,
            operation,
        })
    });
    all.collect()
}

impl<'a> Documented<'a> {
    fn parameters(&self) -> impl Iterator<Item = &'a Value> {
        self.operation["parameters"].as_array().unwrap().iter()
    }

    fn names(&self, is_wanted: impl Fn(&Value) -> bool) -> impl Iterator<Item = &'a str> {
        let wanted = self.parameters().filter(move |parameter| is_wanted(parameter));
        wanted.map(|parameter| parameter["name"].as_str().unwrap())
    }

    /// The required parameters, each with a valid value.
    fn required(&self) -> impl Iterator<Item = String> {
        let required = self.parameters().filter(|parameter| parameter["required"] == true);
        required.map(|parameter| {
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            let value = match (name, schema["enum"][0].as_str()) {
                ("symbol", _) => "BTCUSDT",
                (_, Some(word)) => word,
                (_, None) => "1",
            };
            format!("{name}={value}")
        })
    }

    fn is_signed(&self) -> bool {
        self.operation["security"][0]["signature"].is_array()
    }

    /// A request with all required parameters, and these.
    async fn ask(&self, site: &Site, names: &[&str]) -> Reply {
        let others = names.iter().map(|name| format!("{name}=1"));
        let text = self.required().chain(others).collect::<Vec<_>>().join("&");
        if self.is_signed() {
            return site.signed(&site.taker, &self.method, self.path, &text).await;
        }
        let key = [("X-MBX-APIKEY", site.taker.api_key.as_str())];
        site.send(&self.method, &format!("{}?{text}", self.path), &key, b"").await
    }
}
