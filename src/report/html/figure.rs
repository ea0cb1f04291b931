//! Figures and lists in HTML.

use std::fmt;

use crate::report::render::html::escaped;

use super::plot::{Picture, WIDTH};

/// The id of a group within the page. Fixed ids do not start with `p-`.
pub fn id(slug: &str) -> String {
    format!("p-{slug}")
}

/// A box with a list of sentences; empty without any.
pub fn notes(heading: &str, sentences: &[impl fmt::Display]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let items = sentences.iter().map(|sentence| format!("<li>{}</li>", escaped(&sentence.to_string())));
    let items: String = items.collect();
    format!("<section class=\"notes\"><h2>{heading}</h2><ul>{items}</ul></section>\n")
}

pub struct Figure {
    pub plot: &'static str,
    pub slug: String,
    pub title: String,
    /// What it shows for this data, in a sentence.
    pub caption: String,
    pub picture: Picture,
    /// The class and meaning of each colour, unless these are the series.
    pub keys: Vec<(&'static str, &'static str)>,
}

impl Figure {
    pub fn new(plot: &'static str, slug: &str, title: &str, caption: String, picture: Picture) -> Figure {
        Figure { plot, slug: slug.into(), title: title.into(), caption, picture, keys: Vec::new() }
    }

    pub fn html(&self) -> String {
        let Figure { plot, slug, title, caption, picture, keys } = self;
        let wide = if picture.width > WIDTH { r#" class="wide""# } else { "" };
        let name = format!("{}-{plot}", id(slug));
        let key = |(class, text): &(&str, &str)| format!(r#"<li><span class="swatch {class}"></span>{text}</li>"#);
        let keys: String = keys.iter().map(key).collect();
        let keys = if keys.is_empty() { keys } else { format!(r#"<ul class="keys">{keys}</ul>"#) };
        let (title, picture, caption) = (escaped(title), picture.html(&name), escaped(caption));
        format!(
            r#"<figure data-plot="{plot}" data-puzzle="{slug}"{wide}><h4 id="{name}">{title}</h4>
{picture}{keys}
<figcaption>{caption}</figcaption></figure>
"#
        )
    }
}
