"""An agent of a session, and the blocks in its column."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

from envelope import Continued, Message

Json = Dict[str, Any]
BlockKey = Tuple[str, str]


@dataclass
class Block:
    """One thing in an agent's column."""

    type: str
    id: str = ""
    name: str = ""
    # What there is of a name that goes on in the next message.
    open_name: List[str] = field(default_factory=list)
    pieces: List[str] = field(default_factory=list)
    done: bool = False
    interrupted: bool = False
    server_name: Optional[str] = None
    redacted: bool = False
    compaction: bool = False
    is_error: bool = False
    citations: List[Json] = field(default_factory=list)
    images: List[Json] = field(default_factory=list)
    status: Optional[Json] = None
    result: Optional["Block"] = None
    error: Optional[Json] = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def shown_name(self) -> str:
        return "".join(self.open_name) or self.name

    def grow(self, message: Message) -> None:
        """Takes one more message of the block."""
        self.pieces.append(message["delta"])
        self.done = message["final"]
        self.interrupted = self.done and message.get("interrupted") is True
        self.name = text_or(message.get("name"), self.name)
        self.server_name = text_or(message.get("server_name"), self.server_name)
        self.redacted = self.redacted or message.get("redacted") is True
        self.is_error = self.is_error or message.get("is_error") is True

    def interrupt(self) -> None:
        """Closes the block because its run was cut."""
        self.interrupted = self.interrupted or not self.done
        self.done = True


@dataclass
class Agent:
    """One agent of a session, the root or a sub-agent."""

    id: str
    name: Optional[str] = None
    parent: Optional[str] = None
    parent_tool_use_id: Optional[str] = None
    meta: Optional[Json] = None
    summary: Optional[Json] = None
    blocks: List[Block] = field(default_factory=list)
    # Where the blocks of each key stand, the latest last.
    places: Dict[BlockKey, List[int]] = field(default_factory=dict)
    # The open blocks by their keys, each with where it stands. [ENV-7]
    open: Dict[BlockKey, Tuple[int, Block]] = field(default_factory=dict)
    held: Dict[BlockKey, Continued] = field(default_factory=dict)
    # From here on a rollback voids what was shown. [LIFE-8]
    boundary: int = 0
    # Calls that stand before the boundary and came after it, because their results came first.
    late: List[int] = field(default_factory=list)
    # Where the latest run begins.
    run_start: int = 0
    # Where the final answer starts, and where it started at the boundary. [LIFE-15]
    answer_start: int = 0
    settled_answer_start: int = 0
    is_compacting: bool = False

    def latest(self, type_: str, id_: str) -> Optional[int]:
        places = self.places.get((type_, id_))
        return places[-1] if places else None

    def append(self, block: Block) -> int:
        self.blocks.append(block)
        place = len(self.blocks) - 1
        self.places.setdefault((block.type, block.id), []).append(place)
        return place

    def replace(self, place: int, block: Block) -> None:
        """Puts a block of another type or id at a place."""
        before = self.blocks[place]
        self.places[(before.type, before.id)].remove(place)
        self.blocks[place] = block
        self.places.setdefault((block.type, block.id), []).append(place)

    def settle(self) -> None:
        """Marks a boundary of the step: nothing shown so far can be voided. [LIFE-8]"""
        self.boundary = len(self.blocks)
        self.late = []
        self.settled_answer_start = self.answer_start

    def roll_back(self) -> None:
        """Voids what was shown since the boundary. [LIFE-8]"""
        self.truncate(self.boundary)
        for place in self.late:
            self.replace(place, self.blocks[place].result)
        self.answer_start = self.settled_answer_start

    def interrupt(self) -> None:
        for _, block in self.open.values():
            block.interrupt()
        self.open.clear()

    def truncate(self, length: int) -> None:
        while len(self.blocks) > length:
            block = self.blocks.pop()
            self.places[(block.type, block.id)].pop()
        self.open = {key: entry for key, entry in self.open.items() if entry[0] < length}


def text_or(value: Any, otherwise: Any) -> Any:
    """A value if it is a text, else something else."""
    return value if isinstance(value, str) else otherwise
