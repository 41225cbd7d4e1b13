mewctl memory remove -q package-manager
