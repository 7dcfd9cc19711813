//! The bytes of halts and of the circuit breaker.

use types::{InstrumentId, Reader, Wire};

use crate::state::Engine;
use crate::state::codec::{ascending, write_list};
use crate::state::halts::{Halts, levels_valid};

impl Engine {
    pub(super) fn write_halts(&self, out: &mut Vec<u8>) {
        let Halts { now, breaker, interrupted } = &self.halts;
        now.write(out);
        breaker.write(out);
        write_list(interrupted.iter(), out, Wire::write);
    }

    pub(super) fn read_halts(&mut self, r: &mut Reader<'_>) -> Option<()> {
        let (now, breaker) = (r.read()?, r.read()?);
        let interrupted: Vec<InstrumentId> = ascending(r.read()?)?;
        self.halts = Halts { now, breaker, interrupted: interrupted.into_iter().collect() };
        self.mark_index(true);
        Some(())
    }

    pub(super) fn halts_are_sound(&self) -> bool {
        let Halts { breaker, interrupted, .. } = &self.halts;
        let is_known = |id: &InstrumentId| self.market(*id).is_some();
        interrupted.iter().all(is_known)
            && (self.is_halted() || interrupted.is_empty())
            && breaker.is_none_or(|breaker| is_known(&breaker.index) && levels_valid(&breaker))
    }
}
