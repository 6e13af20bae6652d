//! A candidate for removal: two types.

use std::str::FromStr;

use ducktrack_count_model::may_lose_references;
use ducktrack_reports::CostCandidate;

/// References of one class's objects to another's.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) source: String,
    pub(crate) target: String,
    /// The score of `ducktrack leaks`.
    pub(crate) score: Option<f64>,
}

impl Pair {
    /// The same, to ask what it costs.
    pub(crate) fn candidate(&self) -> CostCandidate {
        CostCandidate {
            source: Some(self.source.clone()),
            target: self.target.clone(),
            score: self.score,
            held: 0,
        }
    }
}

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once("->");
        let parts = parts.map(|(source, target)| (source.trim(), target.trim()));
        match parts {
            Some((source, _)) if !may_lose_references(source) => Err(format!(
                "the VM or native code may read the fields of {source}: a trial would crash it; name a holder of it as SOURCE, as ducktrack holders has them"
            )),
            Some((source, target))
                if !source.is_empty() && !target.is_empty() && !text.contains(',') =>
            {
                Ok(Self {
                    source: source.to_owned(),
                    target: target.to_owned(),
                    score: None,
                })
            }
            _ => Err(
                "give SOURCE->TARGET, such as 'java.util.HashMap$Node->com.acme.Session'"
                    .to_owned(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read() {
        let pair: Pair = "a.B$C -> d[]".parse().expect("a pair");
        assert_eq!(
            (pair.source.as_str(), pair.target.as_str()),
            ("a.B$C", "d[]")
        );
        for bad in ["", "a", "->a", "a->", "a->b,c", "java.lang.String->byte[]"] {
            assert!(Pair::from_str(bad).is_err(), "{bad}");
        }
    }
}
