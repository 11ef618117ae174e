"""Files that nobody meant: small valid ones of every format, changed at random, and read.

``make fuzz``. Whatever a file holds, reading it ends in data or in an error of ours; anything else
is a finding: another exception, more than five seconds, or a gigabyte of memory. Command lines are
changed as well, and must end in an exit code that says what happened. Findings are kept at once, in
a folder with the seed that repeats them, and then made smaller: hangs and memory too, as far as a
minute of trials goes.

`campaign` changes files at random, `shrinking` as Hypothesis chooses, `guided` where coverage leads
atheris; `grown` makes them large.

Hypothesis tests of single functions are elsewhere; this looks for what happens between them.
"""
