//! What ran, how long it took, and how it went.

use super::plot::{Frame, Plot};
use super::text::{count, duration, table};
use super::{Moment, Report, Stage};

const FRAME: Frame = Frame {
    width: 430.0,
    height: 130.0,
};

pub(super) fn section(report: &Report) -> String {
    let run = &report.run;
    let all: f64 = run.stages.iter().map(|stage| stage.cpu_seconds).sum();
    let row = |stage: &Stage| {
        let share = match all {
            0.0 => "–".to_owned(),
            all => format!("{:.0} %", stage.cpu_seconds / all * 100.0),
        };
        let mut cells = vec![stage.name.clone()];
        cells.extend([stage.total, stage.kept, stage.same, stage.made].map(|n| count(n as u64)));
        cells.extend([duration(stage.cpu_seconds), share]);
        cells
    };
    let rows: Vec<Vec<String>> = run.stages.iter().map(row).collect();
    let head = [
        "Stage",
        "Jobs",
        "Kept at a glance",
        "Read, and the same",
        "Made",
        "Processor time",
        "Share of it",
    ];
    format!(
        "<section>\n<h2>What ran</h2>\n<div class=\"card\">{}{}</div>\n</section>\n",
        table(&head, &rows),
        plots(report)
    )
}

fn plots(report: &Report) -> String {
    let moments = &report.run.progress;
    let Some(end) = moments.last().map(|moment| moment.seconds) else {
        return String::new();
    };
    if moments.len() < 3 || end <= 0.0 {
        return String::new();
    }
    let figure = |svg: String, caption: &str| {
        format!("<figure>{svg}<figcaption>{caption}</figcaption></figure>")
    };
    let jobs: usize = report.run.stages.iter().map(|stage| stage.total).sum();
    let rate = figure(
        rates(moments, jobs as f64, end),
        "Jobs done a second, as time went by",
    );
    let memory = memory(moments, end)
        .map(|svg| figure(svg, "Memory, mapped files aside"))
        .unwrap_or_default();
    format!("<div class=\"pair\">{rate}{memory}</div>")
}

/// Intervals that rates are means over.
const INTERVALS: usize = 40;

fn rates(moments: &[Moment], jobs: f64, end: f64) -> String {
    let every = moments.len().div_ceil(INTERVALS).max(1);
    let kept: Vec<&Moment> = moments
        .iter()
        .step_by(every)
        .chain(moments.last())
        .collect();
    let rate = |pair: &[&Moment]| {
        let seconds = pair[1].seconds - pair[0].seconds;
        let n = (pair[1].share - pair[0].share) * jobs;
        let middle = (pair[0].seconds + pair[1].seconds) / 2.0;
        (seconds > 0.0).then(|| [middle / end, n / seconds])
    };
    let points: Vec<[f64; 2]> = kept.windows(2).filter_map(rate).collect();
    over_time(&points, end, "jobs/s", "Jobs done a second")
}

fn memory(moments: &[Moment], end: f64) -> Option<String> {
    let mib = |moment: &Moment| {
        Some([
            moment.seconds / end,
            moment.bytes? as f64 / f64::from(1 << 20),
        ])
    };
    let points: Vec<[f64; 2]> = moments.iter().map(mib).collect::<Option<_>>()?;
    Some(over_time(&points, end, "MiB", "Memory"))
}

fn over_time(points: &[[f64; 2]], end: f64, unit: &str, label: &str) -> String {
    let most = points.iter().map(|point| point[1]).fold(0.0, f64::max);
    let mut plot = Plot::new(FRAME, most, unit, label);
    plot.curve(points, "line");
    for k in 0..=4 {
        let share = f64::from(k) / 4.0;
        plot.tick(share, &clock(share * end, end));
    }
    plot.along(if end < 7200.0 {
        "since the start"
    } else {
        "hours since the start"
    });
    plot.finish()
}

/// A time on an axis that ends at `end` seconds.
fn clock(seconds: f64, end: f64) -> String {
    match end {
        end if end < 10.0 => format!("{seconds:.1} s"),
        end if end < 180.0 => format!("{seconds:.0} s"),
        end if end < 7200.0 => format!("{}:{:02} min", seconds as u64 / 60, seconds as u64 % 60),
        _ => format!("{:.1}", seconds / 3600.0),
    }
}
