//! A page that a browser has open. Whatever goes wrong in it is kept: what its scripts complain about, and every request but the
//! one for the page itself.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use headless_chrome::Tab;
use headless_chrome::browser::tab::point::Point;
use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Log, Network, Page as Frame, Runtime};
use serde_json::Value;

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
pub struct Page {
    tab: Arc<Tab>,
    problems: Arc<Mutex<Vec<String>>>,
    address: String,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.tab.close_target();
    }
}

impl Page {
    /// Opens what has this address.
    #[track_caller]
    pub fn open(tab: Arc<Tab>, address: String, view: &View) -> Page {
        let page = Page { tab, problems: Arc::default(), address };
        page.listen();
        page.look(view);
        page.load();
        page
    }

    fn listen(&self) {
        let (problems, own) = (self.problems.clone(), self.address.clone());
        let listener = move |event: &Event| {
            if let Some(problem) = problem(event, &own) {
                problems.lock().unwrap_or_else(PoisonError::into_inner).push(problem);
            }
        };
        self.tab.add_event_listener(Arc::new(listener)).expect("a listener");
        self.tab.enable_runtime().expect("messages of the console");
        self.tab.call_method(Log::Enable(None)).expect("messages of the browser");
        let network = Network::Enable {
            max_total_buffer_size: None,
            max_resource_buffer_size: None,
            max_post_data_size: None,
            report_direct_socket_traffic: None,
            enable_durable_messages: None,
        };
        self.tab.call_method(network).expect("messages of the network");
    }

    /// Shows it as somebody else sees it.
    #[track_caller]
    pub fn look(&self, view: &View) {
        let screen = Emulation::SetDeviceMetricsOverride {
            width: view.width,
            height: view.height,
            device_scale_factor: 1.0,
            mobile: view.print || view.width < 600, // then the bar beside the page takes no room
            scale: None,
            screen_width: None,
            screen_height: None,
            position_x: None,
            position_y: None,
            dont_set_visible_size: None,
            screen_orientation: None,
            viewport: None,
            display_feature: None,
            device_posture: None,
        };
        self.tab.call_method(screen).expect("a screen of this size");
        let preference = Emulation::MediaFeature {
            name: "prefers-color-scheme".into(),
            value: if view.dark { "dark" } else { "light" }.into(),
        };
        let media = if view.print { "print" } else { "screen" };
        let media = Emulation::SetEmulatedMedia { media: Some(media.into()), features: Some(vec![preference]) };
        self.tab.call_method(media).expect("a medium");
        let scripts = Emulation::SetScriptExecutionDisabled { value: !view.scripts };
        self.tab.call_method(scripts).expect("scripts on or off");
    }

    /// Loads it, and waits until it is there.
    #[track_caller]
    pub fn load(&self) {
        let navigate = Frame::Navigate {
            url: self.address.clone(),
            referrer: None,
            transition_Type: None,
            frame_id: None,
            referrer_policy: None,
        };
        let answer = self.tab.call_method(navigate).expect("an address");
        assert_eq!(answer.error_text, None, "{}", self.address);
        let loaded = "location.protocol === 'file:' && performance.getEntriesByType('navigation')[0].loadEventEnd > 0";
        self.until(loaded);
    }

    /// Waits until this is so.
    #[track_caller]
    pub fn until(&self, condition: &str) {
        let start = Instant::now();
        while self.eval(condition) != Value::Bool(true) {
            assert!(start.elapsed() < Duration::from_secs(20), "not so after 20 s: {condition}");
            sleep(Duration::from_millis(20));
        }
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub fn eval(&self, expression: &str) -> Value {
        let evaluate = Runtime::Evaluate {
            expression: expression.into(),
            return_by_value: Some(true),
            await_promise: Some(true),
            generate_preview: None,
            silent: None,
            include_command_line_api: None,
            user_gesture: None,
            object_group: None,
            context_id: None,
            throw_on_side_effect: None,
            timeout: None,
            disable_breaks: None,
            repl_mode: None,
            allow_unsafe_eval_blocked_by_csp: None,
            unique_context_id: None,
            serialization_options: None,
        };
        let answer = self.tab.call_method(evaluate).unwrap_or_else(|error| panic!("{expression}: {error}"));
        assert!(answer.exception_details.is_none(), "{expression}: {:?}", answer.exception_details);
        answer.result.value.unwrap_or(Value::Null)
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
        self.tab.press_key(key).unwrap_or_else(|error| panic!("{key}: {error}"));
    }

    /// Types a text where the cursor is.
    pub fn write(&self, text: &str) {
        self.tab.type_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }

    /// Moves the mouse to a point of the screen.
    pub fn point_at(&self, x: f64, y: f64) {
        self.tab.move_mouse_to_point(Point { x, y }).expect("the mouse moves");
    }

    /// Clicks on the middle of what an expression finds, when it has been brought into view.
    #[track_caller]
    pub fn click(&self, element: &str) {
        let at = self.eval(&format!(
            "(() => {{ const e = {element}; e.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }});
               const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        let place = |index: usize| at[index].as_f64().expect("a place");
        self.tab.click_point(Point { x: place(0), y: place(1) }).expect("the mouse clicks");
    }

    /// Keeps a picture of the whole page among what the tests leave.
    #[track_caller]
    pub fn picture(&self, name: &str) {
        let size =
            self.eval("(({ scrollWidth, scrollHeight }) => [scrollWidth, scrollHeight])(document.scrollingElement)");
        let side = |index: usize| size[index].as_f64().expect("a size");
        // A texture of the browser has no more rows than this.
        let (width, height) = (side(0), side(1).min(16_000.0));
        let clip = Frame::Viewport { x: 0.0, y: 0.0, width, height, scale: 1.0 };
        let shot = Frame::CaptureScreenshot {
            format: Some(Frame::CaptureScreenshotFormatOption::Png),
            quality: None,
            clip: Some(clip),
            from_surface: Some(true),
            capture_beyond_viewport: Some(true),
            optimize_for_speed: None,
        };
        let shot = self.tab.call_method(shot).expect("a picture");
        keep(&format!("{name}.png"), &decoded(&shot.data));
    }

    /// Prints the page to a file among what the tests leave, and gives its bytes.
    #[track_caller]
    pub fn print(&self, name: &str) -> Vec<u8> {
        let paper = Frame::PrintToPDF {
            paper_width: Some(8.27),
            paper_height: Some(11.69),
            print_background: Some(true),
            ..Frame::PrintToPDF::default()
        };
        let bytes = decoded(&self.tab.call_method(paper).expect("a printed page").data);
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
        self.eval("0"); // what happened before has been told when this is answered
        sleep(Duration::from_millis(50));
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What is wrong about an event, if anything is.
fn problem(event: &Event, own: &str) -> Option<String> {
    match event {
        Event::RuntimeConsoleAPICalled(event) => {
            let words: Vec<String> =
                event.params.args.iter().map(|word| word.value.as_ref().map_or("…".into(), Value::to_string)).collect();
            Some(format!("console {:?}: {}", event.params.Type, words.join(" ")))
        }
        Event::RuntimeExceptionThrown(event) => Some(format!("exception: {:?}", event.params.exception_details)),
        Event::LogEntryAdded(event) => Some(format!("log {:?}: {}", event.params.entry.level, event.params.entry.text)),
        Event::NetworkRequestWillBeSent(event) if event.params.request.url != own => {
            Some(format!("request: {}", event.params.request.url))
        }
        Event::NetworkLoadingFailed(event) => Some(format!("failed request: {}", event.params.error_text)),
        _ => None,
    }
}

/// Keeps a file for people to look at.
fn keep(name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("page");
    fs::create_dir_all(&folder).expect("a folder for pictures");
    fs::write(folder.join(name), bytes).expect("a picture can be written");
}

fn decoded(letters: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(letters).expect("bytes as letters")
}
