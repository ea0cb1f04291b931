//! An open page. Collects its problems: errors of scripts, and every request except the one for the page itself.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

use super::devtools::DevTools;

/// Size and settings of the window.
#[derive(Clone, Copy)]
pub struct View {
    pub width: u32,
    pub height: u32,
    /// The user prefers dark colours.
    pub dark: bool,
    pub print: bool,
    pub scripts: bool,
}

impl View {
    pub const LAPTOP: View = View { width: 1366, height: 768, dark: false, print: false, scripts: true };
    pub const PHONE: View = View { width: 360, height: 740, ..View::LAPTOP };
    /// A4 without margins.
    pub const PAPER: View = View { width: 718, height: 1047, print: true, ..View::LAPTOP };

    pub const fn dark(self) -> View {
        View { dark: true, ..self }
    }

    pub const fn without_scripts(self) -> View {
        View { scripts: false, ..self }
    }
}

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
        page.set_view(view);
        page.load();
        page
    }

    #[track_caller]
    fn call(&self, method: &str, parameters: Value) -> Value {
        let answer = self.tools.borrow_mut().call(Some(&self.session), method, parameters);
        answer.unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    pub fn set_view(&self, view: &View) {
        let mobile = view.print || view.width < 600; // without a vertical scroll bar
        let screen = json!({ "width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", screen);
        let preference = json!({ "name": "prefers-color-scheme", "value": if view.dark { "dark" } else { "light" } });
        let media = if view.print { "print" } else { "screen" };
        self.call("Emulation.setEmulatedMedia", json!({ "media": media, "features": [preference] }));
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !view.scripts }));
    }

    /// Loads the page and waits until it is complete.
    #[track_caller]
    pub fn load(&self) {
        let answer = self.call("Page.navigate", json!({ "url": self.address }));
        assert_eq!(answer["errorText"], Value::Null, "{}", self.address);
        let loaded = "location.protocol === 'file:' && performance.getEntriesByType('navigation')[0].loadEventEnd > 0";
        self.until(loaded);
    }

    /// Waits until a condition is true.
    #[track_caller]
    pub fn until(&self, condition: &str) {
        let start = Instant::now();
        while self.eval(condition) != Value::Bool(true) {
            assert!(start.elapsed() < Duration::from_secs(60), "not true after a minute: {condition}");
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

    /// The value of an expression that is a list of strings.
    #[track_caller]
    pub fn texts(&self, expression: &str) -> Vec<String> {
        let value = self.eval(expression);
        let list = value.as_array().unwrap_or_else(|| panic!("no list but {value}: {expression}"));
        list.iter()
            .map(|text| text.as_str().unwrap_or_else(|| panic!("no text but {text}: {expression}")).to_owned())
            .collect()
    }

    /// The value of an expression that is a number.
    #[track_caller]
    pub fn number(&self, expression: &str) -> f64 {
        let value = self.eval(expression);
        value.as_f64().unwrap_or_else(|| panic!("no number but {value}: {expression}"))
    }

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

    /// Inserts text at the cursor.
    pub fn write(&self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Moves the mouse.
    pub fn point_at(&self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
    }

    /// Scrolls an element into view and clicks on its middle.
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

    /// Saves a screenshot of the complete page.
    #[track_caller]
    pub fn screenshot(&self, name: &str) {
        let size =
            self.eval("(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight])(document.scrollingElement)");
        let side = |index: usize| size[index].as_f64().expect("a size");
        // The limit of the browser.
        let clip = json!({ "x": 0, "y": 0, "width": side(0), "height": side(1).min(16_000.0), "scale": 1 });
        let shot = self.call("Page.captureScreenshot", json!({ "clip": clip, "captureBeyondViewport": true }));
        save(&format!("{name}.png"), &decoded(&shot["data"]));
    }

    /// Prints the page to a file and returns its bytes.
    #[track_caller]
    pub fn print(&self, name: &str) -> Vec<u8> {
        let paper = json!({ "paperWidth": 8.27, "paperHeight": 11.69, "printBackground": true });
        let bytes = decoded(&self.call("Page.printToPDF", paper)["data"]);
        save(&format!("{name}.pdf"), &bytes);
        bytes
    }

    #[track_caller]
    pub fn has_no_problems(&self) {
        let problems = self.problems();
        assert!(problems.is_empty(), "{}: {problems:#?}", self.address);
    }

    /// The problems so far.
    pub fn problems(&self) -> Vec<String> {
        // Events arrive before the next answer; requests of a new page take longer.
        sleep(Duration::from_millis(50));
        self.eval("0");
        let events = self.tools.borrow_mut().take_events(&self.session);
        let mut problems = self.problems.borrow_mut();
        problems.extend(events.iter().filter_map(|event| problem(event, &self.address)));
        problems.clone()
    }
}

/// The problem that an event reports.
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

/// A path in a URL.
fn encoded(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.to_string_lossy().bytes().map(encode).collect()
}

/// Saves a file in `target/page`.
fn save(name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("page");
    fs::create_dir_all(&folder).expect("a folder for pictures");
    fs::write(folder.join(name), bytes).expect("a picture can be written");
}

fn decoded(base64: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(base64.as_str().expect("text")).expect("base64")
}
