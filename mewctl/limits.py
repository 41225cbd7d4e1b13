"""Every number of the design, once, with its unit. Nothing else defines a limit.

Sources: the contract this project is built to, unless a comment says otherwise.
"""

from __future__ import annotations

# --- records (bytes) ---
MAX_RECORD = 256 * 1024 * 1024
READ_BLOCK = 1024 * 1024  # one read(2) of a stream
MAX_DEPTH = 200  # nesting of one record, in levels; deeper is a bad record
SHELF_BLOCK = 256 * 1024  # of records that wait, joined so that each costs its bytes
SALVAGE_WORK = 64  # a damaged line is searched this many times over at most, in lines
REJOIN_LINES = 3  # lines after a broken one that may be its rest (copilot-cli#2649)

# --- transcripts ---
USAGE_NEARER = 0.25  # seconds by which a usage must be nearer to one of two responses

# --- spill (bytes unless said) ---
SINGLE_LIMIT = 50_000
AGGREGATE_LIMIT = 200_000
PREVIEW_HEAD_LINES = 20
PREVIEW_HEAD_BYTES = 2048
PREVIEW_TAIL_LINES = 10
PREVIEW_TAIL_BYTES = 1024
PREVIEW_LINE_BYTES = 500  # a longer line is clipped
PREVIEW_ERROR_SEARCH = 1024 * 1024  # error lines are looked for in parts of this size
PREVIEW_ERROR_FOUND = 100  # ... and so many are weighed against each other
PREVIEW_MAX = 16 * 1024  # what is longer is no preview
AGE_PREVIEW_BYTES = 200  # head and tail each, of a result spilled for its age
AGE_PREVIEW_TOKENS = 300  # about what such a preview costs, for what-ifs
PREVIEW_TOKENS = 1_200  # about what a full preview costs, for what-ifs
KEEP_RECENT = 40_000  # tokens of tool output that age spill leaves alone
KEEP_RECENT_SHARE = 0.20  # ... and at most this part of the threshold
AGE_MIN_GAIN = 20_000  # tokens that age spill must free to act
AGE_MIN_GAIN_SHARE = 0.10  # ... or this part of the window, whichever is smaller
RECOVERY_WINDOW = 40_000  # a recovery read longer than this is cut to a window
LEDGER_LINE_MAX = 1024 * 1024
LEDGER_ID_MAX = 1024  # a longer call id is not written out in the ledger
SPILL_BLOCK = 512 * 1024  # one read of a history; half a READ_BLOCK saves 2 MB at peak
SPILL_BATCH_FILES = 64  # bodies that are open at once while they are written
SPILL_BATCH_BYTES = 1024 * 1024  # of records that wait for their decision, in memory
SPILL_IMAGE_MIN = 4_096  # base64 of an image shorter than this stays where it is
LANG_SAMPLE = 256 * 1024  # of a stream's beginning, to tell the user's language
LOOK_BACK = 256 * 1024  # before a result, for the calls of a message of many records
RECALL_EXCERPT = 200
RECALL_LIMIT = 50
RECALL_PATIENCE = 10.0  # seconds that a pattern may take for one line
RECALL_DIGITS = 8  # hex digits of a sha256 from which it is a handle

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
SUMMARY_MIN = 1_500  # room for them wherever the threshold leaves it
HAND_OVER_MIN = 3_000  # the same for a summary that stands alone
EXACT_WINDOWS = 2  # so many windows of the newest messages are weighed one by one
COLLECT_HELD = 512 * 1024  # bytes of the newest records, among which a tail begins
TARGET_TRIES = 4  # a summary that missed the target is made smaller
SUMMARY_OF_DROPPED = (
    0.7  # summary and attachment at most this part of what they replace
)
USERS_LAST_RESORT = 600  # tokens for the summary when all else was given up
TAIL_MIN_TOKENS = 10_000
TAIL_MIN_MESSAGES = 5
RECENT_FILES = 5
RECENT_FILE_TOKENS = 5_000
MAX_REQUEST_BYTES = 32_000_000  # providers refuse larger request bodies

# --- facts (bytes unless said; what bounds the memory of a collector) ---
FACT_COMMAND = 400  # a longer command text is clipped
FACT_CHANGE = 800  # excerpt of a file's last change
FACT_WHY = 240  # words that came with a change
FACT_NOTE = 240  # words that followed a failure
FACT_LINES = 8  # error lines of one failure, in lines
FACT_LINE = 200  # one error line
FACT_TARGET = 200  # what a call was about, where it is no path and no command
FACT_EXCERPT = 300  # of the result of one of the last calls
FACT_LAST_CALLS = 12  # in calls
FACT_EARLIER = 16_000  # bytes of an agent's summary that the record began with
FACT_LAST_TEXT = 8_000  # the assistant's last text
FACT_SAID_FINAL = 1_500  # the text that ended a turn
FACT_SAID = 600  # another text of the assistant
FACT_SAID_SHORT = 200  # what is left of an old text when room is short
FACT_SAID_TOTAL = 32_000  # all texts of the assistant
FACT_SAID_WORTH = 160  # characters from which a text between two calls is worth a note
FACT_SAID_NOTE = 60  # ... if it came with a change or after a failure
FACT_WHY_AGE = 24  # messages after which a text is no reason for a change any more
FACT_FILES_READ = 500  # files only read, in files
FACT_FILES_CHANGED = 5_000  # in files
FACT_CHANGES_SHOWN = 500  # files whose last change is kept, in files
FACT_COMMANDS = 1_000  # in commands
FACT_FAILURES = 300  # in failures
FACT_TODOS = 200  # in items
FACT_TODO = 500  # the text of one item
FACT_PATH = 4_096  # a longer name is no path (PATH_MAX of Linux)
FACT_PATHS = 100  # paths of one call, in paths
SAME_NAMES = 200  # files of one name beyond which the name tells nothing, in files
PENDING_CALLS = 256  # calls whose results have not come, in calls
CHANGES_REMEMBERED = 500  # changed files between a failure and its fix, in changes
RESULT_HEAD = 4_096  # characters of a result where its exit code may stand
RESULT_TAIL = 2_048
ERROR_WINDOW = 6_000  # characters at either end in which error lines are sought
SHELL_TEXT = 4_000  # characters of a command that are read as shell
READ_STEP = 64  # characters: how exactly a file is cut to its tokens
READ_KEPT = 60_000  # characters of a read file that are kept for the attachment

# --- summary text (characters unless said; ours, tried on real transcripts) ---
NEWEST_REQUESTS = 3  # messages of the user that section 1 names beside the first
NEWEST_CHANGES = 6  # changes that go before commands where room is short
COMMITS = 12  # subjects of commit messages that section 5 quotes
UNSEEN_STRETCHES = 30  # stretches of numbers that say which messages are not shown
SUMMARY_LINE = 160  # a long command or reason, where room is short
SUMMARY_EARLIER = (8_000, 4_000, 1_500)  # characters of it, as room allows
SUMMARY_EXCERPT = 400  # the beginning of a change or an output, where room is short
LAST_WORDS = ((600, 1200), (150, 350))  # head and tail of the assistant's last text
EARLIER_SHARE = 0.6  # part of the facts' room that an earlier summary may take
PIECE_SHARE = 0.05  # of the facts' room: one fact larger than this is shortened
COMMAND_SHARE = 0.012  # the same for a command
LAST_WORDS_SHARE = 0.25  # the same for the assistant's last text
QUOTE = 280  # one quoted sentence of offline prose
CONCEPTS = 8  # languages, programs and names that section 2 lists, each
PROSE_SHARES = {1: 0.13, 2: 0.08, 3: 0.18, 4: 0.06, 5: 0.2, 6: 0.02, 7: 0.03, 8: 0.3}
LATER_WORTH = 1.5  # what the newest sentence is worth more than the oldest, in points
FINAL_WORTH = 1.0  # the same for a sentence of the text that ended a turn
ACCOUNT_WORTH = 1.5  # the same for the fullest account of the work
EXCHANGES = 4  # turns before the last that section 8 quotes
NEXT_TURNS = 3  # turns before the last whose end may name what is left
NEXT_QUOTES = 2  # announcements, questions and todos that section 9 quotes, each

# --- a model's prose (ours unless said) ---
FLAT_NAME = 80  # characters of a tool's name or a call's id in a flattened span
FLAT_TOOL_TEXT = 20_000  # characters of one call's arguments or one result's text
FLAT_TOOL_LEAST = 1_000  # ... when the request was too long
LADDER_SINGLES = 3  # turns that are left out one by one before ...
LADDER_SHARE = 0.20  # ... this part of the turns goes each time
ANSWER_TRIES = 2  # a refused answer is asked for once more, with the reason
PROSE_ASKED_LEAST = 400  # tokens that a model is given for its prose at least
PROVIDER_WINDOW_SHARE = 0.90  # of a provider's window that a request may fill
PROVIDER_FACTS_SHARE = 0.20  # of a provider's window that the facts may take
PROVIDER_ANSWER_SHARE = 0.25  # of a provider's window that an answer may take
CODE_LINE = 8  # characters; a shorter line of quoted code proves nothing
UNSEEN_PROMPT = 0.6  # input_tokens below this part of our estimate: cut by the server
PROVIDER_TIMEOUT = 600  # seconds for all requests of one run together
PROVIDER_RETRIES = 2  # after an answer that says to try again
RETRY_PAUSE = 0.5  # seconds before the first, doubled up to ...
RETRY_PAUSE_MAX = 8.0
COMMAND_OUTPUT = 4 * 1024 * 1024  # bytes of a program's answer

# --- breaker ---
BREAKER_AFTER = 3  # automatic compactions in a row that did not help
BREAKER_GAIN = 0.10  # ... among them those that freed less than this part

# --- tokens ---
FRAME_TOKENS = 6  # one message's frame; research measured 6-12 for Claude
BLOCK_TOKENS = 6  # one call's or result's wrapper; research guesses 4-10
IMAGE_TOKENS = 1_600  # flat cost of one image
DOCUMENT_TOKENS = 25_800  # a document's base64 at most (what Gemini CLI assumes)
UNSEEN_LOOK = 200  # messages in which the first usage must come to tell what is unseen
SIGNATURE_TOKENS_PER_BYTE = 0.6  # a signature whose thinking text is empty
TOKEN_DIGITS = 12  # of a count of tokens; a longer one is nobody's, and read as 0
CALIBRATION_MIN = 0.7
CALIBRATION_MAX = 1.6
CALIBRATION_KEEP = 0.9  # part of the older growth's weight that the next one leaves
CALIBRATION_PAIRS = 2  # pairs of usages from which the ratio counts
BIGGEST = 10  # items that a report lists
BIGGEST_HEAD = 80  # characters of the beginning of such an item
TIMELINE_POINTS = 1_000  # sizes that a curve keeps at least, at most twice as many
TIMELINE_TURNS = 30  # turns that a table shows, the newest
FALL_SHARE = 0.20  # a context that shrank by this part between two usages was cut, ...
FALL_LEAST = 2_000  # ... if it lost so many tokens
OPEN_CALLS = 4_096  # calls without a result yet whose tool is remembered
BASE64_RUN = 1_024  # characters of base64 in a row that are priced as such

# --- store (seconds unless said) ---
STATE_FILE = 64 * 1024  # bytes of a small state file that are read
LOCK_TIMEOUT = 10.0
LOCK_PAUSE = 0.005  # between two tries, doubled up to ...
LOCK_PAUSE_MAX = 0.05
UNFINISHED_AGE = 3600.0  # a temporary file as old as this was left by a killed process

# --- settings ---
SETTINGS_MAX = 1024 * 1024  # bytes of a settings file; a real one has hundreds

# --- what people see ---
PROGRESS_AFTER = 0.5  # seconds of a read before its progress is shown
PROGRESS_EVERY = 0.1  # seconds between two drawings of it
LETTERS_PER_TOKEN = 4  # of an answer in progress, about
PROGRESS_NAME = 40  # columns of the input's name in it
TABLE_WIDTH = 120  # columns of a table that no terminal shows
TABLE_WIDTH_MIN = 20  # ... and of one on the narrowest terminal

# --- sessions ---
SESSION_ROWS = 20  # sessions that a listing shows
TITLE_CHARS = 50  # of the first message of the user; what is cut ends in three dots
TITLE_SET_CHARS = 200  # of a title that was set
HEAD_BYTES = 4 * 1024 * 1024  # searched for a title; the largest seen stood 2.0 MB in
HEAD_STEP = 64 * 1024  # read at once while searching, in bytes
TAIL_BYTES = 64 * 1024  # of a log's end, for the newest time and model
TAIL_BYTES_MAX = 4 * 1024 * 1024  # ... where the last record is longer than that
BACK_BLOCK = 1024 * 1024  # one step of the search for a marker, backwards, in bytes
REVISION_BYTES = 4096  # of a log's end that a revision vouches for
APPEND_BATCH = 4 * 1024 * 1024  # bytes of a batch from which it is written at once
APPEND_PIPE = 1024 * 1024  # bytes that wait in a pipe while a batch is synced
REMIND_AFTER = 6 * 3600  # seconds without a record after which a pause is told
CLEAN_OLDER = 30 * 86_400  # seconds: the policy where no rule is given
CLEAN_MIN_AGE = 86_400  # seconds that protect, whatever the rules
CLOCK_SLACK = 300  # seconds into the future that are a clock's inexactness
TRASH_FOR = 14 * 86_400  # seconds that the trash is kept
GREP_ROWS = 50  # lines that a search of sessions shows
AMBIGUOUS_SHOWN = 20  # ids that an error lists

# --- what the APIs take (characters), from their error messages in issue trackers ---
ANTHROPIC_NAME_CHARS = 128  # name of a tool
OPENAI_NAME_CHARS = 64  # name of a function
OPENAI_ID_CHARS = 40  # id of a call
RESPONSES_ID_CHARS = 64  # the same of the Responses API

# --- repair ---
REPAIRS_TOLD = 20  # repairs told on stderr, one a line; --check lists all
REPAIR_VIEWS = 4  # records kept parsed while one message is made of several

# --- conversion ---
LOSS_KINDS = 50  # kinds a loss report tells apart; further ones are "other"
LOSS_KIND_CHARS = 60  # a kind that names a key or a type of the input is cut to this

# --- instructions (bytes unless said) ---
INCLUDE_DEPTH = 5  # levels, the layer's own file being the first
INCLUDE_FILE = 256 * 1000  # one file
INCLUDE_TOTAL = 1000 * 1000  # all files of a rendering together
INCLUDE_COUNT = 10_000  # directives of a rendering, so that empty files are bounded too
BINARY_SNIFF = 512  # a NUL in so many first bytes tells a binary file
FRONTMATTER = 64 * 1000  # of a skill
NESTING = 100  # lists and quotes in each other, in levels; deeper is plain text
FENCE_GLANCE = 1_024  # characters of an indented fence that is not followed in full
HEADINGS_TOLD = 8  # headings named where one was not found, in headings
LINKS = 40  # symbolic links on the way to one file, in links (as Linux has it)
OPEN_DIRECTORIES = 64  # directories held open between two files, in descriptors

# --- memory (bytes unless said) ---
FRONTMATTER_DEPTH = 10  # lists and mappings in each other, in levels
NOTES_LOCK = 60.0  # seconds: many writers at once, whose turns come by chance
NOTE_FILE = 1024 * 1024  # a larger file is named and not read
INDEX_FILE = 8 * 1024 * 1024  # MEMORY.md; one that is larger is named and left alone
NOTE_CONTENT = 32_000  # text of one note that an action may bring
NOTE_TITLE = 120  # characters
NOTE_EVIDENCE = 2_000  # characters of one quotation
NOTE_TAGS = 20  # tags of one note
SLUG_CHARS = 40  # of a file name after the type; with it within 64, a safe name
NOTE_ID = 8  # hex digits of an id, more where that is taken
INDEX_MAX = 25_600  # what an index for a context may be (Claude Code cuts at 25 KB)
INDEX_DESCRIPTION = 80  # of one line; what is longer is cut to 77 and three dots
INDEX_TOP = 10  # notes that index --query gives
HALF_LIFE = {"project_knowledge": 90.0, "reference_material": 180.0}  # days of no use
GC_VALUE = 0.25  # below this a note is archived: two half-lives without any use
SIMILAR_GRAM = 3  # characters of one n-gram; 1 less for Chinese, Japanese and Korean
SIMILAR_SAME = 0.85  # Jaccard of n-grams from which two texts say the same
SIMILAR_GONE = 0.9  # the same against what was removed, where a mistake costs more
SIMILAR_MIN = 12  # n-grams; shorter texts are compared as they are
ACTIONS_MOST = 20  # actions of one proposal that are taken
ACTION_BYTES = 1024 * 1024  # one line of actions
ANSWER_SCAN = 1_000_000  # characters of a model's answer that are searched
BROKEN_SHOWN = 60  # characters of an object that could not be read
UPDATE_TURNS = 5  # newest turns that propose looks at without a session
UPDATE_EVERY = 5  # finished turns between two updates that nothing else asks for
UPDATE_TEXT = 120_000  # characters of messages that a model is shown
UPDATE_ANSWER = 4_000  # tokens of its answer
REMEMBERED = 400  # characters of a sentence that offline takes for a note

# --- memory search (weights are factors) ---
SEARCH_TOP = 10  # notes that a search shows
SEARCH_TITLE = 2.0  # a word of the title counts as so many of the body
SEARCH_NAMES = 1.0  # an identifier, beside its words
SEARCH_DATES = 0.5  # a date, of which several terms are one statement
SEARCH_PHRASE = 1.0  # the exact phrase, beside its words
LEND_BEFORE = 0.3  # what a note gets of the one before it in its session
LEND_AFTER = 0.15  # ... and of the one after it
SEARCH_SETTLED = 2.0  # seconds; a file changed more recently is read again next time
