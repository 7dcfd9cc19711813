//! Answers for a tool, on the thread of the caller.

use projection::{Answer, ProjectionError, Question, Standstill};
use tokio::runtime::{Builder, Runtime};

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::history::{SETTINGS, ask};
use crate::postgres::schema;
use crate::postgres::session::Session;

/// One connection that reads.
#[derive(Debug)]
pub struct Reader {
    address: Address,
    session: Session,
    runtime: Runtime,
}

impl Reader {
    pub fn open(address: &Address) -> Result<Self, ProjectionError> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
            let sentence = format!("cannot be reached: {error}");
            Failed::Other(Standstill::Failed, sentence).at(address)
        })?;
        let connect = async {
            let session = Session::connect(address, SETTINGS).await?;
            schema::check_is_current(&session, address).await?;
            Ok(session)
        };
        let session = runtime.block_on(connect).map_err(|failed: Failed| failed.at(address))?;
        Ok(Self { address: address.clone(), session, runtime })
    }

    pub fn ask(&self, question: &Question) -> Result<Answer, ProjectionError> {
        let answer = self.runtime.block_on(ask(&self.session, question, 0));
        answer.map_err(|failed| failed.at(&self.address))
    }
}
