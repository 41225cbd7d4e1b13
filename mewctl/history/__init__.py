"""What a conversation is: views of records, formats, detection, repair, facts.

Pure values and functions. No file, clock, network, terminal or Click in here.
"""
