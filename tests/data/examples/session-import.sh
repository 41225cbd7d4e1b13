# Logs of two agents.
mkdir -p ~/.claude/projects/work
cp transcript.jsonl ~/.claude/projects/work/
cp "$PYTHONPATH/tests/data/codex/current.jsonl" rollout.jsonl
