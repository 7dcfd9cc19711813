//! Whatever bytes come over a SoupBinTCP session, the same packets come out however they are cut.
//!
//! The first byte chooses the side, the second the length of a part.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::soup::{Client, LogOn, Received, Server};

fuzz_target!(|bytes: &[u8]| {
    let [side, part, bytes @ ..] = bytes else { return };
    let whole = packets(*side, bytes, bytes.len().max(1));
    assert_eq!(packets(*side, bytes, usize::from(*part).max(1)), whole);
});

/// The packets as texts. A violation ends them.
fn packets(side: u8, bytes: &[u8], part: usize) -> Vec<String> {
    let log_on = LogOn::new("user", "password", None, 1).expect("short texts");
    let mut server = Server::new(0);
    let mut client = Client::log_on(&log_on, &mut Vec::new(), 0);
    let (mut kept, mut found) = (Vec::new(), Vec::new());
    for part in bytes.chunks(part) {
        kept.extend_from_slice(part);
        let mut rest = &kept[..];
        loop {
            let before = rest.len();
            let received = if side & 1 == 0 {
                server.receive(&mut rest, 0)
            } else {
                client.receive(&mut rest, 0)
            };
            match received {
                Received::NeedMore => break,
                Received::Violation(_) => {
                    found.push(format!("{received:?}"));
                    return found;
                }
                _ => {
                    assert!(rest.len() < before, "no packet is made of nothing");
                    found.push(format!("{received:?}"));
                }
            }
            if let Received::LogOn(_) = received {
                server.accept(protocol::soup::SessionName::numbered(1), 1, &mut Vec::new(), 0);
            }
        }
        kept = rest.to_vec();
    }
    found
}
