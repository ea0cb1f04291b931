//! A page that a browser has open. Whatever goes wrong in it is kept: what its scripts complain about, and every request but the
//! one for the page itself.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

use super::devtools::DevTools;

/// What a page is seen with.
#[derive(Clone, Copy)]
pub struct View {
    pub width: u32,
    pub height: u32,
    /// Whether its owner prefers dark pages.
    pub dark: bool,
    /// Whether it is paper.
    pub print: bool,
    pub scripts: bool,
}

impl View {
    pub const LAPTOP: View = View { width: 1366, height: 768, dark: false, print: false, scripts: true };
    pub const PHONE: View = View { width: 360, height: 740, ..View::LAPTOP };
    /// A4, less its margins.
    pub const PAPER: View = View { width: 718, height: 1047, print: true, ..View::LAPTOP };

    pub const fn dark(self) -> View {
        View { dark: true, ..self }
    }

    pub const fn without_scripts(self) -> View {
        View { scripts: false, ..self }
    }
}

/// A page that is open.
pub struct Page<'a> {
    tools: &'a RefCell<DevTools>,
    target: String,
    session: String,
    address: String,
    problems: RefCell<Vec<String>>,
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        let _ = self.tools.borrow_mut().call(None, "Target.closeTarget", json!({ "targetId": self.target }));
    }
}

impl Page<'_> {
    /// Opens a file as somebody sees it.
    #[track_caller]
    pub fn open<'a>(tools: &'a RefCell<DevTools>, path: &Path, view: &View) -> Page<'a> {
        let text = |method: &str, parameters: Value, name: &str| {
            let answer = tools.borrow_mut().call(None, method, parameters).unwrap_or_else(|error| panic!("{error}"));
            answer[name].as_str().expect("a name").to_owned()
        };
        let target = text("Target.createTarget", json!({ "url": "about:blank" }), "targetId");
        let session = text("Target.attachToTarget", json!({ "targetId": target, "flatten": true }), "sessionId");
        let address = format!("file://{}", encoded(path));
        let page = Page { tools, target, session, address, problems: RefCell::default() };
        for domain in ["Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.look(view);
        page.load();
        page
    }

    #[track_caller]
    fn call(&self, method: &str, parameters: Value) -> Value {
        let answer = self.tools.borrow_mut().call(Some(&self.session), method, parameters);
        answer.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Shows it as somebody else sees it.
    #[track_caller]
    pub fn look(&self, view: &View) {
        let mobile = view.print || view.width < 600; // then the bar beside the page takes no room
        let screen = json!({ "width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", screen);
        let preference = json!({ "name": "prefers-color-scheme", "value": if view.dark { "dark" } else { "light" } });
        let media = if view.print { "print" } else { "screen" };
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": [preference] }));
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !view.scripts }));
    }

    /// Loads it, and waits until it is there.
    #[track_caller]
    pub fn load(&self) {
        let answer = self.call("Page.navigate", json!({ "url": self.address }));
        assert_eq!(answer["errorText"], Value::Null, "{}", self.address);
        let loaded = "location.protocol === 'file:' && performance.getEntriesByType('navigation')[0].loadEventEnd > 0";
        self.until(loaded);
    }

    /// Waits until this is so.
    #[track_caller]
    pub fn until(&self, condition: &str) {
        let start = Instant::now();
        while self.eval(condition) != Value::Bool(true) {
            assert!(start.elapsed() < Duration::from_secs(60), "not so after a minute: {condition}");
            sleep(Duration::from_millis(20));
        }
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].take()
    }

    /// The texts that an expression lists.
    #[track_caller]
    pub fn texts(&self, expression: &str) -> Vec<String> {
        let value = self.eval(expression);
        let list = value.as_array().unwrap_or_else(|| panic!("no list but {value}: {expression}"));
        list.iter()
            .map(|text| text.as_str().unwrap_or_else(|| panic!("no text but {text}: {expression}")).to_owned())
            .collect()
    }

    /// The number that an expression is.
    #[track_caller]
    pub fn number(&self, expression: &str) -> f64 {
        let value = self.eval(expression);
        value.as_f64().unwrap_or_else(|| panic!("no number but {value}: {expression}"))
    }

    /// Presses a key.
    pub fn press(&self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Delete" => 46,
            other => panic!("the tests do not know the key {other}"),
        };
        let text = if key == "Enter" { "\r" } else { "" };
        let event = |kind: &str| json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
        let mut down = event(if text.is_empty() { "rawKeyDown" } else { "keyDown" });
        down["text"] = text.into();
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", event("keyUp"));
    }

    /// Types a text where the cursor is.
    pub fn write(&self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Moves the mouse to a point of the screen.
    pub fn point_at(&self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Clicks on the middle of what an expression finds, when it has been brought into view.
    #[track_caller]
    pub fn click(&self, element: &str) {
        let at = self.eval(&format!(
            "(() => {{ const e = {element}; e.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }});
               const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        let (x, y) = (&at[0], &at[1]);
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
        for kind in ["mousePressed", "mouseReleased"] {
            let button = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", button);
        }
    }

    /// Keeps a picture of the whole page among what the tests leave.
    #[track_caller]
    pub fn picture(&self, name: &str) {
        let size =
            self.eval("(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight])(document.scrollingElement)");
        let side = |index: usize| size[index].as_f64().expect("a size");
        // A texture of the browser has no more rows than this.
        let clip = json!({ "x": 0, "y": 0, "width": side(0), "height": side(1).min(16_000.0), "scale": 1 });
        let shot = self.call("Page.captureScreenshot", json!({ "clip": clip, "captureBeyondViewport": true }));
        keep(&format!("{name}.png"), &decoded(&shot["data"]));
    }

    /// Prints the page to a file among what the tests leave, and gives its bytes.
    #[track_caller]
    pub fn print(&self, name: &str) -> Vec<u8> {
        let paper = json!({ "paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true });
        let bytes = decoded(&self.call("Page.printToPDF", paper)["data"]);
        keep(&format!("{name}.pdf"), &bytes);
        bytes
    }

    /// Nothing has gone wrong so far.
    #[track_caller]
    pub fn is_quiet(&self) {
        let problems = self.problems();
        assert!(problems.is_empty(), "{}: {problems:#?}", self.address);
    }

    /// What has gone wrong so far.
    pub fn problems(&self) -> Vec<String> {
        // What has happened is told with the next answer; what a page asks for when it is loaded takes a moment longer.
        sleep(Duration::from_millis(50));
        self.eval("0");
        let events = self.tools.borrow_mut().take_events(&self.session);
        let mut problems = self.problems.borrow_mut();
        problems.extend(events.iter().filter_map(|event| problem(event, &self.address)));
        problems.clone()
    }
}

/// What is wrong about an event, if anything is.
fn problem(event: &Value, own: &str) -> Option<String> {
    let about = &event["params"];
    match event["method"].as_str()? {
        "Runtime.consoleAPICalled" => Some(format!("console {}: {}", about["type"], about["args"])),
        "Runtime.exceptionThrown" => Some(format!("exception: {}", about["exceptionDetails"])),
        "Log.entryAdded" => Some(format!("log {}: {}", about["entry"]["level"], about["entry"]["text"])),
        "Network.requestWillBeSent" if about["request"]["url"] != own => {
            Some(format!("request: {}", about["request"]["url"]))
        }
        "Network.loadingFailed" => Some(format!("failed request: {}", about["errorText"])),
        _ => None,
    }
}

/// A path as a part of an address.
fn encoded(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.to_string_lossy().bytes().map(encode).collect()
}

/// Keeps a file for people to look at.
fn keep(name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("page");
    fs::create_dir_all(&folder).expect("a folder for pictures");
    fs::write(folder.join(name), bytes).expect("a picture can be written");
}

fn decoded(letters: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(letters.as_str().expect("letters")).expect("bytes as letters")
}
