"""How many tokens: estimator, measured weights, known windows, calibration, report.

Pure values and functions: no file, clock, network, terminal or Click in here.
"""
