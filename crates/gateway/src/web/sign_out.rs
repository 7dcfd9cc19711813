//! Signing out, of one browser or of all.

use protocol::signed::ApiError;
use serde::Deserialize;

use crate::web::request::Posted;
use crate::web::sign_in::{Answer, Cookie, Current};
use crate::web::user::User;
use crate::web::{WebState, keys};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignOut {
    #[serde(default)]
    everywhere: bool,
}

/// `POST /web/v1/sign-out`: revokes the keys of this session and ends it, or all of the login. The
/// session ends last: where the venue does not answer, the person can try again.
pub(crate) async fn sign_out(
    web: &WebState,
    posted: &Posted,
    SignOut { everywhere }: SignOut,
) -> Result<Answer, ApiError> {
    if let Some(Current { id, user, session }) = web.session(&posted.headers) {
        if everywhere {
            sign_out_everywhere(web, posted, &user).await?;
        } else {
            // A session ends with the key that it signed in with, which is the first.
            let keys = session.keys.iter().rev().copied();
            keys::revoke(web, posted, &user, keys).await?;
            let ended = web.sessions.end(id).map_or_else(Vec::new, |ended| ended.keys);
            let registered_meanwhile: Vec<_> =
                ended.into_iter().filter(|key| !session.keys.contains(key)).collect();
            keys::revoke(web, posted, &user, registered_meanwhile).await?;
        }
    }
    Ok(Answer { body: "{}".to_owned(), cookie: Cookie::Ends })
}

/// Until no key of the login is left. A registration that is under way when the sessions end
/// revokes its key itself, and the key of one that was done before is found here.
async fn sign_out_everywhere(web: &WebState, posted: &Posted, user: &User) -> Result<(), ApiError> {
    let login = user.login.login;
    loop {
        let keys = web.door.keys_of_login(login).await?;
        let is_last = keys.is_empty();
        keys::revoke(web, posted, user, keys).await?;
        if is_last {
            web.sessions.end_all(login);
            if web.door.keys_of_login(login).await?.is_empty() {
                return Ok(());
            }
        }
    }
}
