//! What came of a run, and what a test may say about it. Every sentence hands the outcome on to the next.

use std::fmt;

use serde_json::Value;

/// What came of a run.
pub struct Outcome {
    pub command: String,
    /// The exit code, 128 and the signal for one that was killed, nothing for one that did not end.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// The most memory that each process has been seen to take, in bytes; only for a run that was watched.
    pub peaks: Vec<u64>,
    /// The reports that it has left, which are as the schema says.
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

    /// This stands in standard output.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "expected {text:?} in standard output of {self}");
        self
    }

    /// Standard output is this and nothing else.
    #[track_caller]
    pub fn says_only(self, text: &str) -> Self {
        assert_eq!(self.stdout, text, "standard output of {self}");
        self
    }

    /// There is nothing in standard output.
    #[track_caller]
    pub fn says_nothing(self) -> Self {
        self.says_only("")
    }

    /// There is no answer in standard output; MPICH's launcher may have said something there.
    #[track_caller]
    pub fn gives_no_answer(self) -> Self {
        let answers =
            self.stdout.lines().any(|line| line.starts_with("solutions: ") || line.starts_with(['┏', '1', '2']));
        assert!(!answers, "an answer from {self}");
        self
    }

    /// This stands in standard error.
    #[track_caller]
    pub fn notes(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "expected {text:?} in standard error of {self}");
        self
    }

    /// One line of standard error is from census itself (a launcher adds its own words), and it is this.
    #[track_caller]
    pub fn complains_only(self, line: &str) -> Self {
        assert_eq!(self.complaints(), [format!("census: {line}")], "complaints of {self}");
        self
    }

    /// One line of standard error is from census itself, and this stands in it.
    #[track_caller]
    pub fn complains_once_about(self, text: &str) -> Self {
        let complaints = self.complaints();
        assert!(complaints.len() == 1 && complaints[0].contains(text), "one complaint with {text:?} from {self}");
        self
    }

    /// No line of standard error is a complaint.
    #[track_caller]
    pub fn complains_of_nothing(self) -> Self {
        assert!(self.complaints().is_empty(), "complaints of {self}");
        self
    }

    /// The lines in which census says that something is wrong.
    pub fn complaints(&self) -> Vec<&str> {
        self.stderr.lines().filter(|line| line.starts_with("census:") || line.contains("panicked")).collect()
    }

    /// What stands behind `name: ` on a line of standard output.
    #[track_caller]
    pub fn value(&self, name: &str) -> &str {
        let value = self.stdout.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_else(|| panic!("expected a line `{name}: …` in standard output of {self}"))
    }

    /// The only report that it has left, in standard output or in a file.
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
