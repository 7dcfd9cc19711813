//! The tables and their versions.

use projection::Standstill;

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::session::Session;

/// What leads from each version to the next. A statement keeps its released text.
const MIGRATIONS: &[&str] = &[include_str!("version_1.sql")];

/// The version of the tables that this program reads and writes.
pub const SCHEMA_VERSION: i32 = MIGRATIONS.len() as i32;

/// One migration at a time, whichever process does it: "BWPJ".
const LOCK: i64 = 0x4257_504A;

/// Makes the tables, or migrates them to this version.
pub(crate) async fn prepare(session: &Session, address: &Address) -> Result<(), Failed> {
    let found = version(session, address).await?;
    if found == Some(SCHEMA_VERSION) {
        return Ok(());
    }
    check(found)?;
    session.run(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})")).await?;
    // Another process may have been quicker.
    let found = version(session, address).await?;
    check(found)?;
    let schema = &address.schema;
    let Some(version) = found else {
        let has_schema = has_schema(session, schema).await?;
        let create = if has_schema { String::new() } else { format!("CREATE SCHEMA {schema};") };
        session
            .run(&format!("{create} CREATE TABLE schema_version (version integer NOT NULL);"))
            .await?;
        session.run("INSERT INTO schema_version VALUES (0)").await?;
        return migrate(session, 0).await;
    };
    tracing::info!(from = version, to = SCHEMA_VERSION, place = %address, "the read model is migrated");
    migrate(session, version).await
}

async fn migrate(session: &Session, from: i32) -> Result<(), Failed> {
    let done = usize::try_from(from).expect("a version was checked");
    for migration in &MIGRATIONS[done..] {
        session.run(migration).await?;
    }
    session.run(&format!("UPDATE schema_version SET version = {SCHEMA_VERSION}; COMMIT")).await
}

/// Fails unless the tables are of this version.
pub(crate) async fn check_is_current(session: &Session, address: &Address) -> Result<(), Failed> {
    let found = version(session, address).await?;
    check(found)?;
    if found == Some(SCHEMA_VERSION) {
        return Ok(());
    }
    let sentence = "has no read model of this version: start the venue, or make it with \
                    `buttonwood projection rebuild --history URL`";
    Err(Failed::Other(Standstill::Missing, sentence.into()))
}

fn check(version: Option<i32>) -> Result<(), Failed> {
    match version {
        Some(version) if !(0..=SCHEMA_VERSION).contains(&version) => Err(Failed::Other(
            Standstill::OtherVersion,
            format!(
                "was fed by a later build: its tables have version {version}, and this build knows \
                 {SCHEMA_VERSION}; start the later build"
            ),
        )),
        _ => Ok(()),
    }
}

/// `None` without tables.
async fn version(session: &Session, address: &Address) -> Result<Option<i32>, Failed> {
    let table = format!("{}.schema_version", address.schema);
    let find = "SELECT to_regclass($1)::text";
    let found = session.query_maybe(find, &[&table]).await?;
    let is_there = match found {
        Some(row) => row.try_get::<_, Option<String>>(0)?.is_some(),
        None => false,
    };
    if !is_there {
        return Ok(None);
    }
    let row = session.query_maybe("SELECT version FROM schema_version", &[]).await?;
    Ok(Some(row.map_or(Ok(0), |row| row.try_get(0))?))
}

async fn has_schema(session: &Session, schema: &str) -> Result<bool, Failed> {
    let find = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
    Ok(session.query_maybe(find, &[&schema.to_owned()]).await?.is_some())
}
