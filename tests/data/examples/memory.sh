mewctl memory add -q "Package manager" --text "Use uv, never pip." > note-id
mewctl memory add -q "Deploy host" --slug deploy-host --text "db-7" > note-id
echo '{"action":"create","type":"project_knowledge","title":"Cache","content":"Off since May."}' > actions.jsonl
