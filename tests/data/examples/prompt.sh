# What the examples of prompt need besides: a module, a skill, the hash of last time.
mkdir -p docs .claude/skills/review
echo 'Write plainly.' > docs/style.md
printf '%s\n' --- 'name: review' 'description: Review a change.' --- 'Read it.' \
    > .claude/skills/review/SKILL.md
LAST=''
