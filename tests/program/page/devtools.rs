//! A headless browser, driven over pipes by the DevTools protocol: JSON messages that end with a zero byte.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Without network access.
const OPTIONS: [&str; 11] = [
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-default-browser-check",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND",
];
/// The browser reads from descriptor 3 and writes to 4: the shell makes these from standard input and output.
const WITH_PIPES: &str = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";
/// The longest time for an answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A browser with an empty profile. Ends when it is dropped.
pub struct DevTools {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    calls: u64,
    events: Vec<Value>,
    _profile: TempDir,
}

impl Drop for DevTools {
    fn drop(&mut self) {
        let _ = self.call(None, "Browser.close", json!({}));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl DevTools {
    /// Starts a browser, or returns why that failed.
    pub fn start() -> Result<DevTools, String> {
        let path = find().ok_or_else(|| format!("there is no {}", NAMES.join(", ")))?;
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let mut command = Command::new("sh");
        command.args(["-c", WITH_PIPES, "sh"]).arg(path).args(OPTIONS).arg("--remote-debugging-pipe");
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        if is_root() {
            command.arg("--no-sandbox"); // not available to root
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a shell");
        let (input, output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            let texts = BufReader::new(output).split(0).map_while(Result::ok);
            let mut values = texts.map_while(|text| serde_json::from_slice(&text).ok());
            values.all(|message| sender.send(message).is_ok())
        });
        let mut tools = DevTools { child, input, messages, calls: 0, events: Vec::new(), _profile: profile };
        tools.call(None, "Browser.getVersion", json!({})).map_err(|error| format!("no browser: {error}"))?;
        Ok(tools)
    }

    /// Calls a method of the browser, or of the page of a session.
    pub fn call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Result<Value, String> {
        self.calls += 1;
        let mut message = json!({ "id": self.calls, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let written = self.input.write_all(format!("{message}\0").as_bytes()).and_then(|()| self.input.flush());
        written.map_err(|error| format!("{method}: {error}"))?;
        loop {
            let mut answer = self.messages.recv_timeout(TIMEOUT).map_err(|error| format!("{method}: {error}"))?;
            if answer["id"] != self.calls {
                self.events.push(answer);
            } else if answer["error"].is_null() {
                return Ok(answer["result"].take());
            } else {
                return Err(format!("{method}: {}", answer["error"]));
            }
        }
    }

    /// The events of a session since the last call.
    pub fn take_events(&mut self, session: &str) -> Vec<Value> {
        self.events.extract_if(.., |event| event["sessionId"] == session).collect()
    }
}

fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    NAMES.iter().find_map(|name| env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file()))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0)
}
