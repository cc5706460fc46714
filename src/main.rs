//! The `ecotone` binary; everything it does is in `ecotone-cli`.

fn main() -> std::process::ExitCode {
    ecotone_cli::run()
}
