//! Clients that enter orders over REST and over the WebSocket API, on a thread that is not counted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{SystemTime, UNIX_EPOCH};

use protocol::signed::sign::sign;

/// Orders of one key. A sale rests, and the purchase after it takes it.
pub(crate) struct Orders<'a> {
    pub(crate) api_key: &'a str,
    pub(crate) secret: &'a [u8],
}

impl Orders<'_> {
    /// The parameters of an order, sorted by name.
    fn params(&self, n: u64) -> [(&'static str, String); 7] {
        let (side, time_in_force) =
            if n.is_multiple_of(2) { ("SELL", "GTC") } else { ("BUY", "IOC") };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        [
            ("price", "500.25".to_owned()),
            ("quantity", "3".to_owned()),
            ("side", side.to_owned()),
            ("symbol", "OILUSD".to_owned()),
            ("timeInForce", time_in_force.to_owned()),
            ("timestamp", now.as_millis().to_string()),
            ("type", "LIMIT".to_owned()),
        ]
    }

    fn query(&self, params: &[(&str, String)]) -> String {
        let pairs = params.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("&")
    }

    fn request(&self, n: u64) -> String {
        let query = self.query(&self.params(n));
        let signature = sign(self.secret, query.as_bytes());
        let api_key = self.api_key;
        format!(
            "POST /api/v3/order?{query}&signature={signature} HTTP/1.1\r\n\
             Host: localhost\r\nX-MBX-APIKEY: {api_key}\r\nContent-Length: 0\r\n\r\n"
        )
    }

    fn message(&self, n: u64) -> String {
        let mut params = vec![("apiKey", self.api_key.to_owned())];
        params.extend(self.params(n));
        let signature = sign(self.secret, self.query(&params).as_bytes());
        params.push(("signature", signature));
        let params = params.iter().map(|(name, value)| format!(r#""{name}":"{value}""#));
        let params = params.collect::<Vec<_>>().join(",");
        format!(r#"{{"id":{n},"method":"order.place","params":{{{params}}}}}"#)
    }
}

pub(crate) struct Rest(BufReader<TcpStream>);

impl Rest {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self(connect(address))
    }

    pub(crate) fn order(&mut self, orders: &Orders<'_>, n: u64) {
        self.0.get_mut().write_all(orders.request(n).as_bytes()).unwrap();
        let head = read_head(&mut self.0);
        let len = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; len.parse().unwrap()];
        self.0.read_exact(&mut body).unwrap();
        assert_eq!(head[0], "HTTP/1.1 200 OK", "{}", String::from_utf8_lossy(&body));
    }
}

pub(crate) struct WebSocket {
    stream: BufReader<TcpStream>,
    sent: u64,
}

impl WebSocket {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let mut stream = connect(address);
        let request = "GET /ws-api/v3?returnRateLimits=false HTTP/1.1\r\nHost: localhost\r\n\
                       Upgrade: websocket\r\nConnection: Upgrade\r\n\
                       Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
                       Sec-WebSocket-Version: 13\r\n\r\n";
        stream.get_mut().write_all(request.as_bytes()).unwrap();
        assert!(read_head(&mut stream)[0].starts_with("HTTP/1.1 101"));
        Self { stream, sent: 0 }
    }

    /// Sends this many orders in one write, and reads the answers.
    pub(crate) fn exchange(&mut self, orders: &Orders<'_>, count: u64) {
        let mut frames = Vec::new();
        for _ in 0..count {
            let message = orders.message(self.sent);
            // A masked text frame; the mask is zero.
            frames.extend([0x81, 0xfe]);
            frames.extend(u16::try_from(message.len()).unwrap().to_be_bytes());
            frames.extend([0; 4]);
            frames.extend(message.as_bytes());
            self.sent += 1;
        }
        self.stream.get_mut().write_all(&frames).unwrap();
        for _ in 0..count {
            let answer = self.frame();
            assert!(answer.contains(r#""status":200"#), "{answer}");
        }
    }

    fn frame(&mut self) -> String {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).unwrap();
        let mut len = usize::from(head[1]);
        if len == 126 {
            let mut long = [0; 2];
            self.stream.read_exact(&mut long).unwrap();
            len = usize::from(u16::from_be_bytes(long));
        }
        let mut payload = vec![0; len];
        self.stream.read_exact(&mut payload).unwrap();
        String::from_utf8(payload).unwrap()
    }
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    BufReader::new(stream)
}

/// The lines of a head.
fn read_head(stream: &mut impl BufRead) -> Vec<String> {
    let lines = stream.lines().map(Result::unwrap);
    lines.take_while(|line| !line.is_empty()).collect()
}
