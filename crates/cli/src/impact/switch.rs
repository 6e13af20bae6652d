//! An option of the JVM that switches off the allocation of some sites.

use std::str::FromStr;

/// A value of `--switch`.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    /// A package, class or method.
    pub(crate) sites: String,
    /// The option.
    pub(crate) option: String,
}

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((sites, option)) if !sites.is_empty() && option.starts_with('-') => Ok(Self {
                sites: sites.to_owned(),
                option: option.to_owned(),
            }),
            _ => {
                Err("give SITES=OPTION, such as com.acme.Buffers=-Dcom.acme.reuse=true".to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_read() {
        let switch: Switch = "com.acme.Cache.put=-Da=b".parse().expect("a switch");
        assert_eq!(
            (switch.sites.as_str(), switch.option.as_str()),
            ("com.acme.Cache.put", "-Da=b")
        );
        for bad in ["", "a", "=-Da=b", "a=b"] {
            assert!(Switch::from_str(bad).is_err(), "{bad}");
        }
    }
}
