//! Progress on standard error: a bar on a terminal, a plain line every ten seconds otherwise.

use std::io::{IsTerminal, Write};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// Where progress goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nowhere.
    Quiet,
    /// Lines, for a file or a pipe.
    Lines,
    /// A bar that redraws itself.
    Terminal,
}

/// All bars that there are, one below the other.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Writes a line to standard error. If that fails the work goes on all the same.
pub fn print_line(line: &str) {
    BARS.suspend(|| {
        let _ = writeln!(std::io::stderr(), "{line}");
    });
}

impl Progress {
    /// What suits standard error: a bar on a terminal, else lines.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            Progress::Quiet
        } else if std::io::stderr().is_terminal() {
            Progress::Terminal
        } else {
            Progress::Lines
        }
    }

    /// Writes a line that is no progress, such as a result.
    pub fn say(&self, text: String) {
        if *self != Progress::Quiet {
            print_line(&text);
        }
    }

    /// Begins something that consists of `work` units (0 if that is not known).
    pub fn start(&self, what: String, work: u64, unit: &'static str) -> Bar {
        let bar = match self {
            Progress::Terminal if work > 0 => {
                let style = "{msg}: {bar:30} {percent}% {human_pos} {per_sec}, {eta} left";
                BARS.add(ProgressBar::new(work).with_style(style_of(style)))
            }
            Progress::Terminal => BARS.add(
                ProgressBar::new_spinner()
                    .with_style(style_of("{spinner} {msg}: {human_pos} {per_sec}")),
            ),
            _ => ProgressBar::hidden(),
        };
        bar.set_message(what.clone());
        let now = Instant::now();
        let state = State { done: 0, note: String::new(), printed: now };
        Bar { to: *self, what, work, unit, bar, start: now, state: Mutex::new(state) }
    }
}

fn style_of(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

struct State {
    done: u64,
    note: String,
    printed: Instant,
}

/// The progress of something under way.
pub struct Bar {
    to: Progress,
    what: String,
    work: u64,
    unit: &'static str,
    bar: ProgressBar,
    start: Instant,
    state: Mutex<State>,
}

impl Bar {
    /// Adds units that are done.
    pub fn add(&self, units: u64) {
        self.bar.inc(units);
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.done += units;
        let due = state.printed.elapsed() > Duration::from_secs(10);
        if self.to == Progress::Lines && due {
            state.printed = Instant::now();
            let rate = state.done as f64 / self.start.elapsed().as_secs_f64();
            let mut line = format!("{}: {} {}, {rate:.0}/s", self.what, state.done, self.unit);
            if let Some(percent) = (100 * state.done).checked_div(self.work) {
                let left = self.work.saturating_sub(state.done) as f64 / rate;
                line += &format!(", {percent} %, {left:.0} s left");
            }
            if !state.note.is_empty() {
                line += &format!(" ({})", state.note);
            }
            print_line(&line);
        }
    }

    /// Other words for what is being done, such as the state of a search.
    pub fn note(&self, text: &str) {
        self.bar.set_message(format!("{} ({text})", self.what));
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.note = text.into();
    }

    /// Ends the bar, and says how long the work took.
    pub fn finish(self) {
        self.bar.finish_and_clear();
        let state = self.state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let time = self.start.elapsed();
        if self.to != Progress::Quiet && time > Duration::from_secs(1) {
            let rate = state.done as f64 / time.as_secs_f64();
            let (what, unit, done) = (&self.what, self.unit, state.done);
            let time = time.as_secs_f64();
            print_line(&format!("{what}: {done} {unit} in {time:.1} s, {rate:.0}/s"));
        }
    }
}
