# What the examples of instructions need besides: a project that has some.
mkdir -p docs
echo '# Style' > docs/style.md
printf '# Project\n\n@include docs/style.md\n' > MEWCODE.md
