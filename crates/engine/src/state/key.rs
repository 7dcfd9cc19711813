//! API keys of the state.

use types::KeySpec;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) spec: KeySpec,
    pub(crate) revoked: bool,
}
