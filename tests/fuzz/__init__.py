"""Small valid files and command lines, changed at random.

Reading a file ends in data or in one of our errors, a command in an exit code that says what
happened. Anything else is a finding: another exception, or more than five seconds of work.
"""
