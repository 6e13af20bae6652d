//! Names that are too long for their place: what says least goes first.
//!
//! ```text
//! com.acme.orders.Orders.total(Orders.java:42)    as it is
//! com.acme.orders.Orders.total:42                 the file of a class is named like the class
//! c.a.orders.Orders.total:42                      packages from the left, as log files have them
//! Orders.total:42                                 no packages
//! O…ers.total:42                                  cut in the middle
//! ```

/// The text within `width` letters: every class, method and place in it becomes shorter, step by step, until it fits.
pub fn fitted(text: &str, width: usize) -> String {
    if is_within(text, width) {
        return text.to_owned();
    }
    let mut fitting = each_word(text, without_file);
    let packages = fitting.split(' ').map(packages_of).max().unwrap_or(0);
    for initials in 1..=packages {
        if is_within(&fitting, width) {
            return fitting;
        }
        fitting = each_word(&fitting, |word| with_initials(word, initials));
    }
    if !is_within(&fitting, width) {
        fitting = each_word(&fitting, without_packages);
    }
    cut_in_the_middle(&fitting, width)
}

fn is_within(text: &str, width: usize) -> bool {
    text.chars().count() <= width
}

fn each_word(text: &str, shorter: impl Fn(&str) -> String) -> String {
    let words: Vec<String> = text.split(' ').map(shorter).collect();
    words.join(" ")
}

/// `a.B.c(B.java:7)` becomes `a.B.c:7`. Where the file is named otherwise, it stays.
fn without_file(word: &str) -> String {
    let shorter = || {
        let (name, rest) = word.split_once('(')?;
        let (place, after) = rest.split_once(')')?;
        let (file, line) = place.split_once(':')?;
        let class = name.split('.').nth(packages_of(name))?;
        let outermost = class.split('$').next()?;
        let stem = file.strip_suffix(".java")?;
        (stem == outermost).then(|| format!("{name}:{line}{after}"))
    };
    shorter().unwrap_or_else(|| word.to_owned())
}

/// The first `count` packages by their first letters.
fn with_initials(word: &str, count: usize) -> String {
    let packages = packages_of(word);
    let parts = word.splitn(packages + 1, '.').enumerate();
    let parts = parts.map(|(at, part)| match at < packages.min(count) {
        true => part.chars().take(1).collect(),
        false => part.to_owned(),
    });
    parts.collect::<Vec<String>>().join(".")
}

fn without_packages(word: &str) -> String {
    word.splitn(packages_of(word) + 1, '.')
        .last()
        .unwrap_or(word)
        .to_owned()
}

/// How many packages a name begins with: parts before the first that begins as classes do. 0 for what is no such name.
fn packages_of(word: &str) -> usize {
    let is_package = |part: &&str| {
        part.starts_with(|letter: char| letter.is_lowercase() || letter == '_')
            && part
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let packages = word.split('.').take_while(is_package).count();
    let class = word.split('.').nth(packages);
    match class.is_some_and(|class| class.starts_with(char::is_uppercase)) {
        true => packages,
        false => 0,
    }
}

/// A name's end says most, then its beginning.
fn cut_in_the_middle(name: &str, width: usize) -> String {
    if is_within(name, width) || width < 4 {
        return name.to_owned();
    }
    let letters = name.chars().count();
    let begin = (width - 1) / 6;
    let end = width - 1 - begin;
    let first: String = name.chars().take(begin).collect();
    let last: String = name.chars().skip(letters - end).collect();
    format!("{first}…{last}")
}

#[cfg(test)]
mod tests {
    use super::fitted;

    const PLACE: &str = "com.acme.orders.Orders$Line.total(Orders.java:42)";

    #[test]
    fn what_says_least_goes_first() {
        for (width, fitting) in [
            (49, PLACE),
            (48, "com.acme.orders.Orders$Line.total:42"),
            (35, "c.acme.orders.Orders$Line.total:42"),
            (33, "c.a.orders.Orders$Line.total:42"),
            (30, "c.a.o.Orders$Line.total:42"),
            (25, "Orders$Line.total:42"),
            (19, "Ord…s$Line.total:42"),
        ] {
            assert_eq!(fitted(PLACE, width), fitting, "{width}");
        }
    }

    #[test]
    fn each_name_of_a_text_becomes_shorter() {
        let text = format!("<- {PLACE} calls java.lang.String.<init>");
        assert_eq!(
            fitted(&text, 62),
            "<- c.a.orders.Orders$Line.total:42 calls j.l.String.<init>"
        );
    }

    #[test]
    fn other_files_and_other_words_stay() {
        let place = "com.acme.Words.of(Generated.kt:7)";
        assert_eq!(fitted(place, 30), "c.a.Words.of(Generated.kt:7)");
        assert_eq!(fitted("byte[] 40 %", 30), "byte[] 40 %");
        assert_eq!(
            fitted("run.sh -cp orders.jar all", 20),
            "run…p orders.jar all"
        );
    }
}
