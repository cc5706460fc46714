//! A disk that is full ends a bake with a failure that says so, and the next bake goes on to the same world.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::process::{Command, Output};

use support::{Place, config_text, plain};

const ECOTONE: &str = env!("CARGO_BIN_EXE_ecotone");

fn world() -> Place {
    let place = Place::with_hills(&plain(150, 131));
    std::fs::write(place.path("world.toml"), config_text(64, 60.0)).unwrap();
    place
}

/// Runs a script of the shell in the place's folder, with `$ecotone` as the program.
fn shell(place: &Place, command: &mut Command) -> Output {
    command
        .current_dir(place.path(""))
        .env("ecotone", ECOTONE)
        .output()
        .unwrap()
}

/// The digests of the world of the place's config, baked with room enough.
fn right_digests(place: &Place) -> String {
    let script =
        r#""$ecotone" bake world.toml --out right >&2 && "$ecotone" inspect right --digest"#;
    let output = shell(place, Command::new("sh").args(["-c", script]));
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether `message` says that the disk was full, and how much was to be written.
fn tells_of_a_full_disk(message: &str) -> bool {
    let has_number = message
        .split("bytes")
        .next()
        .is_some_and(|before| before.trim_end().ends_with(|c: char| c.is_ascii_digit()));
    message.contains("disk is full") && has_number
}

#[test]
fn a_file_system_without_room_fails_the_bake_and_a_larger_one_lets_it_go_on() {
    const BAKE: &str = r#"
        mount -t tmpfs -o size=$1k tmpfs small || exit 77
        "$ecotone" bake world.toml --threads 1 --out small/out 2>&1
        echo "status $?"
        mount -o remount,size=64m small
        "$ecotone" bake world.toml --out small/out >&2 || exit 1
        echo "digests"
        "$ecotone" inspect small/out --digest"#;
    let place = world();
    let right = right_digests(&place);
    std::fs::create_dir(place.path("small")).unwrap();
    let (mut n_full, mut n_whole) = (0, 0);
    for kilobytes in (4..2000).step_by(28) {
        let mut unshare = Command::new("unshare");
        unshare.args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            BAKE,
            "sh",
        ]);
        unshare.arg(kilobytes.to_string());
        let Ok(output) = unshare
            .current_dir(place.path(""))
            .env("ecotone", ECOTONE)
            .output()
        else {
            return; // There is no such program here.
        };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if n_full == 0 && !said.contains("status") {
            return; // The system does not let a user mount.
        }
        assert!(output.status.success(), "{kilobytes} KiB: {output:?}");
        let (first, digests) = said.split_once("digests\n").unwrap();
        assert_eq!(digests, right, "{kilobytes} KiB");
        if first.contains("status 0") {
            n_whole += 1;
            break;
        }
        let fails = first.contains("status 1") || first.contains("status 2");
        assert!(
            fails && tells_of_a_full_disk(first),
            "{kilobytes} KiB: {first}"
        );
        n_full += 1;
    }
    assert!(n_full > 5 && n_whole == 1, "{n_full} full, {n_whole} whole");
}

#[test]
fn a_limit_on_the_size_of_files_fails_the_bake_and_harms_nothing() {
    const BAKE: &str = r#"
        (ulimit -f $1; "$ecotone" bake world.toml --threads 1 --out out 2>&1)
        echo "status $?""#;
    let place = world();
    let right = right_digests(&place);
    let mut n_refused = 0;
    for blocks in 0..400 {
        let limit = blocks.to_string();
        let output = shell(&place, Command::new("sh").args(["-c", BAKE, "sh", &limit]));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if said.contains("status 0") {
            break;
        }
        let fails = said.contains("status 1") || said.contains("status 2");
        assert!(fails && said.contains("error"), "{blocks} blocks: {said}");
        n_refused += 1;
    }
    assert!(n_refused > 3, "{n_refused}");
    let after = r#""$ecotone" bake world.toml --out out >&2 && "$ecotone" inspect out --digest"#;
    let output = shell(&place, Command::new("sh").args(["-c", after]));
    assert_eq!(String::from_utf8_lossy(&output.stdout), right);
}
