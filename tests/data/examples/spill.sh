# What the examples of spill need besides: the directory of a session.
S=$PWD/session
mkdir "$S"
