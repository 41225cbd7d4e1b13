mewctl memory add -q "Running the tests" --text "make test runs them all, in ten minutes."
mewctl memory add -q "Spill limits" --text "SINGLE_LIMIT is 50000, since 2026-05-08."
