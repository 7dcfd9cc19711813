//! The databases of one history: whether those that are named are all of them, and what each has.

use std::collections::BTreeSet;

use projection::{ProjectionError, Standstill};
use tokio_postgres::Row;

use crate::postgres::column::Cells;
use crate::postgres::copy::int;
use crate::postgres::failure::Failed;
use crate::postgres::map::{Home, Map};
use crate::postgres::session::Session;
use crate::postgres::shard::{Shard, in_time, numbers};

/// What a database knows of its place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Place {
    /// The databases of one history have it in common.
    pub(crate) set_id: String,
    pub(crate) shard: usize,
    pub(crate) map: Map,
}

/// Rows that are in a database and do not count.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Stray {
    pub(crate) shard: usize,
    pub(crate) buckets: Vec<usize>,
}

/// What the databases have together.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    /// `None` for a history in one database that never had others.
    pub(crate) place: Option<Place>,
    pub(crate) strays: Vec<Stray>,
}

impl Settled {
    pub(crate) fn map(&self) -> Map {
        self.place.as_ref().map_or_else(Map::first_alone, |place| place.map.clone())
    }
}

/// Decides what each database has. A new one joins with no rows, and rows move to it later.
pub(crate) async fn settle(shards: &mut [Shard]) -> Result<Settled, ProjectionError> {
    let mut places = Vec::new();
    for shard in &*shards {
        places.push(
            in_time(read(&shard.session))
                .await
                .map_err(|failed| failed.at(&shard.session.address))?,
        );
    }
    // One that was restored has an older map.
    let known = places.iter().flatten().max_by_key(|place| place.map.version).cloned();
    let place = match known {
        None if shards.len() == 1 => return Ok(Settled { place: None, strays: Vec::new() }),
        None => begin(shards).await?,
        Some(place) => place,
    };
    check(shards, &places, &place)?;
    for at in place.map.shards()..shards.len() {
        let (first, others) = shards.split_at_mut(1);
        join(&first[0], &mut others[at - 1]).await?;
    }
    for (at, shard) in shards.iter_mut().enumerate() {
        let own = Place { shard: at, ..place.clone() };
        if places[at].as_ref() != Some(&own) {
            let written = in_time(write(&shard.session, &own)).await;
            written.map_err(|failed| failed.at(&shard.session.address))?;
        }
        shard.scope = own.map.scope(at);
    }
    let mut strays = Vec::new();
    for (at, shard) in shards.iter().enumerate() {
        let found = in_time(strays_of(shard, at, &place.map)).await;
        let buckets = found.map_err(|failed| failed.at(&shard.session.address))?;
        if !buckets.is_empty() {
            strays.push(Stray { shard: at, buckets });
        }
    }
    Ok(Settled { place: Some(place), strays })
}

/// A history that is new lies in all databases from the beginning. One that was in the first alone
/// stays there, until its rows move.
pub(crate) async fn begin(shards: &[Shard]) -> Result<Place, ProjectionError> {
    let is_new = shards[0].progress.sequence == 0;
    let map = if is_new { Map::spread(shards.len()) } else { Map::first_alone() };
    let select = "SELECT gen_random_uuid()::text";
    let drawn = in_time(shards[0].session.query_maybe(select, &[])).await.and_then(|row| {
        row.map_or_else(|| Err(Failed::damaged("set_id")), |row| Cells::new(&row).get())
    });
    let set_id = drawn.map_err(|failed| failed.at(&shards[0].session.address))?;
    Ok(Place { set_id, shard: 0, map })
}

fn check(shards: &[Shard], places: &[Option<Place>], place: &Place) -> Result<(), ProjectionError> {
    let needed = place.map.shards();
    let is_beginning = |at: usize| at == 0 && places.iter().all(Option::is_none);
    for (at, (shard, found)) in shards.iter().zip(places).enumerate() {
        let sentence = match found {
            Some(found) if found.set_id != place.set_id => {
                "belongs to the databases of another history: name others, or make history anew \
                 with `buttonwood projection rebuild --history URL,URL`"
                    .to_owned()
            }
            Some(found) if found.shard != at => format!(
                "is database {} of this history and is named as number {}: name them in their order",
                found.shard + 1,
                at + 1
            ),
            None if shard.progress.sequence > 0 && !is_beginning(at) => {
                "holds a history of its own, or one from before there were several databases: name \
                 an empty one, or make history anew with `buttonwood projection rebuild --history \
                 URL,URL`"
                    .to_owned()
            }
            _ if needed > shards.len() => format!(
                "has one part of a history that lies in {needed} databases: name all of them, \
                 with commas"
            ),
            _ if lacks_moved(shard, at, &place.map) => {
                "was restored to a backup from before accounts moved to it: make history anew \
                 with `buttonwood projection rebuild --history URL,URL`"
                    .to_owned()
            }
            _ => continue,
        };
        return Err(Failed::Other(Standstill::OtherVenue, sentence).at(&shard.session.address));
    }
    Ok(())
}

/// Whether it lacks rows that came from another database, which has deleted them since.
fn lacks_moved(shard: &Shard, at: usize, map: &Map) -> bool {
    let position = shard.progress.sequence;
    map.homes().any(|(_, home)| home.shard == at && home.since > position)
}

/// A database without buckets is where the first one is, and knows what all know.
async fn join(first: &Shard, shard: &mut Shard) -> Result<(), ProjectionError> {
    if shard.progress.sequence >= first.progress.sequence {
        return Ok(());
    }
    let gaps = first.gaps().await?;
    let (to, session) = (first.progress, &shard.session);
    let failed = |failed: Failed| failed.at(&session.address);
    let begun = async {
        session.run("BEGIN; TRUNCATE gaps, instruments, assets").await?;
        let update = "UPDATE progress SET sequence = $1, sequenced_ns = $2, command = $3, \
                      first_sequence = $4, kept_since_ns = $5 WHERE id = 0";
        let numbers =
            [to.sequence, to.sequenced_ns, to.command, to.first_sequence, to.kept_since_ns];
        let [a, b, c, d, e] = numbers.map(int);
        session.execute(update, &[&a, &b, &c, &d, &e]).await?;
        for (first, last) in gaps {
            let insert = "INSERT INTO gaps VALUES ($1, $2)";
            session.execute(insert, &[&int(first), &int(last)]).await?;
        }
        Ok(())
    };
    in_time(begun).await.map_err(failed)?;
    for table in ["assets", "instruments"] {
        let out = format!("COPY {table} TO STDOUT (FORMAT binary)");
        let into = format!("COPY {table} FROM STDIN (FORMAT binary)");
        first.session.pipe(&out, session, &into).await?;
    }
    in_time(session.run("COMMIT")).await.map_err(failed)?;
    shard.progress = to;
    Ok(())
}

/// Buckets with rows that are another database's: of a move that was broken off, or that was done
/// before this one was restored.
async fn strays_of(shard: &Shard, at: usize, map: &Map) -> Result<Vec<usize>, Failed> {
    let rows = shard.session.query("SELECT bucket FROM moves", &[]).await?;
    let marked = rows.iter().map(|row| Cells::new(row).get::<i16>());
    let mut found = BTreeSet::new();
    for bucket in marked.collect::<Result<Vec<_>, _>>()? {
        found.insert(usize::from(bucket.unsigned_abs()));
    }
    let position = shard.progress.sequence;
    let has_back = |home: &Home| home.from == Some(at) && home.shard != at && home.since > position;
    let restored = map.homes().filter(|(_, home)| has_back(home)).map(|(bucket, _)| bucket);
    found.extend(restored);
    let own: BTreeSet<usize> = map.scope(at).buckets().into_iter().collect();
    unmark(&shard.session, &found.intersection(&own).copied().collect::<Vec<_>>()).await?;
    let strays: Vec<usize> = found.difference(&own).copied().collect();
    mark(&shard.session, &strays).await?;
    Ok(strays)
}

/// From now on the rows of these buckets do not count there, and go at a later time.
pub(crate) async fn mark(session: &Session, buckets: &[usize]) -> Result<(), Failed> {
    if buckets.is_empty() {
        return Ok(());
    }
    let insert = "INSERT INTO moves SELECT bucket, -1 FROM unnest($1::smallint[]) b (bucket) \
                  ON CONFLICT (bucket) DO UPDATE SET sequence = -1";
    session.execute(insert, &[&numbers(buckets)]).await.map(drop)
}

pub(crate) async fn unmark(session: &Session, buckets: &[usize]) -> Result<(), Failed> {
    if buckets.is_empty() {
        return Ok(());
    }
    let delete = "DELETE FROM moves WHERE bucket = ANY ($1)";
    session.execute(delete, &[&numbers(buckets)]).await.map(drop)
}

/// The place of a database, and the version of its map; `None` where none was written.
pub(crate) async fn read_place(session: &Session) -> Result<Option<(usize, u64)>, Failed> {
    let select = "SELECT shard, map_version FROM shards WHERE id = 0";
    let Some(row) = session.query_maybe(select, &[]).await? else { return Ok(None) };
    let mut cells = Cells::new(&row);
    Ok(Some((cells.parsed(place_of)?, cells.uint()?)))
}

/// `None` where no place was written.
pub(crate) async fn read(session: &Session) -> Result<Option<Place>, Failed> {
    let Some((shard, version)) = read_place(session).await? else { return Ok(None) };
    let row = session.query_maybe("SELECT set_id FROM shards WHERE id = 0", &[]).await?;
    let row = row.ok_or_else(|| Failed::damaged("set_id"))?;
    let set_id = Cells::new(&row).get()?;
    let select = "SELECT shard, since_sequence, from_shard FROM buckets ORDER BY bucket";
    let home = |row: &Row| {
        let mut cells = Cells::new(row);
        Ok(Home {
            shard: cells.parsed(place_of)?,
            since: cells.uint()?,
            from: cells.get::<Option<i16>>()?.and_then(place_of),
        })
    };
    let rows = session.query(select, &[]).await?;
    let homes = rows.iter().map(home).collect::<Result<Vec<_>, Failed>>()?;
    let map = Map::new(version, homes).ok_or_else(|| Failed::damaged("bucket"))?;
    Ok(Some(Place { set_id, shard, map }))
}

fn place_of(number: i16) -> Option<usize> {
    usize::try_from(number).ok()
}

/// In one transaction.
pub(crate) async fn write(session: &Session, place: &Place) -> Result<(), Failed> {
    session.run("BEGIN").await?;
    write_within(session, place).await?;
    session.run("COMMIT").await
}

/// Within a transaction of the caller.
pub(crate) async fn write_within(session: &Session, place: &Place) -> Result<(), Failed> {
    let Place { set_id, shard, map } = place;
    let small = |number: usize| i16::try_from(number).expect("there are few databases");
    session.run("DELETE FROM shards; DELETE FROM buckets").await?;
    let insert = "INSERT INTO shards VALUES (0, $1, $2, $3)";
    session.execute(insert, &[set_id, &small(*shard), &int(map.version)]).await?;
    let insert = "INSERT INTO buckets SELECT * FROM unnest($1::smallint[], $2::smallint[], \
                  $3::bigint[], $4::smallint[])";
    let buckets: Vec<i16> = map.homes().map(|(bucket, _)| small(bucket)).collect();
    let shards: Vec<i16> = map.homes().map(|(_, home)| small(home.shard)).collect();
    let since: Vec<i64> = map.homes().map(|(_, home)| int(home.since)).collect();
    let from: Vec<Option<i16>> = map.homes().map(|(_, home)| home.from.map(small)).collect();
    session.execute(insert, &[&buckets, &shards, &since, &from]).await.map(drop)
}
