//! The head of a page: what windows, search engines and previews of links show.

use std::fmt::Write as _;

use opatlas_report::escape::xml_attribute;

use crate::web::about::About;

const TITLE: &str = "<title>Opatlas</title>";
const NAME: &str = "Opatlas";

/// The page with its title, and with what previews of a link to it show. `root` is the public address
/// of the service; without it, the address of a picture is relative.
#[must_use]
pub fn with_head(page: &str, about: &About, root: Option<&str>) -> String {
    let title = match about.title.as_str() {
        "" => NAME.to_owned(),
        title => format!("{title} · {NAME}"),
    };
    let (title, text) = (xml_attribute(&title), xml_attribute(&about.text));
    let mut head = format!(
        "<title>{title}</title>\n\
         \t\t<meta property=\"og:site_name\" content=\"{NAME}\" />\n\
         \t\t<meta property=\"og:title\" content=\"{title}\" />\n\
         \t\t<meta property=\"og:description\" content=\"{text}\" />"
    );
    if let Some(image) = &about.image {
        let root = root.unwrap_or_default().trim_end_matches('/');
        let image = xml_attribute(&format!("{root}{image}"));
        let _ = write!(
            head,
            "\n\t\t<meta property=\"og:image\" content=\"{image}\" />\n\
             \t\t<meta name=\"twitter:card\" content=\"summary_large_image\" />"
        );
    }
    page.replacen(TITLE, &head, 1)
}
