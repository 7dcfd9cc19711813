//! The files of the page, as a browser gets them.

use crate::support::{Reply, Site};

/// Of each answer of the page.
const HEADERS: [&str; 6] = [
    "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; \
     connect-src 'self'; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'\r\n",
    "x-content-type-options: nosniff\r\n",
    "referrer-policy: no-referrer\r\n",
    "cross-origin-opener-policy: same-origin\r\n",
    "cross-origin-resource-policy: same-origin\r\n",
    "permissions-policy: accelerometer=(), ",
];

#[track_caller]
fn check_headers(reply: &Reply) {
    for header in HEADERS {
        let times = reply.head.matches(header).count();
        assert_eq!(times, 1, "{header} in {}", reply.head);
    }
}

fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
    let value = |line: &'a str| line.split_once(": ").filter(|(of, _)| *of == name);
    reply.head.lines().find_map(value).map_or("", |(_, value)| value)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_index_is_checked_at_each_visit() {
    let site = Site::new().await;
    let index = site.get("/").await;
    assert_eq!(index.status, 200, "{}", index.head);
    check_headers(&index);
    assert_eq!(header(&index, "content-type"), "text/html; charset=utf-8");
    assert_eq!(header(&index, "cache-control"), "no-cache");
    assert_eq!(header(&index, "vary"), "accept-encoding");
    assert!(index.body.to_ascii_lowercase().starts_with("<!doctype html>"), "{}", index.body);
    assert_eq!(header(&index, "content-length"), index.body.len().to_string());
    assert_eq!(site.get("/index.html").await.body, index.body);
    assert_eq!(site.get("/?market=BTCUSDT").await.body, index.body);

    let tag = header(&index, "etag").to_owned();
    let known = site.send("GET", "/", &[("if-none-match", &tag)], b"").await;
    assert_eq!((known.status, known.body.as_str()), (304, ""), "{}", known.head);
    assert_eq!(header(&known, "etag"), tag);
    check_headers(&known);

    let head = site.send("HEAD", "/", &[], b"").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""), "{}", head.head);
    assert_eq!(header(&head, "content-length"), index.body.len().to_string());
    check_headers(&head);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_file_of_the_page_is_refused_with_its_headers() {
    let site = Site::new().await;
    for path in ["/assets/none.js", "/assets/..%2f..%2fdemo.json"] {
        let missing = site.get(path).await;
        assert_eq!(missing.json()["code"], -5000, "{}", missing.head);
        assert_eq!(missing.status, 404);
        check_headers(&missing);
    }
    for method in ["POST", "PUT", "DELETE"] {
        let refused = site.send(method, "/", &[], b"").await;
        assert_eq!(refused.status, 405, "{}", refused.head);
        assert_eq!(header(&refused, "allow"), "get, head");
        check_headers(&refused);
    }
    check_headers(&site.get("/web/v1/session").await);
    check_headers(&site.send("POST", "/web/v1/sign-in", &[], b"{}").await);
    for path in ["/demo.json", "/web", "/web/v1", "/assets"] {
        assert_eq!(site.get(path).await.status, 404, "{path}");
    }
    // What programs get has no policy for browsers.
    assert!(!site.get("/api/v3/ping").await.head.contains("content-security-policy"));
}

/// The page of `web/dist`, if the gateway was built with one.
#[tokio::test(flavor = "multi_thread")]
async fn each_file_of_a_built_page_is_served_and_named_by_its_hash() {
    let site = Site::new().await;
    let index = site.get("/").await.body;
    let is_placeholder = index.contains("make web");
    let linked = index.split('"').filter(|text| text.starts_with("/assets/"));
    let linked: Vec<_> = linked.collect();
    assert_eq!(linked.is_empty(), is_placeholder, "{index}");
    for path in linked {
        let asset = site.get(path).await;
        assert_eq!(asset.status, 200, "{path}");
        assert_eq!(header(&asset, "cache-control"), "public, max-age=31536000, immutable");
        check_headers(&asset);
        let brotli = site.send("HEAD", path, &[("accept-encoding", "gzip, br")], b"").await;
        assert_eq!(header(&brotli, "content-encoding"), "br", "{path}");
        let len: usize = header(&brotli, "content-length").parse().unwrap();
        assert!(len < asset.body.len(), "{path}");
    }
}
