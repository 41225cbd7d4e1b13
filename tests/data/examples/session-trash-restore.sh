# A session in the trash, whose id takes the place of the example's.
find ".mewcode/sessions/$S" -exec touch -t 202001010000 {} +
mewctl session clean -q --older-than 30d > /dev/null
echo "s/20261101-093000-1a2b/$S/" >> stand-ins.sed
