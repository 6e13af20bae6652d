//! The flags that choose a part of a run, shared by the commands.

use clap::{Args, ValueEnum};
use ducktrack_reports::{Filter, Sort};

/// `--sort`
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Order {
    /// Largest bytes first
    #[default]
    Bytes,
    /// Most objects first
    Count,
}

impl From<Order> for Sort {
    fn from(order: Order) -> Self {
        match order {
            Order::Bytes => Self::Bytes,
            Order::Count => Self::Count,
        }
    }
}

/// Filters of a report.
#[derive(Args)]
pub(crate) struct Selection {
    /// Only this package or class, and what it is to blame for (may be repeated)
    #[arg(long, value_name = "PACKAGE")]
    only: Vec<String>,
    /// Only objects of this type: String, java.lang.String, byte[], *Node (may be repeated)
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Only this thread: main, pool-* (may be repeated)
    #[arg(long = "thread", value_name = "NAME")]
    threads: Vec<String>,
    /// Only what was made in this context: 'GET /orders', 'sql:select *' (may be repeated)
    #[arg(long = "context", value_name = "NAME")]
    contexts: Vec<String>,
    /// Show this many rows (text: 20; other formats: all)
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Order of the rows
    #[arg(long, value_enum, default_value_t)]
    sort: Order,
}

impl Selection {
    /// Of the rows.
    pub(crate) fn order(&self) -> Order {
        self.sort
    }
}

/// Filters of a report that has an order of its own.
#[derive(Args, Clone, Default)]
pub(crate) struct RowSelection {
    /// Only sites in this package or class (may be repeated)
    #[arg(long, value_name = "PACKAGE")]
    only: Vec<String>,
    /// Only objects of this type: String, java.lang.String, byte[], *Node (may be repeated)
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Show this many rows (text: 20; other formats: all)
    #[arg(long, value_name = "N")]
    top: Option<usize>,
}

/// Filters of a report that knows nothing of threads.
#[derive(Args, Clone, Default)]
pub(crate) struct SiteSelection {
    #[command(flatten)]
    rows: RowSelection,
    /// Order of the rows, and what charts show first
    #[arg(long, value_enum, default_value_t)]
    sort: Order,
}

impl From<RowSelection> for Filter {
    fn from(selection: RowSelection) -> Self {
        Self {
            only: selection.only,
            types: selection.types,
            threads: Vec::new(),
            contexts: Vec::new(),
            top: selection.top,
            sort: Sort::Bytes,
        }
    }
}

impl From<SiteSelection> for Filter {
    fn from(selection: SiteSelection) -> Self {
        Self {
            sort: selection.sort.into(),
            ..selection.rows.into()
        }
    }
}

impl From<Selection> for Filter {
    fn from(selection: Selection) -> Self {
        Self {
            only: selection.only,
            types: selection.types,
            threads: selection.threads,
            contexts: selection.contexts,
            top: selection.top,
            sort: selection.sort.into(),
        }
    }
}
