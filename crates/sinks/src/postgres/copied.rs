//! The rows of a read model written by `COPY` alone: what its database could do at best.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use projection::{ProjectionError, Standstill};
use tokio::runtime::Builder;

use crate::postgres::address::Address;
use crate::postgres::column::Cells;
use crate::postgres::failure::Failed;
use crate::postgres::partition::Partitions;
use crate::postgres::schema;
use crate::postgres::session::Session;

/// Bytes of a file that are sent at a time, as `psql` does.
const CHUNK: usize = 64 << 10;

/// Tables that say how the read model stands, and have no rows of events.
const STATE: [&str; 6] = ["buckets", "moves", "partitions", "progress", "schema_version", "shards"];

const SETTINGS: &str = "SET synchronous_commit TO on; SET client_min_messages TO warning";

/// What was copied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Copied {
    pub rows: u64,
    /// From the first row that was sent to the last commit.
    pub time: Duration,
}

/// Writes all rows to files in `folder`, then loads them into tables of the same form, with the
/// same indexes and partitions, in the empty schema of `target`, which stays.
pub fn copy_again(
    address: &Address,
    target: &Address,
    folder: &Path,
) -> Result<Copied, ProjectionError> {
    run(address, async {
        let from = Session::connect(address, SETTINGS).await?;
        schema::check_is_current(&from, address).await?;
        let to = Session::connect(target, SETTINGS).await?;
        schema::prepare(&to, target).await?;
        let spans = Partitions::read(&from).await?.known();
        Partitions::read(&to).await?.provide_all(&to, &spans).await?;
        let mut files = Vec::new();
        for table in tables(&from).await? {
            let file = export(&from, &table, &folder.join(&table)).await?;
            files.push((table, file));
        }
        let (begun, mut rows) = (Instant::now(), 0);
        for (table, file) in &mut files {
            rows += load(&to, table, file).await?;
        }
        Ok(Copied { rows, time: begun.elapsed() })
    })
}

/// Removes a schema with all that is in it.
pub fn drop_schema(address: &Address) -> Result<(), ProjectionError> {
    run(address, async {
        let session = Session::connect(address, SETTINGS).await?;
        session.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", address.schema)).await
    })
}

/// Runs to its end on this thread.
fn run<T>(
    address: &Address,
    what: impl Future<Output = Result<T, Failed>>,
) -> Result<T, ProjectionError> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| {
        let sentence = format!("cannot be reached: {error}");
        Failed::Other(Standstill::Failed, sentence).at(address)
    })?;
    runtime.block_on(what).map_err(|failed| failed.at(address))
}

/// In the order of their names.
async fn tables(session: &Session) -> Result<Vec<String>, Failed> {
    let select = "SELECT relname::text FROM pg_class \
                  WHERE relnamespace = current_schema()::regnamespace \
                  AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname";
    let rows = session.query(select, &[]).await?;
    let names = rows.iter().map(|row| Cells::new(row).get::<String>());
    let mut names = names.collect::<Result<Vec<_>, _>>()?;
    names.retain(|name| !STATE.contains(&name.as_str()));
    Ok(names)
}

async fn export(session: &Session, table: &str, path: &Path) -> Result<File, Failed> {
    let stream = session.copy_out(&format!("COPY (SELECT * FROM {table}) TO STDOUT")).await?;
    let mut stream = std::pin::pin!(stream);
    let open = || File::options().read(true).write(true).create(true).truncate(true).open(path);
    let mut file = open().map_err(|error| of_file(path, &error))?;
    while let Some(chunk) = stream.next().await {
        file.write_all(&chunk?).map_err(|error| of_file(path, &error))?;
    }
    file.seek(SeekFrom::Start(0)).map_err(|error| of_file(path, &error))?;
    Ok(file)
}

/// Returns the number of rows.
async fn load(session: &Session, table: &str, file: &mut File) -> Result<u64, Failed> {
    let mut buffer = vec![0; CHUNK];
    let next = async || {
        let length = file.read(&mut buffer).map_err(|error| of_file(Path::new(table), &error))?;
        Ok((length > 0).then(|| Bytes::copy_from_slice(&buffer[..length])))
    };
    session.copy_in(&format!("COPY {table} FROM STDIN"), next).await
}

fn of_file(path: &Path, error: &std::io::Error) -> Failed {
    Failed::Other(Standstill::Failed, format!("cannot be copied: {}: {error}", path.display()))
}
