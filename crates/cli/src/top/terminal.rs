//! The terminal: looks at the run once an interval, and obeys keys.

use std::time::{Duration, Instant};

use anyhow::Result;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::grouping::By;
use super::live_run::LiveRun;
use super::live_table::LiveTable;
use super::screen::{Choices, draw};

/// Number of rows by which a page key moves.
const PAGE: usize = 20;

/// The request of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The screen as it is, perhaps with other rows.
    Draw,
    /// Other values are needed.
    Look,
    Quit,
}

/// Shows the table until the user has seen enough, or the run is gone.
pub(crate) fn run(live: &mut LiveRun, table: LiveTable, interval: Duration) -> Result<()> {
    let mut terminal = ratatui::try_init()?;
    let shown = Show {
        live,
        table,
        choices: Choices::default(),
        interval,
    }
    .run(&mut terminal);
    ratatui::restore();
    shown
}

struct Show<'a> {
    live: &'a mut LiveRun,
    table: LiveTable,
    choices: Choices,
    interval: Duration,
}

impl Show<'_> {
    fn run(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        let mut next_look = Instant::now() + self.interval;
        loop {
            terminal.draw(|frame| draw(frame, self.live, &self.table, &self.choices))?;
            let step = self.wait_until(next_look)?;
            match step {
                Step::Quit => return Ok(()),
                Step::Draw if Instant::now() < next_look => {}
                Step::Draw | Step::Look => {
                    if !self.choices.paused || step == Step::Look {
                        self.look()?;
                    }
                    next_look = Instant::now() + self.interval;
                }
            }
        }
    }

    fn look(&mut self) -> Result<()> {
        self.live.look()?;
        if self.table.by == By::Heap {
            self.live.follow_heap()?;
        }
        self.table.take(self.live, Instant::now());
        Ok(())
    }

    /// Waits for a key, or for the time of the next look.
    fn wait_until(&mut self, next_look: Instant) -> Result<Step> {
        let most = next_look.saturating_duration_since(Instant::now());
        if !event::poll(most)? {
            return Ok(Step::Draw);
        }
        Ok(match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.obey(key),
            _ => Step::Draw,
        })
    }

    fn obey(&mut self, key: KeyEvent) -> Step {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Step::Quit;
        }
        match self.choices.typing {
            true => self.type_filter(key.code),
            false => self.obey_command(key.code),
        }
    }

    fn type_filter(&mut self, code: KeyCode) -> Step {
        match code {
            KeyCode::Enter => self.choices.typing = false,
            KeyCode::Esc => {
                self.choices.typing = false;
                self.table.filter.clear();
            }
            KeyCode::Backspace => {
                self.table.filter.pop();
            }
            KeyCode::Char(letter) => self.table.filter.push(letter),
            _ => {}
        }
        self.choices.first = 0;
        Step::Draw
    }

    fn obey_command(&mut self, code: KeyCode) -> Step {
        match code {
            KeyCode::Char('q') | KeyCode::Esc => return Step::Quit,
            KeyCode::Char('s') => self.table.order = self.table.order.next(),
            KeyCode::Char('p' | ' ') => self.choices.paused = !self.choices.paused,
            KeyCode::Char('m') => self.table.set_mark(),
            KeyCode::Char('/') => self.choices.typing = true,
            KeyCode::Tab => return self.show(self.place() + 1),
            KeyCode::BackTab => return self.show(self.place() + By::ALL.len() - 1),
            KeyCode::Char(digit @ '1'..='8') => {
                return self.show(digit as usize - '1' as usize);
            }
            KeyCode::Down => self.choices.first += 1,
            KeyCode::Up => self.choices.first = self.choices.first.saturating_sub(1),
            KeyCode::PageDown => self.choices.first += PAGE,
            KeyCode::PageUp => self.choices.first = self.choices.first.saturating_sub(PAGE),
            KeyCode::Home => self.choices.first = 0,
            _ => {}
        }
        let (count, _) = self.table.shown(0, 0);
        self.choices.first = self.choices.first.min(count.saturating_sub(1));
        Step::Draw
    }

    fn place(&self) -> usize {
        let place = By::ALL.iter().position(|by| *by == self.table.by);
        place.unwrap_or(0)
    }

    fn show(&mut self, place: usize) -> Step {
        self.table.show(By::ALL[place % By::ALL.len()]);
        self.choices.first = 0;
        Step::Look
    }
}
