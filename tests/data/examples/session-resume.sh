# What the example of session resume needs besides: a program that answers.
agent() { wc -l | sed 's/.*/{"role":"assistant","content":"I have read & messages."}/'; }
