//! Text and figures in HTML.

use super::plot::Picture;

/// Text that is nothing but text, in the body and in attributes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            // A page cannot hold control characters, and nobody could see them.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The address of a subject within the page: nothing else on the page begins so.
pub fn id(slug: &str) -> String {
    format!("p-{slug}")
}

/// A box of sentences to be read first; nothing if there are none.
pub fn notes(heading: &str, sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let items: String = sentences.iter().map(|sentence| format!("<li>{}</li>", escaped(sentence))).collect();
    format!("<section class=\"notes\"><h2>{heading}</h2><ul>{items}</ul></section>\n")
}

/// A picture with its title and its one sentence.
pub struct Figure {
    /// Which picture it is.
    pub plot: &'static str,
    /// What it is about.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// What it shows for this data.
    pub sentence: String,
    /// Whether it needs more width than others.
    pub is_wide: bool,
    /// The picture.
    pub picture: Picture,
    /// What its colours mean, where these are not those of the series: a class and a word each.
    pub keys: Vec<(&'static str, &'static str)>,
}

impl Figure {
    /// A figure of the usual width, whose colours are those of the series.
    pub fn new(plot: &'static str, slug: &str, title: &str, sentence: String, picture: Picture) -> Figure {
        Figure { plot, slug: slug.into(), title: title.into(), sentence, is_wide: false, picture, keys: Vec::new() }
    }

    /// The same, wider.
    pub fn wide(self) -> Figure {
        Figure { is_wide: true, ..self }
    }

    /// The same, with colours that mean this.
    pub fn with_keys(self, keys: Vec<(&'static str, &'static str)>) -> Figure {
        Figure { keys, ..self }
    }

    /// The figure in a page.
    pub fn html(&self) -> String {
        let Figure { plot, slug, title, sentence, is_wide, picture, keys } = self;
        let wide = if *is_wide { " class=\"wide\"" } else { "" };
        let name = format!("{}-{plot}", id(slug));
        let key = |(class, word): &(&str, &str)| format!("<li><span class=\"swatch {class}\"></span>{word}</li>");
        let keys = match keys.is_empty() {
            true => String::new(),
            false => format!("<ul class=\"keys\">{}</ul>", keys.iter().map(key).collect::<String>()),
        };
        format!(
            "<figure data-plot=\"{plot}\" data-puzzle=\"{slug}\"{wide}><h4 id=\"{name}\">{}</h4>\n{}{keys}\n<figcaption>{}</figcaption></figure>\n",
            escaped(title),
            picture.html(&name),
            escaped(sentence)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        assert_eq!(escaped("<script>\"&'\u{7}"), "&lt;script&gt;&quot;&amp;&#39;\u{fffd}");
    }
}
