//! The links of Markdown pages.

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

pub fn markdown_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The links of a page that lead nowhere. Links to other sites are not followed.
pub fn broken(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page");
    let link = Regex::new(r"\]\(([^)\s]+)\)|(?:src|href)=.([^\x22' >]+)").expect("a regular expression");
    let text = without_code(&text);
    let targets = link.captures_iter(&text).filter_map(|found| {
        let target = found.get(1).or(found.get(2))?.as_str().to_owned();
        (!target.contains("://") && !target.starts_with("mailto:") && !leads_somewhere(page, &target)).then_some(target)
    });
    targets.map(|target| format!("{}: {target}", page.display())).collect()
}

fn leads_somewhere(page: &Path, target: &str) -> bool {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { page.to_owned() } else { page.parent().expect("a folder").join(path) };
    match (fs::read_to_string(&file), anchor) {
        (_, None) => file.exists(),
        (Ok(text), Some(anchor)) => anchors(&text).iter().any(|other| other == anchor),
        (Err(_), Some(_)) => false,
    }
}

/// The anchors of the headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for heading in without_code(text).lines().filter(|line| line.starts_with('#')) {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|&c| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_');
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let before = anchors.iter().filter(|other| **other == anchor).count();
        anchors.push(if before == 0 { anchor } else { format!("{anchor}-{before}") });
    }
    anchors
}

/// The text without the lines of code blocks.
fn without_code(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}
