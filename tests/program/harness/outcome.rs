//! The outcome of a run, and assertions about it, which can be chained.

use std::fmt;

use serde_json::Value;

pub struct Outcome {
    pub command: String,
    /// The exit code; 128 + signal for a killed process; `None` for one that did not end.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// The peak memory of each process in bytes; only with [`Run::watching_memory`](super::Run::watching_memory).
    pub peaks: Vec<u64>,
    /// The reports that it has written, valid by the schema.
    pub reports: Vec<Value>,
}

impl Outcome {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "exit code of {self}");
        self
    }

    #[track_caller]
    pub fn fails(self) -> Self {
        assert_ne!(self.code, Some(0), "exit code of {self}");
        self
    }

    /// Standard output contains this.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "expected {text:?} in standard output of {self}");
        self
    }

    /// Standard output is exactly this.
    #[track_caller]
    pub fn says_only(self, text: &str) -> Self {
        assert_eq!(self.stdout, text, "standard output of {self}");
        self
    }

    /// Standard output is empty.
    #[track_caller]
    pub fn says_nothing(self) -> Self {
        self.says_only("")
    }

    /// Standard output has no result. (MPICH's launcher may print messages there.)
    #[track_caller]
    pub fn gives_no_answer(self) -> Self {
        let answers =
            self.stdout.lines().any(|line| line.starts_with("solutions: ") || line.starts_with(['┏', '1', '2']));
        assert!(!answers, "an answer from {self}");
        self
    }

    /// Standard error contains this.
    #[track_caller]
    pub fn notes(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "expected {text:?} in standard error of {self}");
        self
    }

    /// One line of standard error is from census, not from a launcher, and it is this.
    #[track_caller]
    pub fn complains_only(self, line: &str) -> Self {
        assert_eq!(self.complaints(), [format!("census: {line}")], "complaints of {self}");
        self
    }

    /// One line of standard error is from census, and it contains this.
    #[track_caller]
    pub fn complains_once_about(self, text: &str) -> Self {
        let complaints = self.complaints();
        assert!(complaints.len() == 1 && complaints[0].contains(text), "one complaint with {text:?} from {self}");
        self
    }

    #[track_caller]
    pub fn complains_of_nothing(self) -> Self {
        assert!(self.complaints().is_empty(), "complaints of {self}");
        self
    }

    /// The error messages of census in standard error
    pub fn complaints(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("census:") || line.contains("panicked")).collect()
    }

    /// The value in a line `name: value` of standard output.
    #[track_caller]
    pub fn value(&self, name: &str) -> &str {
        let value = self.stdout.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_else(|| panic!("expected a line `{name}: …` in standard output of {self}"))
    }

    /// The only report, from standard output or a file.
    #[track_caller]
    pub fn json(&self) -> Value {
        let [report] = &self.reports[..] else { panic!("{} reports of {self}", self.reports.len()) };
        report.clone()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |text: &str| match text.char_indices().nth(4000) {
            Some((at, _)) => format!("{}…\n", &text[..at]),
            None => text.to_owned(),
        };
        let (code, stdout, stderr) = (self.code, cut(&self.stdout), cut(&self.stderr));
        write!(f, "{}\n--- exit code {code:?}\n--- stdout\n{stdout}--- stderr\n{stderr}---", self.command)
    }
}
