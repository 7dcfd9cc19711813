//! An API key, as the state has it.

use types::KeySpec;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) spec: KeySpec,
    pub(crate) revoked: bool,
}
