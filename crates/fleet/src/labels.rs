//! The process of a recording, as far as the recording itself does not know it.

use std::collections::BTreeMap;

use crate::FleetError;

/// The longest name in a path.
const LONGEST: usize = 100;

/// Pairs of name and value, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(BTreeMap<String, String>);

impl Labels {
    /// From `name=value` each.
    ///
    /// # Errors
    /// The first that is none.
    pub fn parse(pairs: &[String]) -> Result<Self, FleetError> {
        let pair = |text: &String| match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !text.contains(';') => {
                Ok((name.to_owned(), value.to_owned()))
            }
            _ => Err(FleetError::Label(text.clone())),
        };
        pairs.iter().map(pair).collect::<Result<_, _>>().map(Self)
    }

    /// `a=1;b=2`
    pub(crate) fn text(&self) -> String {
        let pairs: Vec<String> = self
            .0
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join(";")
    }
}

/// Where a process ran and what it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The service: a part of every path.
    pub service: String,
    /// Its version or build.
    pub version: String,
    /// The machine: a part of every file's name.
    pub host: String,
    /// The pod, if any.
    pub pod: Option<String>,
    /// Requests that the process has served, if somebody has counted them.
    pub requests: Option<u64>,
    /// Anything else.
    pub labels: Labels,
}

impl Origin {
    /// Refuses names that cannot stand in a path.
    ///
    /// # Errors
    /// Says which.
    pub fn check(&self) -> Result<(), FleetError> {
        for (what, name) in [("service", &self.service), ("host", &self.host)] {
            let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let is_name = !name.is_empty()
                && name.len() <= LONGEST
                && !name.starts_with('.')
                && name.chars().all(fits);
            if !is_name {
                return Err(FleetError::Name {
                    what,
                    name: name.clone(),
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_pairs_in_order() {
        let labels = Labels::parse(&["zone=b".to_owned(), "app=x=y".to_owned()]).expect("pairs");
        assert_eq!(labels.text(), "app=x=y;zone=b");
        for bad in ["zone", "=b", "a=b;c"] {
            assert!(Labels::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }

    #[test]
    fn names_of_paths() {
        let named = |service: &str| Origin {
            service: service.to_owned(),
            host: "web-1.acme".to_owned(),
            ..Origin::default()
        };
        assert!(named("orders").check().is_ok());
        for bad in ["", "../x", ".", "a/b", "a b", "ä", "a=b"] {
            assert!(named(bad).check().is_err(), "{bad}");
        }
    }
}
