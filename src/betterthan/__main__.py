"""``python -m betterthan``."""

import sys


def main() -> None:
    """Run the command line; what is broken before it can start is no regression either."""
    try:
        from betterthan.cli import main as run  # noqa: PLC0415 (its failure has an exit code)
    except Exception as error:
        sys.exit(_broken(error))
    run()


def _broken(error: Exception) -> int:
    print(f"betterthan: the installation is broken: {error}", file=sys.stderr)
    return 70


if __name__ == "__main__":
    # `python -m` puts the working folder first: a file there must not stand in for a module.
    if not sys.flags.safe_path and sys.path:
        del sys.path[0]
    main()
