"""Every number of the design, once, with its unit. Nothing else defines a limit.

Sources: the contract this project is built to, unless a comment says otherwise.
"""

from __future__ import annotations

# --- records (bytes) ---
MAX_RECORD = 256 * 1024 * 1024
READ_BLOCK = 1024 * 1024  # one read(2) of a stream
MAX_DEPTH = 200  # nesting of one record, in levels; deeper is a bad record

# --- spill (bytes unless said) ---
SINGLE_LIMIT = 50_000
AGGREGATE_LIMIT = 200_000
PREVIEW_HEAD_LINES = 20
PREVIEW_HEAD_BYTES = 2048
PREVIEW_TAIL_LINES = 10
PREVIEW_TAIL_BYTES = 1024
PREVIEW_LINE_BYTES = 500  # a longer line is clipped
AGE_PREVIEW_BYTES = 200  # head and tail each, of a result spilled for its age
KEEP_RECENT = 40_000  # tokens of tool output that age spill leaves alone
KEEP_RECENT_SHARE = 0.20  # ... and at most this part of the threshold
AGE_MIN_GAIN = 20_000  # tokens that age spill must free to act
AGE_MIN_GAIN_SHARE = 0.10  # ... or this part of the window, whichever is smaller
RECOVERY_WINDOW = 40_000  # a recovery read longer than this is cut to a window
LEDGER_LINE_MAX = 1024 * 1024
RECALL_EXCERPT = 200
RECALL_LIMIT = 50

# --- compaction (tokens unless said) ---
WINDOW = 200_000
RESERVE = 20_000
RESERVE_SHARE = 0.10
MARGIN = 13_000
MARGIN_MANUAL = 3_000
MARGIN_SHARE = 0.065
THRESHOLD_SHARE = 0.85
TARGET_SHARE = 0.50  # target = floor + this part of (threshold - floor)
SHARE_TAIL = 0.40
SHARE_ATTACHMENT = 0.20
SHARE_USER_WORDS = 0.20
SHARE_FACTS = 0.15
SHARE_PROSE = 0.05
SUMMARY_MAX = 30_000  # summary and attachment together
TAIL_MIN_TOKENS = 10_000
TAIL_MIN_MESSAGES = 5
RECENT_FILES = 5
RECENT_FILE_TOKENS = 5_000
MAX_REQUEST_BYTES = 32_000_000  # providers refuse larger request bodies

# --- tokens ---
FRAME_TOKENS = 6  # one message's frame; research measured 6-12 for Claude
BLOCK_TOKENS = 6  # one call's or result's wrapper; research guesses 4-10
IMAGE_TOKENS = 1_600  # flat cost of one image
SIGNATURE_TOKENS_PER_BYTE = 0.6  # a signature whose thinking text is empty
CALIBRATION_MIN = 0.7
CALIBRATION_MAX = 1.6

# --- store (seconds) ---
LOCK_TIMEOUT = 10.0
