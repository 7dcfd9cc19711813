//! The publishers of a venue, by the positions in its folder.

use std::path::Path;

use cli::Failure;

use super::lag::Sink;

/// Of a build without publishers.
#[cfg(not(feature = "publish"))]
pub(super) fn all(_: &Path) -> Result<Vec<Sink<'static>>, Failure> {
    Ok(Vec::new())
}

/// Those that the venue runs now, or ran when it stopped.
#[cfg(feature = "publish")]
pub(super) fn all(dir: &Path) -> Result<Vec<Sink<'_>>, Failure> {
    use sinks::publish::position;

    use super::lag::Standing;

    let found = position::all(dir).map_err(|error| Failure::from(error.to_string()))?;
    let sinks = found.into_iter().map(|found| {
        let name = found.name.clone();
        let standing = move || match position::all(dir) {
            Ok(all) => {
                let own = all.into_iter().find(|position| position.name == found.name);
                own.map_or_else(Standing::default, |own| Standing {
                    position: Some(own.sequence),
                    reason: own.reason,
                })
            }
            Err(error) => Standing { position: None, reason: Some(error.to_string()) },
        };
        (name, Box::new(standing) as _)
    });
    Ok(sinks.collect())
}
