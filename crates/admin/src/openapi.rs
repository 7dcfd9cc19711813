//! The OpenAPI document of the operators' API, made from its routes, and a page to try it.
//!
//! The page is Swagger UI, in the binary, so that it works without the internet. It signs requests
//! in the browser, and does not send the secret.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use cli::Failure;
use gateway::{Method, OPERATOR_ROOT, StaticPage};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::operations::{Route, routes};

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";

/// The public pages below [`OPERATOR_ROOT`].
pub(super) fn page(path: &str) -> Option<StaticPage> {
    let plain = |content_type, text: &'static str| StaticPage {
        content_type,
        is_gzip: false,
        body: text.as_bytes(),
    };
    let zipped =
        |content_type, body: &'static [u8]| StaticPage { content_type, is_gzip: true, body };
    Some(match path {
        "/openapi.json" => plain(JSON, document()),
        "/docs" => plain(HTML, include_str!("../assets/docs.html")),
        "/docs/page.js" => plain(SCRIPT, include_str!("../assets/docs.js")),
        "/docs/swagger-ui.js" => {
            zipped(SCRIPT, include_bytes!("../assets/swagger-ui/swagger-ui-bundle.js.gz"))
        }
        "/docs/swagger-ui.css" => {
            zipped(STYLE, include_bytes!("../assets/swagger-ui/swagger-ui.css.gz"))
        }
        _ => return None,
    })
}

/// The fields of an operation: in the path, and in the body or in the query string of a `GET`.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    path: Map<String, Value>,
    body: Map<String, Value>,
    /// Required fields of the body.
    required: BTreeSet<String>,
}

impl Fields {
    pub(super) fn of(route: &Route) -> Self {
        let schema = (route.takes)(&mut inlined().into_generator());
        let field = |name: &str| schema.get(name).cloned().unwrap_or_default();
        let in_path: BTreeSet<_> = route.path.split('/').filter_map(name_in).collect();
        let properties = field("properties").as_object().cloned().unwrap_or_default();
        let (path, body) =
            properties.into_iter().partition(|(name, _)| in_path.contains(name.as_str()));
        let required = field("required");
        let required = required.as_array().into_iter().flatten().filter_map(Value::as_str);
        let required = required.filter(|name| !in_path.contains(name)).map(str::to_owned).collect();
        Self { path, body, required }
    }

    /// An example body with the required fields only; without it the page would show all fields.
    fn example(&self) -> Value {
        let value = |name: &String| {
            let schema = &self.body[name];
            let of_type = match schema["type"].as_str() {
                Some("integer" | "number") => json!(1),
                Some("boolean") => json!(true),
                Some("array") => json!([]),
                _ => json!("?"),
            };
            let word = schema["enum"].get(0).or_else(|| schema["oneOf"][0].get("const"));
            (name.clone(), word.cloned().unwrap_or(of_type))
        };
        self.required.iter().map(value).collect::<Map<_, _>>().into()
    }

    /// Refuses unknown fields, which would have no effect.
    pub(super) fn check(&self, object: &Map<String, Value>) -> Result<(), Failure> {
        match object.keys().find(|name| !self.body.contains_key(*name)) {
            Some(name) => Err(Failure::new(format!("this operation has no field `{name}`"))),
            None => Ok(()),
        }
    }

    /// Whether a `GET` may have the field in its query string.
    pub(super) fn is_in_query(&self, name: &str) -> bool {
        self.body.contains_key(name)
    }

    /// What the query string may have, for a sentence.
    pub(super) fn in_query(&self, method: &Method) -> String {
        if *method != Method::GET || self.body.is_empty() {
            return "no parameters".to_owned();
        }
        let names: Vec<&str> = self.body.keys().map(String::as_str).collect();
        format!("only {}", names.join(", "))
    }

    /// A part of the path or of the query string as the value of its field.
    pub(super) fn text_value(&self, name: &str, text: &str) -> Result<Value, Failure> {
        let schema = self.path.get(name).or_else(|| self.body.get(name));
        let schema = schema.ok_or_else(|| Failure::fault(format!("`{name}` is no field")))?;
        let kind = &schema["type"];
        if *kind != "integer"
            && !kind.as_array().is_some_and(|kinds| kinds.contains(&json!("integer")))
        {
            return Ok(text.into());
        }
        let number = text.parse::<u64>();
        number.map(Value::from).map_err(|_| {
            let place = if self.path.contains_key(name) { "path" } else { "query string" };
            Failure::new(format!("`{text}` in the {place} is not a number, as `{name}` must be"))
        })
    }
}

/// OpenAPI 3.1 uses schemas of this draft.
fn inlined() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}

/// The name in `{name}`.
pub(super) fn name_in(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

fn document() -> &'static str {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    DOCUMENT.get_or_init(|| describe().to_string())
}

fn describe() -> Value {
    let mut paths = Map::new();
    for (_, route) in routes() {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation(route);
    }
    let api_key = |name: &str, place: &str, description: &str| json!({ "type": "apiKey", "in": place, "name": name, "description": description });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Buttonwood: operators",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Operators' requests, with keys of the role `operator`. `X-BW-SIGNATURE` is \
                HMAC-SHA256 (hex) or a signature by Ed25519 or RSA (base64) of six lines: the method, the \
                path, the query string without `?`, the SHA-256 of the body in hex, the timestamp, and the \
                nonce. A request is good for 5 s, and its nonce for one request.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": OPERATOR_ROOT }],
        "security": [{ "key": [], "timestamp": [], "nonce": [], "signature": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": api_key("X-MBX-APIKEY", "header", "A key of the role `operator`"),
                "timestamp": api_key("X-BW-TIMESTAMP", "header", "Now, in milliseconds since 1970"),
                "nonce": api_key("X-BW-NONCE", "header", "16 to 64 letters, digits, `_` or `-`; new for each request"),
                "signature": api_key("X-BW-SIGNATURE", "header", "Of method, path, query, body, timestamp and nonce"),
            },
            "schemas": { "Error": {
                "type": "object",
                "required": ["code", "msg"],
                "properties": {
                    "code": { "type": "integer" },
                    "msg": { "type": "string", "description": "One sentence" },
                    "reason": {
                        "type": "string",
                        "description": "The rule that refuses it, where there is one",
                    },
                },
            } },
        },
    })
}

fn operation(route: &Route) -> Value {
    let fields = Fields::of(route);
    let parameters = fields.path.iter().map(
        |(name, schema)| json!({ "name": name, "in": "path", "required": true, "schema": schema }),
    );
    let in_query = fields.body.iter().filter(|_| route.method == Method::GET);
    let in_query = in_query.map(|(name, schema)| {
        let required = fields.required.contains(name);
        json!({ "name": name, "in": "query", "required": required, "schema": given(schema) })
    });
    let parameters = parameters.chain(in_query);
    let answer = (route.answers)(&mut inlined().for_serialize().into_generator());
    let mut responses = json!({ "200": {
        "description": "Done",
        "content": { JSON: { "schema": answer } },
    } });
    for (status, description) in [
        ("400", "The request is invalid; nothing was changed"),
        ("401", "The key is unknown, not an operator's, or not allowed from this address"),
        ("404", "The request names something that does not exist"),
        ("408", "The body did not arrive in time"),
        ("409", "A rule of the venue refuses it; nothing was changed"),
        ("413", "The body is too large"),
        ("418", "The address is banned for some time"),
        ("429", "The address has sent too many requests"),
        ("503", "The venue takes no requests at the moment"),
    ] {
        let schema = json!({ "$ref": "#/components/schemas/Error" });
        responses[status] =
            json!({ "description": description, "content": { JSON: { "schema": schema } } });
    }
    let tag = route.path.split('/').nth(1).unwrap_or_default();
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "tags": [tag],
        "parameters": parameters.collect::<Value>(),
        "responses": responses,
    });
    if [Method::POST, Method::PUT, Method::PATCH].contains(&route.method) && !fields.body.is_empty()
    {
        let schema = json!({
            "type": "object",
            "properties": fields.body,
            "required": fields.required,
            "additionalProperties": false,
        });
        operation["requestBody"] = json!({
            "required": !fields.required.is_empty(),
            "content": { JSON: { "schema": schema, "example": fields.example() } },
        });
    }
    operation
}

/// The schema of a parameter that is given: a query string has no null.
fn given(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(kinds) = schema["type"].as_array() {
        schema["type"] = kinds.iter().find(|kind| **kind != "null").cloned().unwrap_or_default();
    }
    schema
}

/// Such as `get-accounts-name-balances`.
fn operation_id(route: &Route) -> String {
    let words = route.path.split('/').skip(1).map(|word| name_in(word).unwrap_or(word));
    let method = route.method.as_str().to_lowercase();
    [method.as_str()].into_iter().chain(words).collect::<Vec<_>>().join("-")
}
