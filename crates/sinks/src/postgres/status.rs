//! What the read model of a venue holds, for its operator. The venue may run.

use projection::{Progress, ProjectionError, Standstill};
use tokio::runtime::Builder;

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::forget::bytes;
use crate::postgres::schema::{self, SCHEMA_VERSION};
use crate::postgres::session::Session;
use crate::postgres::shard::{read_gaps, read_progress};

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Status {
    pub schema_version: i32,
    pub progress: Progress,
    /// The first and the last command of each hole.
    pub gaps: Vec<(u64, u64)>,
    pub bytes: u64,
}

pub fn status(address: &Address) -> Result<Status, ProjectionError> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
        let sentence = format!("cannot be reached: {error}");
        Failed::Other(Standstill::Failed, sentence).at(address)
    })?;
    runtime.block_on(read(address)).map_err(|failed| failed.at(address))
}

async fn read(address: &Address) -> Result<Status, Failed> {
    let session = Session::connect(address, "SET default_transaction_read_only TO on").await?;
    schema::check_is_current(&session, address).await?;
    Ok(Status {
        schema_version: SCHEMA_VERSION,
        progress: read_progress(&session).await?,
        gaps: read_gaps(&session).await?,
        bytes: bytes(&session).await?,
    })
}
