//! Parses what the operating system reports about a process: enough to check later whether it is the same process.

/// State letter of a process, and its start in clock ticks since boot, from `/proc/PID/stat`. The second field is the command's name in
/// brackets; the name itself may contain blanks and brackets.
pub fn process_state_and_start(stat: &str) -> Option<(&str, u64)> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace();
    let state = fields.next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// The two halves of `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, from `/proc/sys/kernel/random/boot_id`.
pub fn boot_id(text: &str) -> Option<[u64; 2]> {
    let digits: String = text
        .trim()
        .chars()
        .filter(|letter| *letter != '-')
        .collect();
    let all = u128::from_str_radix(&digits, 16).ok()?;
    #[allow(clippy::cast_possible_truncation, reason = "two halves")]
    let halves = [(all >> 64) as u64, all as u64];
    Some(halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_found_after_any_name() {
        let stat = "4711 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20 21";
        assert_eq!(process_state_and_start(stat), Some(("S", 987_654)));
        assert_eq!(process_state_and_start("4711 (java) S 1"), None);
    }

    #[test]
    fn boot_ids_have_two_halves() {
        let text = "01234567-89ab-cdef-0000-00000000000a\n";
        assert_eq!(boot_id(text), Some([0x0123_4567_89AB_CDEF, 10]));
        assert_eq!(boot_id("none"), None);
    }
}
