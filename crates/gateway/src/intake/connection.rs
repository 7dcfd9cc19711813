//! Connections to Redis.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, Pipeline};

use super::address::IntakeAddress;
use super::failure::Failure;

/// How long Redis may take to let a connection in.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a read waits in Redis for an entry.
pub(super) const BLOCK: Duration = Duration::from_secs(1);
/// How long Redis may take to answer, beyond that wait.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// One connection; commands on it wait for each other.
pub(super) struct Connection {
    address: IntakeAddress,
    redis: MultiplexedConnection,
}

impl Connection {
    pub(super) async fn open(address: &IntakeAddress) -> Result<Self, Failure> {
        let failure = |error| Failure::of_redis(address, &error);
        let client: Client = address.client().map_err(failure)?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(BLOCK + ANSWER_TIMEOUT));
        let redis = client.get_multiplexed_async_connection_with_config(&config).await;
        Ok(Self { address: address.clone(), redis: redis.map_err(failure)? })
    }

    pub(super) async fn ask<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T, Failure> {
        let answer = command.query_async(&mut self.redis).await;
        answer.map_err(|error| Failure::of_redis(&self.address, &error))
    }

    pub(super) async fn send(&mut self, commands: &Pipeline) -> Result<(), Failure> {
        let answer: redis::RedisResult<()> = commands.query_async(&mut self.redis).await;
        answer.map_err(|error| Failure::of_redis(&self.address, &error))
    }

    pub(super) async fn run_script<T: FromRedisValue>(
        &mut self,
        script: &redis::ScriptInvocation<'_>,
    ) -> Result<T, Failure> {
        let answer = script.invoke_async(&mut self.redis).await;
        answer.map_err(|error| Failure::of_redis(&self.address, &error))
    }
}
