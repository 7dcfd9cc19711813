//! Requests over REST. The venue recognises a repeated one by its key.

use serde::de::DeserializeOwned;
use types::Origin;

use crate::http::Query;
use crate::venue::json::{Asks, Request};
use crate::{Client, Error};

#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub(super) client: Client,
}

impl Asks for Rest {
    const WAY: Origin = Origin::Rest;
    const RECOGNISES_REPEATS: bool = true;

    async fn ask<T: DeserializeOwned>(
        &self,
        request: Request,
        query: &Query,
        key: &str,
    ) -> Result<T, Error> {
        let (method, path) = request.rest();
        self.client.signed(method, path, query.clone(), Some(key)).await
    }
}
