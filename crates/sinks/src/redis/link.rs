//! A connection to one server or to a cluster, and what a failure of it means.

use std::time::Duration;

use projection::Standstill;
use redis::cluster::{ClusterClientBuilder, ClusterConnection, cluster_pipe};
use redis::{
    Client, Cmd, Connection, ConnectionLike, ErrorKind, FromRedisValue, Pipeline, RedisError,
    ScriptInvocation, ServerErrorKind, TlsCertificates, Value,
};

use crate::publish::failure::Failed;
use crate::redis::settings::Redis;

/// To connect.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// For an answer. After that the connection is given up.
const ANSWER_MAX: Duration = Duration::from_secs(10);

pub(crate) enum Link {
    One(Box<Connection>),
    Cluster(Box<ClusterConnection>),
}

impl Link {
    pub(crate) fn open(redis: &Redis) -> Result<Self, Failed> {
        let opened = if redis.is_cluster { cluster(redis) } else { one(redis) };
        opened.map_err(|error| failed(&error))
    }

    /// The answer of one command.
    pub(crate) fn ask<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T, Failed> {
        let answer = match self {
            Self::One(connection) => command.query(connection),
            Self::Cluster(connection) => command.query(connection),
        };
        answer.map_err(|error| failed(&error))
    }

    /// The answer of a script.
    pub(crate) fn invoke<T: FromRedisValue>(
        &mut self,
        call: &ScriptInvocation<'_>,
    ) -> Result<T, Failed> {
        let answer = match self {
            Self::One(connection) => call.invoke(connection),
            Self::Cluster(connection) => call.invoke(connection),
        };
        answer.map_err(|error| failed(&error))
    }

    /// The answers of some commands, which go together. Others may be done when one is refused.
    pub(crate) fn ask_all(&mut self, commands: Vec<Cmd>) -> Result<Vec<Value>, Failed> {
        if commands.is_empty() {
            return Ok(Vec::new());
        }
        let answers = match self {
            Self::One(connection) => {
                let mut pipe = Pipeline::with_capacity(commands.len());
                for command in commands {
                    pipe.add_command(command);
                }
                connection.req_packed_commands(&pipe.get_packed_pipeline(), 0, pipe.len())
            }
            Self::Cluster(connection) => {
                let mut pipe = cluster_pipe();
                for command in commands {
                    pipe.add_command(command);
                }
                pipe.query(connection)
            }
        };
        let answers = answers.map_err(|error| failed(&error))?;
        for answer in &answers {
            if let Value::ServerError(error) = answer {
                return Err(failed(&error.clone().into()));
            }
        }
        Ok(answers)
    }

    /// Channels of a cluster have no slot, so that their messages cannot go with other commands.
    pub(crate) fn publish_all(&mut self, messages: Vec<Cmd>) -> Result<(), Failed> {
        if let Self::One(_) = self {
            return self.ask_all(messages).map(drop);
        }
        messages.iter().try_for_each(|message| self.ask(message))
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Link")
    }
}

fn one(redis: &Redis) -> Result<Link, RedisError> {
    let server = redis.servers[0].clone();
    let client = match certificates(redis) {
        Some(certificates) => Client::build_with_tls(server, certificates)?,
        None => Client::open(server)?,
    };
    let connection = client.get_connection_with_timeout(CONNECT_MAX)?;
    connection.set_read_timeout(Some(ANSWER_MAX))?;
    connection.set_write_timeout(Some(ANSWER_MAX))?;
    Ok(Link::One(Box::new(connection)))
}

fn cluster(redis: &Redis) -> Result<Link, RedisError> {
    let mut builder = ClusterClientBuilder::new(redis.servers.clone())
        .connection_timeout(CONNECT_MAX)
        .response_timeout(ANSWER_MAX)
        .retries(3);
    if let Some(certificates) = certificates(redis) {
        builder = builder.certs(certificates);
    }
    Ok(Link::Cluster(Box::new(builder.build()?.get_connection()?)))
}

fn certificates(redis: &Redis) -> Option<TlsCertificates> {
    let authorities = redis.authorities.as_ref()?;
    Some(TlsCertificates { client_tls: None, root_cert: Some(authorities.clone().into_bytes()) })
}

/// In one sentence. Redis's own words never have a password.
pub(crate) fn failed(error: &RedisError) -> Failed {
    let detail = error.detail().unwrap_or_default();
    let detail = if detail.is_empty() { error.to_string() } else { detail.to_owned() };
    let (standstill, sentence) = match (error.kind(), error.code()) {
        (ErrorKind::AuthenticationFailed, _) | (_, Some("WRONGPASS" | "NOAUTH")) => {
            (Standstill::Refused, "does not admit the venue: wrong user or password".to_owned())
        }
        // Within a script it has no code.
        (_, code) if code == Some("NOPERM") || detail.contains("can't run this command") => {
            (Standstill::Refused, format!("does not allow what publishing needs: {detail}"))
        }
        (_, Some("OOM")) => {
            (Standstill::DiskFull, format!("has no memory left, and evicts nothing: {detail}"))
        }
        (_, Some("MISCONF")) => {
            (Standstill::DiskFull, format!("cannot store what it has, and takes no more: {detail}"))
        }
        (ErrorKind::Server(ServerErrorKind::ReadOnly), _) => {
            (Standstill::Refused, "is a read-only replica: name the primary".to_owned())
        }
        (ErrorKind::Server(ServerErrorKind::BusyLoading), _) => {
            (Standstill::Unreachable, "is loading its data".to_owned())
        }
        (ErrorKind::Io | ErrorKind::ClusterConnectionNotFound, _) => {
            (Standstill::Unreachable, format!("cannot be reached: {error}"))
        }
        _ => (Standstill::Failed, format!("fails: {error}")),
    };
    Failed::new(standstill, sentence)
}
