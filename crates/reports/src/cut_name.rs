//! Names that are too long for their place.

/// Cuts a name in its middle, where it says least: its end says most, then its beginning.
///
/// `com.acme.orders.Orders.total(Orders.java:42)` in 26 letters keeps `com` and `total(Orders.java:42)`.
pub fn cut_in_the_middle(name: &str, width: usize) -> String {
    let letters = name.chars().count();
    if letters <= width || width < 4 {
        return name.to_owned();
    }
    let begin = (width - 1) / 6;
    let end = width - 1 - begin;
    let first: String = name.chars().take(begin).collect();
    let last: String = name.chars().skip(letters - end).collect();
    format!("{first}…{last}")
}

#[cfg(test)]
mod tests {
    use super::cut_in_the_middle;

    #[test]
    fn the_end_of_a_name_stays() {
        let name = "com.acme.orders.Orders.total(Orders.java:42)";
        let cut = cut_in_the_middle(name, 26);
        assert_eq!(cut.chars().count(), 26);
        assert!(
            cut.starts_with("com.…") && cut.ends_with("total(Orders.java:42)"),
            "{cut}"
        );
        assert_eq!(cut_in_the_middle("short", 25), "short");
    }
}
