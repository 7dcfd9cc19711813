//! Requests over HTTP: sent once, signed where they have to be, answers read into structs.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use protocol::binance::response::{
    AccountInfo, BookTicker, CancelAnswer, CanceledOrder, Depth, ExchangeInfo, MyTrade, OrderInfo,
    ServerTime,
};
use protocol::signed::sign::sign;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::socket::Connector;
use crate::{
    Error, NewOco, NewOrder, NewOto, OrderKey, PlacedList, PlacedOrder, ReplacedOrder,
    RootCertStore, Tls,
};

/// How long an answer may take.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
pub const RESPONSE_LEN_MAX: usize = 64 << 20;
/// Unused connections are given up before a venue would close them.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const EXCERPT_LEN_MAX: usize = 200;

#[derive(Clone)]
pub struct Credentials {
    pub api_key: String,
    pub secret_key: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(..)")
    }
}

/// A client of one venue. Clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    base_url: String,
    credentials: Option<Credentials>,
    pool: Pool<Connector, Full<Bytes>>,
    tls: Option<Tls>,
}

impl Client {
    /// `base_url` is a scheme, a host and maybe a port, such as `http://127.0.0.1:8080`. Nothing is
    /// sent yet.
    pub fn new(base_url: &str, credentials: Option<Credentials>) -> Result<Self, Error> {
        Self::over("http", base_url, credentials, None)
    }

    /// Likewise, of a venue that speaks TLS: `https://venue.example:8080`. All ways to it do.
    pub fn with_tls(
        base_url: &str,
        credentials: Option<Credentials>,
        tls: Tls,
    ) -> Result<Self, Error> {
        Self::over("https", base_url, credentials, Some(tls))
    }

    /// Likewise, of a venue whose certificate is for the host in `base_url`, by an authority in
    /// `roots`.
    pub fn trusting(
        base_url: &str,
        credentials: Option<Credentials>,
        roots: RootCertStore,
    ) -> Result<Self, Error> {
        let uri = base_url.parse::<Uri>().ok();
        let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
        let tls = Tls::trusting(roots, host.trim_matches(['[', ']']))?;
        Self::with_tls(base_url, credentials, tls)
    }

    fn over(
        scheme: &str,
        base_url: &str,
        credentials: Option<Credentials>,
        tls: Option<Tls>,
    ) -> Result<Self, Error> {
        let base_url = base_url.trim_end_matches('/').to_owned();
        let usable = base_url.parse::<Uri>().is_ok_and(|uri| {
            uri.scheme_str() == Some(scheme) && uri.host().is_some() && uri.query().is_none()
        });
        if !usable {
            return Err(Error::Usage(format!(
                "not a URL of the form {scheme}://host:port: {base_url}"
            )));
        }
        let pool = Pool::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(TokioTimer::new())
            .build(Connector { tls: tls.clone() });
        Ok(Self { base_url, credentials, pool, tls })
    }

    pub async fn ping(&self) -> Result<(), Error> {
        let IgnoredAny = self.get("/api/v3/ping", &[]).await?;
        Ok(())
    }

    /// The venue's time, in milliseconds since 1970.
    pub async fn time(&self) -> Result<u64, Error> {
        let time: ServerTime = self.get("/api/v3/time", &[]).await?;
        Ok(time.server_time)
    }

    pub async fn exchange_info(&self) -> Result<ExchangeInfo, Error> {
        self.get("/api/v3/exchangeInfo", &[]).await
    }

    /// The best `limit` levels of each side.
    pub async fn depth(&self, symbol: &str, limit: usize) -> Result<Depth, Error> {
        self.get("/api/v3/depth", &[("symbol", symbol), ("limit", &limit.to_string())]).await
    }

    pub async fn book_ticker(&self, symbol: &str) -> Result<BookTicker, Error> {
        self.get("/api/v3/ticker/bookTicker", &[("symbol", symbol)]).await
    }

    pub async fn place(&self, order: &NewOrder) -> Result<PlacedOrder, Error> {
        let key = order.idempotency_key.as_deref();
        self.signed(Method::POST, "/api/v3/order", order.query(), key).await
    }

    /// Both orders or none.
    pub async fn place_oco(&self, oco: &NewOco) -> Result<PlacedList, Error> {
        let key = oco.idempotency_key.as_deref();
        self.signed(Method::POST, "/api/v3/orderList/oco", oco.query(), key).await
    }

    /// All orders or none. What the pending ones become, queries of them say.
    pub async fn place_oto(&self, oto: &NewOto) -> Result<PlacedList, Error> {
        let key = oto.idempotency_key.as_deref();
        self.signed(Method::POST, oto.path(), oto.query(), key).await
    }

    /// All orders of a list.
    pub async fn cancel_list(
        &self,
        symbol: &str,
        order_list_id: u64,
    ) -> Result<Vec<CanceledOrder>, Error> {
        let query = Query::default().with("symbol", symbol).with("orderListId", order_list_id);
        let canceled: CancelAnswer =
            self.signed(Method::DELETE, "/api/v3/orderList", query, None).await?;
        Ok(canceled.into_orders())
    }

    /// One order; the others of its list, if it is in one, are canceled with it.
    pub async fn cancel(
        &self,
        symbol: &str,
        order: OrderKey<'_>,
    ) -> Result<Vec<CanceledOrder>, Error> {
        let query = Query::default().with("symbol", symbol);
        let query = order.query(query, "orderId", "origClientOrderId");
        let canceled: CancelAnswer =
            self.signed(Method::DELETE, "/api/v3/order", query, None).await?;
        Ok(canceled.into_orders())
    }

    /// Cancels every order of the instrument. That there is none is an error, with code -2011.
    pub async fn cancel_all(&self, symbol: &str) -> Result<Vec<CanceledOrder>, Error> {
        let query = Query::default().with("symbol", symbol);
        let canceled: Vec<CancelAnswer> =
            self.signed(Method::DELETE, "/api/v3/openOrders", query, None).await?;
        Ok(canceled.into_iter().flat_map(CancelAnswer::into_orders).collect())
    }

    /// Cancels one order and places another, in one step. Where the cancel fails, nothing is
    /// placed (code -2022); where only the new order fails, the code is -2021.
    pub async fn replace(
        &self,
        target: OrderKey<'_>,
        order: &NewOrder,
    ) -> Result<ReplacedOrder, Error> {
        let query = target.query(order.query(), "cancelOrderId", "cancelOrigClientOrderId");
        let query = query.with("cancelReplaceMode", "STOP_ON_FAILURE");
        let key = order.idempotency_key.as_deref();
        self.signed(Method::POST, "/api/v3/order/cancelReplace", query, key).await
    }

    pub async fn order(&self, symbol: &str, order: OrderKey<'_>) -> Result<OrderInfo, Error> {
        let query = Query::default().with("symbol", symbol);
        let query = order.query(query, "orderId", "origClientOrderId");
        self.signed(Method::GET, "/api/v3/order", query, None).await
    }

    /// Of one instrument, or of all.
    pub async fn open_orders(&self, symbol: Option<&str>) -> Result<Vec<OrderInfo>, Error> {
        let query = Query::default().with_some("symbol", symbol);
        self.signed(Method::GET, "/api/v3/openOrders", query, None).await
    }

    pub async fn account(&self) -> Result<AccountInfo, Error> {
        self.signed(Method::GET, "/api/v3/account", Query::default(), None).await
    }

    /// The latest `limit` trades, or the first from trade `from_id` on; the oldest comes first.
    pub async fn my_trades(
        &self,
        symbol: &str,
        from_id: Option<u64>,
        limit: usize,
    ) -> Result<Vec<MyTrade>, Error> {
        let query = Query::default().with("symbol", symbol).with_some("fromId", from_id);
        self.signed(Method::GET, "/api/v3/myTrades", query.with("limit", limit), None).await
    }

    /// Any public endpoint, for those without a method of their own.
    pub async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        params: &[(&str, &str)],
    ) -> Result<T, Error> {
        let query =
            params.iter().fold(Query::default(), |query, (name, value)| query.with(name, value));
        let query = query.finish();
        let url = if query.is_empty() {
            format!("{}{path}", self.base_url)
        } else {
            format!("{}{path}?{query}", self.base_url)
        };
        self.send(Request::get(url), Bytes::new()).await
    }

    pub(crate) fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// The venue's address, and the key, for other ways to it.
    pub(crate) fn access(&self) -> (&str, Option<&Credentials>) {
        (&self.base_url, self.credentials.as_ref())
    }

    pub(crate) async fn signed<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: Query,
        idempotency_key: Option<&str>,
    ) -> Result<T, Error> {
        let (params, api_key) = self.sign(path, query)?;
        let url = format!("{}{path}?{params}", self.base_url);
        let mut request =
            Request::builder().method(method).uri(url).header("X-MBX-APIKEY", api_key);
        if let Some(key) = idempotency_key {
            request = request.header("Idempotency-Key", key);
        }
        self.send(request, Bytes::new()).await
    }

    /// The parameters go in the body, because there are more than a line has room for.
    pub(crate) async fn signed_body<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: Query,
        idempotency_key: &str,
    ) -> Result<T, Error> {
        let (params, api_key) = self.sign(path, query)?;
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base_url))
            .header("X-MBX-APIKEY", api_key)
            .header("Idempotency-Key", idempotency_key)
            .header("Content-Type", "application/x-www-form-urlencoded");
        self.send(request, params.into()).await
    }

    /// The parameters with time and signature, and the key that signed.
    fn sign(&self, path: &str, query: Query) -> Result<(String, &str), Error> {
        let Some(credentials) = &self.credentials else {
            return Err(Error::Usage(format!("{path} needs credentials")));
        };
        let query = query.with("timestamp", now_ms()).finish();
        let signature = sign(credentials.secret_key.as_bytes(), query.as_bytes());
        Ok((format!("{query}&signature={signature}"), &credentials.api_key))
    }

    async fn send<T: DeserializeOwned>(
        &self,
        request: hyper::http::request::Builder,
        body: Bytes,
    ) -> Result<T, Error> {
        let request = request
            .body(Full::new(body))
            .map_err(|error| Error::Usage(format!("cannot be sent: {error}")))?;
        let exchange = async {
            let response = self.pool.request(request).await.map_err(Error::transport)?;
            let status = response.status().as_u16();
            let body = Limited::new(response.into_body(), RESPONSE_LEN_MAX);
            let body = body.collect().await.map_err(Error::transport)?.to_bytes();
            Ok((status, body))
        };
        match tokio::time::timeout(REQUEST_TIMEOUT, exchange).await {
            Ok(Ok((status, body))) => read(status, &body),
            Ok(Err(error)) => Err(error),
            Err(elapsed) => Err(Error::transport(elapsed)),
        }
    }
}

fn read<T: DeserializeOwned>(status: u16, body: &[u8]) -> Result<T, Error> {
    #[derive(Deserialize)]
    struct Refusal {
        code: i32,
        msg: String,
    }
    let excerpt = || {
        let text = String::from_utf8_lossy(body);
        text.chars().take(EXCERPT_LEN_MAX).collect::<String>()
    };
    if !(200..300).contains(&status) {
        return Err(match serde_json::from_slice::<Refusal>(body) {
            Ok(Refusal { code, msg }) => Error::Api { status, code, msg },
            Err(_) => Error::Shape(format!("HTTP {status}: {}", excerpt())),
        });
    }
    serde_json::from_slice(body).map_err(|error| Error::Shape(format!("{error}: {}", excerpt())))
}

/// The parameters of a request, encoded as they come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(String);

impl Query {
    pub(crate) fn with(mut self, name: &str, value: impl ToString) -> Self {
        form_urlencoded::Serializer::new(&mut self.0).append_pair(name, &value.to_string());
        self
    }

    pub(crate) fn with_some(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// Names and values, as they were given.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (String, String)> + '_ {
        form_urlencoded::parse(self.0.as_bytes()).into_owned()
    }
}

pub(crate) fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}

#[cfg(test)]
mod tests {
    use protocol::signed::sign::{VerifyingKey, verify};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::task::JoinHandle;
    use types::Side;

    use super::*;

    const ORDER: &str = r#"{"symbol": "BTCUSDT", "orderId": 28, "orderListId": -1,
        "clientOrderId": "mine", "transactTime": 1, "price": "25000.00000000",
        "origQty": "0.10000000", "executedQty": "0.04000000", "origQuoteOrderQty": "0.00000000",
        "cummulativeQuoteQty": "1000.00000000", "status": "PARTIALLY_FILLED",
        "timeInForce": "GTC", "type": "LIMIT", "side": "BUY", "workingTime": 1,
        "selfTradePreventionMode": "NONE", "fills": [{"price": "25000.00000000",
        "qty": "0.04000000", "commission": "0.00004000", "commissionAsset": "BTC",
        "tradeId": 7}]}"#;

    /// Answers one connection's requests in turn, and gives what it was sent.
    async fn stub(answers: Vec<(u16, String)>) -> (String, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let requests = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut requests = Vec::new();
            for (status, body) in answers {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(socket.read_u8().await.unwrap());
                }
                requests.push(String::from_utf8(head).unwrap());
                let len = body.len();
                let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: {len}\r\n\r\n{body}");
                socket.write_all(answer.as_bytes()).await.unwrap();
            }
            requests
        });
        (base_url, requests)
    }

    fn credentials() -> Option<Credentials> {
        Some(Credentials { api_key: "key".into(), secret_key: "secret".into() })
    }

    #[tokio::test]
    async fn requests_share_a_connection_and_are_signed() {
        let refusal = r#"{"code":-2011,"msg":"Unknown order sent."}"#;
        let replaced = format!(
            r#"{{"newOrderResponse": {ORDER}, "cancelResponse": {}}}"#,
            ORDER
                .replace("clientOrderId", "origClientOrderId")
                .replace(r#""transactTime""#, r#""clientOrderId": "cancel", "transactTime""#)
        );
        let (base_url, requests) = stub(vec![
            (200, "{}".into()),
            (200, r#"{"lastUpdateId":160,"bids":[["4.00000000","0.00431000"]],"asks":[]}"#.into()),
            (200, ORDER.into()),
            (200, replaced),
            (400, refusal.into()),
        ])
        .await;
        let client = Client::new(&base_url, credentials()).unwrap();
        client.ping().await.unwrap();
        let depth = client.depth("BTCUSDT", 5).await.unwrap();
        assert_eq!(depth.bids, [["4.00000000", "0.00431000"]]);

        let order = NewOrder::limit("BTCUSDT", Side::Buy, "0.1", "25000").idempotency_key("once");
        let placed = client.place(&order).await.unwrap();
        assert_eq!(
            (placed.order_id, placed.report.side, placed.report.is_open()),
            (28, Side::Buy, true)
        );
        assert_eq!(placed.fills[0].qty, "0.04000000");
        let replaced = client.replace(OrderKey::OrderId(28), &order).await.unwrap();
        assert_eq!(replaced.canceled[0].orig_client_order_id, "mine");
        assert_eq!(replaced.placed.order_id, 28);
        let error = client.cancel("BTCUSDT", OrderKey::ClOrdId("a b")).await.unwrap_err();
        assert_eq!(error.to_string(), "refused: Unknown order sent. (-2011, HTTP 400)");

        let requests = requests.await.unwrap();
        let lines = requests.iter().map(|head| head.lines().next().unwrap()).collect::<Vec<_>>();
        assert_eq!(lines[0], "GET /api/v3/ping HTTP/1.1");
        assert_eq!(lines[1], "GET /api/v3/depth?symbol=BTCUSDT&limit=5 HTTP/1.1");
        assert!(lines[2].starts_with("POST /api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&"));
        assert!(requests[2].to_lowercase().contains("idempotency-key: once\r\n"));
        assert!(
            lines[3].contains("&cancelOrderId=28&cancelReplaceMode=STOP_ON_FAILURE&timestamp=")
        );
        assert!(lines[4].starts_with("DELETE /api/v3/order?symbol=BTCUSDT&origClientOrderId=a+b&"));
        for (head, line) in requests.iter().zip(&lines).skip(2) {
            let query = line.split([' ', '?']).nth(2).unwrap();
            assert_eq!(verify(&VerifyingKey::hmac(b"secret"), query, b""), Ok(()), "{line}");
            assert!(head.to_lowercase().contains("x-mbx-apikey: key\r\n"));
        }
    }

    #[tokio::test]
    async fn what_is_not_an_answer_has_an_error_of_its_own() {
        let (base_url, _requests) = stub(vec![
            (502, "<html>Bad Gateway</html>".into()),
            (200, r#"{"serverTime":"soon"}"#.into()),
        ])
        .await;
        let client = Client::new(&base_url, None).unwrap();
        let error = client.time().await.unwrap_err();
        assert_eq!(error.to_string(), "unexpected answer: HTTP 502: <html>Bad Gateway</html>");
        assert!(matches!(client.time().await, Err(Error::Shape(_))));
        // The stub has gone: nothing listens there any more.
        assert!(matches!(client.time().await, Err(Error::Transport(_))));
        assert!(matches!(client.account().await, Err(Error::Usage(_))));
    }

    #[test]
    fn only_plain_http_can_be_spoken() {
        for url in ["https://venue", "venue:80", "", "http://", "http://venue/?x=1"] {
            assert!(matches!(Client::new(url, None), Err(Error::Usage(_))), "{url}");
        }
        assert!(Client::new("http://127.0.0.1:1/", None).is_ok());
    }

    #[test]
    fn secrets_are_not_printed() {
        assert_eq!(format!("{:?}", credentials()), "Some(Credentials(..))");
    }
}
