pub(crate) struct Bot {
    pub(crate) name: String,
    pub(crate) api_key: String,
    pub(crate) secret_key: String,
}

pub(crate) async fn run(_: String, _: Vec<Bot>, _: u64, shutdown: impl Future<Output = ()> + Send) {
    shutdown.await;
}
