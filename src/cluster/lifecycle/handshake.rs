//! Handshake: before the first command, rank 0 checks that all ranks run the same program with the same arguments.
//!
//! Another build may give the same bytes another meaning; and only rank 0 reads its arguments, so that those of a rank
//! started with others would be ignored. So each rank sends a [`Hello`]. Its format (docs/protocol.md) must never
//! change, because two different builds have to understand it.

use std::env;
use std::hint::black_box;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use super::error::JobError;
use super::host::Host;
use crate::cluster::abort_job;
use crate::cluster::comm::Comm;

const MAGIC: &[u8; 8] = b"CENSUS-1";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `--heartbeat-timeout`: how long a rank may be silent before it counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeartbeatTimeout {
    Off,
    /// This timeout, also where all ranks are on one host.
    After(Duration),
}

impl HeartbeatTimeout {
    /// Without `--heartbeat-timeout`, it is 10 s if ranks may be on several hosts. On one host, there is no heartbeat.
    pub(crate) fn or_default(given: Option<HeartbeatTimeout>, several_hosts: bool) -> Option<Duration> {
        match given {
            Some(HeartbeatTimeout::Off) => None,
            Some(HeartbeatTimeout::After(timeout)) => Some(timeout),
            None => several_hosts.then_some(Duration::from_secs(10)),
        }
    }
}

/// The fingerprint of the sources that this program was built from.
pub fn sources() -> &'static str {
    // Not inlined piece by piece: tests look for it in the binary.
    black_box(env!("CENSUS_SOURCES"))
}

/// What a rank sends in the handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hello {
    version: String,
    sources: String,
    host: String,
    arguments: Vec<u8>,
}

impl Hello {
    fn of_this_process() -> Hello {
        let arguments = env::args_os().skip(1).flat_map(|argument| argument.into_vec().into_iter().chain([0]));
        Hello {
            version: VERSION.into(),
            sources: sources().into(),
            host: Host::here().name.clone(),
            arguments: arguments.collect(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let fields = [self.version.as_bytes(), self.sources.as_bytes(), self.host.as_bytes(), &self.arguments];
        let field = |field: &[u8]| [&(field.len() as u32).to_le_bytes(), field].concat();
        MAGIC.iter().copied().chain(fields.into_iter().flat_map(field)).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Hello> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut field = || {
            let (length, behind) = rest.split_first_chunk()?;
            let (field, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = behind;
            Some(field)
        };
        let mut text = || field().map(|field| String::from_utf8_lossy(field).into_owned());
        let (version, sources, host) = (text()?, text()?, text()?);
        Some(Hello { version, sources, host, arguments: field()?.to_vec() })
    }

    fn build(&self) -> String {
        format!("version {} from sources {}", self.version, self.sources)
    }

    /// The arguments as they would be typed, cut if they are long.
    fn command_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.arguments);
        let line = text.split_terminator('\0').collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(120) {
            Some((at, _)) => format!("`{}…`", &line[..at]),
            None => format!("`{line}`"),
        }
    }
}

/// Aborts the job unless all ranks are the same program with the same arguments. Then starts the heartbeat, where ranks are
/// on several hosts or the user has given a timeout.
pub(crate) fn handshake(comm: &dyn Comm, timeout: Option<HeartbeatTimeout>) {
    if comm.size() == 1 {
        return;
    }
    let hellos = comm.gather(&Hello::of_this_process().to_bytes());
    let heartbeat: Option<(Duration, Vec<String>)> = if comm.rank() == 0 {
        // Another program would misunderstand a message: the job is aborted instead.
        let hellos = check(&hellos).unwrap_or_else(|error| abort_job(&error, error.exit_code()));
        let hosts: Vec<String> = hellos.into_iter().map(|hello| hello.host).collect();
        let timeout = HeartbeatTimeout::or_default(timeout, hosts.iter().any(|host| *host != hosts[0]));
        let heartbeat = timeout.map(|timeout| (timeout, hosts));
        comm.broadcast(serde_json::to_vec(&heartbeat).unwrap_or_default(), &mut || {});
        heartbeat
    } else {
        serde_json::from_slice(&comm.broadcast(Vec::new(), &mut || {})).unwrap_or_default()
    };
    if let Some((timeout, hosts)) = heartbeat {
        comm.start_heartbeat(timeout, &hosts);
    }
}

/// The decoded messages of all ranks, or the first that does not match that of rank 0.
fn check(hellos: &[Vec<u8>]) -> Result<Vec<Hello>, JobError> {
    let decode =
        |(bytes, rank): (&Vec<u8>, usize)| Hello::from_bytes(bytes).ok_or(JobError::HandshakeMismatch { rank });
    let hellos: Vec<Hello> = hellos.iter().zip(0..).map(decode).collect::<Result<_, _>>()?;
    let Some((first, others)) = hellos.split_first() else { return Ok(hellos) };
    for (hello, rank) in others.iter().zip(1..) {
        let host = hello.host.clone();
        if (&hello.version, &hello.sources) != (&first.version, &first.sources) {
            return Err(JobError::OtherProgram { rank, host, theirs: hello.build(), ours: first.build() });
        }
        if hello.arguments != first.arguments {
            return Err(JobError::OtherArguments {
                rank,
                host,
                theirs: hello.command_line(),
                ours: first.command_line(),
            });
        }
    }
    Ok(hellos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_format_never_changes() {
        let hello =
            Hello { version: "1.2".into(), sources: "ab".into(), host: "node7".into(), arguments: b"x\0".to_vec() };
        let bytes = hello.to_bytes();
        assert_eq!(bytes, b"CENSUS-1\x03\0\0\x001.2\x02\0\0\0ab\x05\0\0\0node7\x02\0\0\0x\0");
        let longer = [&bytes[..], b"whatever"].concat();
        assert_eq!(Hello::from_bytes(&longer), Some(hello), "further fields are ignored");
    }

    proptest! {
        #[test]
        fn any_other_bytes_are_no_hello_and_do_not_panic(bytes: Vec<u8>) {
            prop_assert_eq!(Hello::from_bytes(&bytes), None);
            let _ = Hello::from_bytes(&[MAGIC, &bytes[..]].concat());
        }
    }
}
