"""Files and command lines that no one meant: small valid ones, changed at random, and run.

``make fuzz``. Whatever a file holds, reading it ends in data or in one of our errors, and a command
line in an exit code that says what happened. Anything else is a finding: another exception, or more
than five seconds of work.
"""
