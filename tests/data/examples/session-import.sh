# Logs of two agents.
mkdir -p ~/.claude/projects/upload
cp transcript.jsonl ~/.claude/projects/upload/
cp "$PYTHONPATH/tests/data/codex/current.jsonl" rollout.jsonl
