//! The files of the page, embedded in the binary.
//!
//! Files below `/assets` have a hash of their content in their names, and browsers keep them for a
//! year. All others are checked at each visit, by their `ETag`.

use std::collections::HashMap;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use venue::request_hash;

use crate::socket::http::header_text;

/// A file of the page's build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct File {
    pub(crate) path: &'static str,
    pub(crate) plain: &'static [u8],
    /// `None` of a kind that compression does not make smaller.
    pub(crate) compressed: Option<Compressed>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Compressed {
    pub(crate) brotli: &'static [u8],
    pub(crate) gzip: &'static [u8],
}

const BUILT: &[File] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

const PLACEHOLDER: File = File {
    path: INDEX,
    plain: b"<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Buttonwood</title>\n\
          <h1>This venue was built without its page</h1>\n\
          <p>The venue trades: its API is at <code>/api/v3</code>, and <a href=\"/openapi.json\">\
          /openapi.json</a> describes it.</p>\n\
          <p>For the page, install Node.js, run <code>make web</code> in the source folder, and \
          build the venue again.</p>\n</html>\n",
    compressed: None,
};

const ROOT: &str = "/";
const INDEX: &str = "/index.html";
/// Below it, names change with the content.
const ASSETS: &str = "/assets/";
const FOR_A_YEAR: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const CHECKED: HeaderValue = HeaderValue::from_static("no-cache");

/// The files by path.
#[derive(Debug)]
pub(crate) struct Page {
    files: HashMap<&'static str, Served>,
}

#[derive(Debug)]
struct Served {
    file: File,
    content_type: &'static str,
    is_asset: bool,
    /// Of the content; each encoding adds its name.
    hash: String,
}

/// The ways that a file is sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Encoding {
    Brotli,
    Gzip,
    Identity,
}

impl Page {
    pub(crate) fn built() -> Self {
        if BUILT.is_empty() { Self::of(&[PLACEHOLDER]) } else { Self::of(BUILT) }
    }

    fn of(files: &[File]) -> Self {
        let mut by_path = HashMap::new();
        for file in files {
            by_path.insert(file.path, Served::of(file));
            if file.path == INDEX {
                by_path.insert(ROOT, Served::of(file));
            }
        }
        Self { files: by_path }
    }

    /// The paths to serve.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.files.keys().copied()
    }

    /// `None` for a path without a file.
    pub(crate) fn answer(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        let file = self.files.get(path)?;
        let encoding = file.encoding(headers);
        let tag = file.tag(encoding);
        let is_known = headers.get_all(IF_NONE_MATCH).iter().any(|sent| names(sent, &tag));
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let content_type = HeaderValue::from_static(file.content_type);
            ([(CONTENT_TYPE, content_type)], Body::from(file.bytes(encoding))).into_response()
        };
        let head = response.headers_mut();
        head.insert(CACHE_CONTROL, if file.is_asset { FOR_A_YEAR } else { CHECKED });
        head.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
        head.insert(ETAG, HeaderValue::try_from(tag).expect("hexadecimal digits"));
        if let (Some(name), false) = (encoding.name(), is_known) {
            head.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        Some(response)
    }
}

impl Served {
    fn of(file: &File) -> Self {
        Self {
            file: *file,
            content_type: content_type(file.path),
            is_asset: file.path.starts_with(ASSETS),
            hash: request_hash(file.plain).iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }

    /// The smallest form that the client takes.
    fn encoding(&self, headers: &HeaderMap) -> Encoding {
        if self.file.compressed.is_none() {
            return Encoding::Identity;
        }
        let compressed = [Encoding::Brotli, Encoding::Gzip];
        compressed.into_iter().find(|of| of.is_taken(headers)).unwrap_or(Encoding::Identity)
    }

    fn tag(&self, encoding: Encoding) -> String {
        match encoding.name() {
            Some(name) => format!("\"{}-{name}\"", self.hash),
            None => format!("\"{}\"", self.hash),
        }
    }

    fn bytes(&self, encoding: Encoding) -> &'static [u8] {
        match (self.file.compressed, encoding) {
            (Some(Compressed { brotli, .. }), Encoding::Brotli) => brotli,
            (Some(Compressed { gzip, .. }), Encoding::Gzip) => gzip,
            (None, _) | (_, Encoding::Identity) => self.file.plain,
        }
    }
}

impl Encoding {
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
            Self::Identity => None,
        }
    }

    /// Whether the client takes it: by its name, or by `*` where the name is not listed.
    fn is_taken(self, headers: &HeaderMap) -> bool {
        let listed = || {
            let lists = headers.get_all(ACCEPT_ENCODING).iter().map(header_text);
            lists.flat_map(|list| list.split(',')).map(named_quality)
        };
        let quality = |wanted: &str| {
            let mut of_name = listed().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
            of_name.next().map(|(_, is_wanted)| is_wanted)
        };
        let by_name = self.name().and_then(quality);
        by_name.or_else(|| quality("*")).unwrap_or(false)
    }
}

/// The name of an entry such as `br;q=0.8`, and whether its quality is above zero.
fn named_quality(entry: &str) -> (&str, bool) {
    let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
    let quality = parameters.trim().strip_prefix("q=").unwrap_or("1");
    (name.trim(), quality.trim().parse::<f32>().is_ok_and(|quality| quality > 0.0))
}

/// Whether an `If-None-Match` names this tag. A cache may have marked it as weak.
fn names(sent: &HeaderValue, tag: &str) -> bool {
    let is_same = |one: &str| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag;
    header_text(sent).split(',').any(|one| is_same(one.trim()))
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// The headers of each answer of the page. Scripts, styles and data come from the venue alone, text
/// never becomes markup, and no other page frames or opens this one.
pub(crate) const SECURITY: [(HeaderName, HeaderValue); 6] = [
    (
        HeaderName::from_static("content-security-policy"),
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
             img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        ),
    ),
    (HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static(
            "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), display-capture=(), \
             encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), \
             identity-credentials-get=(), idle-detection=(), local-fonts=(), magnetometer=(), \
             microphone=(), midi=(), payment=(), picture-in-picture=(), \
             publickey-credentials-create=(), publickey-credentials-get=(), \
             screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()",
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [File; 3] = [
        File { path: INDEX, plain: b"plain", compressed: Some(COMPRESSED) },
        File { path: "/assets/a-1.js", plain: b"script", compressed: Some(COMPRESSED) },
        File { path: "/icon.png", plain: b"png", compressed: None },
    ];
    const COMPRESSED: Compressed = Compressed { brotli: b"brotli", gzip: b"gzip" };

    fn answer(path: &str, headers: &[(HeaderName, &'static str)]) -> Response {
        let headers = headers.iter().map(|(name, text)| {
            let text = HeaderValue::from_static(text);
            (name.clone(), text)
        });
        Page::of(&FILES).answer(path, &headers.collect()).expect("a file")
    }

    fn header(response: &Response, name: HeaderName) -> &str {
        response.headers().get(name).map_or("", header_text)
    }

    async fn body(response: Response) -> Vec<u8> {
        axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()
    }

    #[tokio::test]
    async fn a_client_gets_the_smallest_form_that_it_takes() {
        for (accepted, encoding, bytes) in [
            ("gzip, deflate, br, zstd", "br", &b"brotli"[..]),
            ("GZIP", "gzip", b"gzip"),
            ("br;q=0, gzip;q=0.5", "gzip", b"gzip"),
            ("br; q=0.001", "br", b"brotli"),
            ("*", "br", b"brotli"),
            ("*;q=0", "", b"plain"),
            ("br;q=x", "", b"plain"),
            ("identity", "", b"plain"),
        ] {
            let sent = answer(ROOT, &[(ACCEPT_ENCODING, accepted)]);
            assert_eq!(header(&sent, CONTENT_ENCODING), encoding, "{accepted}");
            assert_eq!(header(&sent, VARY), "accept-encoding");
            assert_eq!(body(sent).await, bytes, "{accepted}");
        }
        assert_eq!(body(answer(ROOT, &[])).await, b"plain");
        let picture = answer("/icon.png", &[(ACCEPT_ENCODING, "br, gzip")]);
        assert_eq!(header(&picture, CONTENT_ENCODING), "");
        assert_eq!(body(picture).await, b"png");
    }

    #[test]
    fn names_with_a_hash_are_kept_for_a_year_and_the_rest_is_checked() {
        for (path, kept, content_type) in [
            (ROOT, "no-cache", "text/html; charset=utf-8"),
            (INDEX, "no-cache", "text/html; charset=utf-8"),
            ("/icon.png", "no-cache", "image/png"),
            (
                "/assets/a-1.js",
                "public, max-age=31536000, immutable",
                "text/javascript; charset=utf-8",
            ),
        ] {
            let sent = answer(path, &[]);
            assert_eq!(header(&sent, CACHE_CONTROL), kept, "{path}");
            assert_eq!(header(&sent, CONTENT_TYPE), content_type, "{path}");
        }
        for nowhere in ["", "/assets/", "/assets/a-2.js", "/icon.png.br", "/../icon.png"] {
            assert!(Page::of(&FILES).answer(nowhere, &HeaderMap::new()).is_none(), "{nowhere}");
        }
    }

    #[tokio::test]
    async fn a_known_tag_gets_no_body() {
        let in_brotli = (ACCEPT_ENCODING, "br");
        let sent = answer(ROOT, std::slice::from_ref(&in_brotli));
        let tag: &'static str = header(&sent, ETAG).to_owned().leak();
        let weak: &'static str = format!("\"x\", W/{tag}").leak();
        for known in [tag, weak, "*"] {
            let again = answer(ROOT, &[in_brotli.clone(), (IF_NONE_MATCH, known)]);
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{known}");
            assert_eq!(header(&again, ETAG), tag);
            assert_eq!(header(&again, CACHE_CONTROL), "no-cache");
            assert_eq!(body(again).await, b"");
        }
        // Another encoding is another answer.
        let plain = answer(ROOT, &[(IF_NONE_MATCH, tag)]);
        assert_eq!(plain.status(), StatusCode::OK);
        assert_ne!(header(&plain, ETAG), tag);
    }

    #[test]
    fn a_venue_without_its_page_says_how_to_get_it() {
        let page = Page::of(&[PLACEHOLDER]);
        let mut paths: Vec<_> = page.paths().collect();
        paths.sort_unstable();
        assert_eq!(paths, [ROOT, INDEX]);
        assert!(std::str::from_utf8(PLACEHOLDER.plain).unwrap().contains("make web"));
    }
}
