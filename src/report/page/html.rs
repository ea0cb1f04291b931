//! Text and figures in HTML.

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

/// A picture with its title and its one sentence.
pub struct Figure<'a> {
    /// Which picture it is.
    pub plot: &'a str,
    /// What it is about.
    pub slug: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What it shows for this data.
    pub sentence: &'a str,
    /// Whether it needs the whole width.
    pub is_wide: bool,
}

impl Figure<'_> {
    /// The figure around a picture; the picture has to call itself by [`Figure::title_id`].
    pub fn around(&self, svg: &str) -> String {
        let Figure { plot, slug, title, sentence, is_wide } = self;
        let wide = if *is_wide { " class=\"wide\"" } else { "" };
        format!(
            "<figure data-plot=\"{plot}\" data-puzzle=\"{slug}\"{wide}><h4 id=\"{}\">{}</h4>\n{svg}\n<figcaption>{}</figcaption></figure>\n",
            self.title_id(),
            escaped(title),
            escaped(sentence)
        )
    }

    /// What the picture is named by.
    pub fn title_id(&self) -> String {
        format!("{}-{}", id(self.slug), self.plot)
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
