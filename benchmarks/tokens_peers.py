"""Other token counters on the same texts: tokenx (in node) and bpe-openai.

tokenx is an estimator as ours is; bpe-openai is an exact tokenizer. Both are left out
where they are not installed; ``make bench`` fetches them where it can.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import tokens_error
import tokens_speed
from measure import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable

MODULES = REPOSITORY / "benchmarks" / "data"  # node_modules is in it
O200K = "openai-o200k"

#: Counts each text; the median processor time of so many rounds, and the counts.
_TOKENX = """
import { readFileSync } from 'node:fs'
import { estimateTokenCount } from 'tokenx'
const { texts, rounds } = JSON.parse(readFileSync(0, 'utf8'))
const counts = texts.map((text) => estimateTokenCount(text))
const spent = Array.from({ length: rounds }, () => {
  const start = process.cpuUsage()
  for (const text of texts) estimateTokenCount(text)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
})
spent.sort((a, b) => a - b)
console.log(JSON.stringify({ seconds: spent[rounds >> 1], counts }))
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """What another counter makes of texts, and its seconds for all of them."""

    seconds: float
    counts: list[int]


def tokenx(texts: list[str], rounds: int) -> Peer | None:
    """The estimates of tokenx; None where node or tokenx is not installed."""
    if shutil.which("node") is None or not (MODULES / "node_modules/tokenx").is_dir():
        return None
    done = subprocess.run(
        ["node", "--input-type=module", "-e", _TOKENX],
        cwd=MODULES,
        input=json.dumps({"texts": texts, "rounds": rounds}).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return Peer(**json.loads(done.stdout))


def bpe_openai(texts: list[str], rounds: int) -> Peer | None:
    """The counts of OpenAI's tokenizer; None where it is not installed."""
    count = dict(tokens_error.tokenizers()).get(O200K)
    if count is None:
        return None
    return Peer(
        tokens_speed.seconds(lambda: [count(text) for text in texts], rounds),
        [count(text) for text in texts],
    )


PEERS: dict[str, Callable[[list[str], int], Peer | None]] = {
    "tokenx": tokenx,
    "bpe-openai": bpe_openai,
}
