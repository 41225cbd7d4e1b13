# What the pipelines of mewctl help need besides: a session, and a program that answers.
S=$(mewctl session new)
echo '{"role":"user","content":"hello"}' | mewctl session append -q "$S" > /dev/null
agent() { wc -l | sed 's/.*/{"role":"assistant","content":"I have read & messages."}/'; }
