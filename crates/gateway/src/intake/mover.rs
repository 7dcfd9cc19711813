//! The list as a way in: its messages are moved into the stream by a script of Redis.

use std::sync::Arc;

use redis::{Script, Value, cmd};

use super::connection::{BLOCK, Connection};
use super::failure::Failure;
use super::key;
use super::metrics::{IntakeMetrics, add};

/// Messages that a script moves at once: Redis serves no other client meanwhile.
const MOVED_MAX: usize = 500;

/// Redis runs a script whole, or up to a command that fails, such as `XADD` without memory. So a
/// message leaves the list after it is in the stream.
const MOVE: &str = r"
local waiting = redis.call('LRANGE', KEYS[1], -ARGV[1], -1)
for at = #waiting, 1, -1 do
  redis.call('XADD', KEYS[2], '*', 'data', waiting[at])
  redis.call('RPOP', KEYS[1])
end
return #waiting";

/// Moves messages until Redis fails.
pub(super) async fn run(mut redis: Connection, metrics: Arc<IntakeMetrics>) -> Result<(), Failure> {
    let script = Script::new(MOVE);
    loop {
        let mut moving = script.prepare_invoke();
        moving.key(key::QUEUE).key(key::ORDERS).arg(MOVED_MAX);
        let moved: usize = redis.run_script(&moving).await?;
        add(&metrics.moved, moved);
        if moved < MOVED_MAX {
            wait(&mut redis).await?;
        }
    }
}

/// Waits for a message. To move the last one to where it is changes nothing, and waits for one.
async fn wait(redis: &mut Connection) -> Result<(), Failure> {
    let mut wait = cmd("BLMOVE");
    wait.arg(key::QUEUE).arg(key::QUEUE).arg("RIGHT").arg("RIGHT").arg(BLOCK.as_secs_f64());
    let _last: Value = redis.ask(&wait).await?;
    Ok(())
}
