"""What a person sees of a stream: messages become agents, blocks, questions and a status."""

from typing import Any, Callable, Dict, List, Optional

import strict_json
from agent import Agent, Block, Json, text_or
from envelope import Continued, Message

# The types whose messages are shown as they come. [ENV-6]
BLOCK_TYPES = frozenset(
    {
        "text",
        "thinking",
        "user_message",
        "tool_call",
        "server_tool_call",
        "tool_result",
        "server_tool_result",
    }
)

# The block that an item belongs to. [ENV-8]
OWNERS = {"citation": "text", "tool_result_image": "tool_result", "tool_status": "tool_call"}

# The final answer starts after the last whole block of these types. [LIFE-15]
BEFORE_ANSWER = frozenset(
    {"user_message", "tool_call", "server_tool_call", "tool_result", "server_tool_result"}
)

# After these a rollback cannot void what was shown before. [LIFE-8]
BOUNDARIES = frozenset(
    {"meta_init", "tool_result", "user_message", "meta_step", "rollback", "error", "meta_end", "aborted"}
)

# What every message has, or has only on its way.
WIRE_FIELDS = frozenset({"type", "agent", "final", "delta", "id", "more", "span"})


class Transcript:
    """Takes messages in, one by one; the cost of one does not depend on what came before."""

    def __init__(self) -> None:
        self.status = "idle"
        self.last_id = 0
        self.gap_after: Optional[int] = None
        self.agents: Dict[str, Agent] = {}
        self.pending: List[Json] = []
        self.files: Dict[Any, Json] = {}
        self.error: Optional[Json] = None

    @property
    def root(self) -> Optional[Agent]:
        """The first agent: the one that was asked."""
        return next(iter(self.agents.values()), None)

    def take(self, message: Message, id_: Optional[int] = None) -> None:
        """Takes a message in. One that was seen is left out; one after a hole leaves its mark. [LOG-3] [LOG-5]"""
        if id_ is not None:
            if id_ <= self.last_id:
                return
            if id_ - message.get("span", 1) != self.last_id:
                self.gap_after = self.last_id
                return
            self.last_id = id_
        type_ = message["type"]
        if type_ not in BLOCK_TYPES and type_ not in OWNERS and type_ not in PAYLOADS:
            return
        self.gap_after = None
        if self.status == "idle":
            self.status = "streaming"
        agent = self.agents.get(message["agent"])
        if agent is None:
            agent = self.agents[message["agent"]] = Agent(message["agent"])
        self._take_content(agent, message)

    def _take_content(self, agent: Agent, message: Message) -> None:
        type_ = message["type"]
        more = message.get("more") or {}
        if type_ in PAYLOADS:
            more = {} if message["final"] else {"delta": "text"}
        message = self._join(agent, message, more)
        if type_ in BLOCK_TYPES:
            self._take_block(agent, message)
        elif more:
            return
        elif type_ in PAYLOADS:
            PAYLOADS[type_](self, agent, _to_payload(message["delta"]))
            if type_ in BOUNDARIES:
                agent.settle()
        else:
            self._take_item(agent, message, OWNERS[type_])

    def _join(self, agent: Agent, message: Message, more: Dict[str, str]) -> Message:
        """Joins a message with those that were held for it, and holds it if it goes on."""
        key = (message["type"], message.get("id", ""))
        held = agent.held.pop(key, None)
        if held is None and not more:
            return message
        held = held or Continued()
        try:
            joined = held.add(message, more)
        except ValueError:
            # A piece of a field is missing: the field is lost, the rest is not.
            return message
        if more:
            agent.held[key] = held
        return joined

    def _take_block(self, agent: Agent, message: Message) -> None:
        """Appends a message to the open block of its key, or opens one. [ENV-7]"""
        key = (message["type"], message.get("id", ""))
        if key not in agent.open:
            self._open_block(agent, *key)
        block = agent.open[key][1]
        block.grow(message)
        held = agent.held.get(key)
        block.open_name = held.open_pieces("name") if held else []
        if block.done:
            del agent.open[key]
            # A block that was cut is no call, result or message yet.
            if block.type in BEFORE_ANSWER and not block.interrupted:
                agent.answer_start = len(agent.blocks)
        if block.type in BOUNDARIES:
            agent.settle()

    def _open_block(self, agent: Agent, type_: str, id_: str) -> None:
        """Opens a block: a result under its call, whichever comes first, anything else at the end. [LIFE-5]"""
        block = Block(type_, id_, compaction=agent.is_compacting)
        is_result = type_.endswith("result")
        call = agent.latest(type_.replace("result", "call"), id_) if is_result else None
        early = agent.latest(type_.replace("call", "result"), id_) if type_.endswith("call") else None
        if call is not None and agent.blocks[call].result is None:
            place = call
            agent.blocks[place].result = block
        elif early is not None and early >= agent.run_start:
            place = early
            block.result = agent.blocks[place]
            agent.replace(place, block)
            if place < agent.boundary:
                agent.late.append(place)
        else:
            place = agent.append(block)
        agent.open[(type_, id_)] = (place, block)
        self._go_on(agent, id_ if is_result else None)

    def _take_item(self, agent: Agent, message: Message, owner: str) -> None:
        """Takes an item for the block with its id, open or not; one that finds none opens it. [ENV-8]"""
        id_ = message.get("id", "")
        block = self._find_owner(agent, owner, id_)
        if block is None:
            self._open_block(agent, owner, id_)
            block = agent.open[(owner, id_)][1]
            block.name = text_or(message.get("name"), "")
        if owner == "text":
            block.citations.append(_to_citation(message))
        elif owner == "tool_result":
            image = {key: text_or(message.get(key), "") for key in ("src", "media_type")}
            block.images.append(image)
        else:
            block.status = {"stage": message.get("stage"), "detail": message["delta"]}
        self._go_on(agent, id_)

    @staticmethod
    def _find_owner(agent: Agent, owner: str, id_: str) -> Optional[Block]:
        place = agent.latest(owner, id_)
        if place is not None:
            return agent.blocks[place]
        # A result stands by itself, or else under its call.
        call = agent.latest(owner.replace("result", "call"), id_)
        result = None if call is None else agent.blocks[call].result
        return result if result is not None and result.type == owner else None

    def meta_init(self, agent: Agent, meta: Json) -> None:
        agent.interrupt()
        agent.meta = meta
        agent.name = text_or(meta.get("name"), agent.name)
        agent.parent = text_or(meta.get("parent_agent_uuid"), agent.parent)
        agent.parent_tool_use_id = text_or(meta.get("parent_tool_use_id"), agent.parent_tool_use_id)
        agent.summary = None
        agent.answer_start = agent.run_start = len(agent.blocks)
        agent.is_compacting = False
        agent.held.clear()
        if agent is self.root:
            self.pending = []
            self.status = "streaming"
        self._go_on(agent)

    def meta_step(self, _agent: Agent, _info: Json) -> None:
        """A step has ended, which is a boundary and nothing else here."""

    def rollback(self, agent: Agent, _payload: Json) -> None:
        agent.roll_back()
        agent.held.clear()
        self._go_on(agent)

    def awaiting_frontend_tools(self, agent: Agent, payload: Json) -> None:
        self._await(agent, payload, is_approval=False)

    def awaiting_approval(self, agent: Agent, payload: Json) -> None:
        self._await(agent, payload, is_approval=True)

    def _await(self, agent: Agent, payload: Json, is_approval: bool) -> None:
        self.error = None
        self.pending = [
            call
            for call in self.pending
            if call["agent"] != agent.id or call["is_approval"] != is_approval
        ]
        for tool in _objects_in(payload.get("tools")):
            self.pending.append(
                {
                    "agent": agent.id,
                    "tool_use_id": text_or(tool.get("tool_use_id"), ""),
                    "name": text_or(tool.get("name"), ""),
                    "input": tool.get("input"),
                    "is_approval": is_approval,
                }
            )
        self._show_status("streaming")

    def meta_files(self, _agent: Agent, payload: Json) -> None:
        for file in _objects_in(payload.get("files")):
            # A file that is told again takes the place of the one before.
            id_ = file.get("file_id")
            self.files[id_ if isinstance(id_, str) and id_ else len(self.files)] = file

    def failure(self, agent: Agent, error: Json) -> None:
        agent.interrupt()
        agent.append(Block("error", done=True, error=error))
        self._go_on(agent)
        told = error["error"] if isinstance(error.get("error"), dict) else error
        kind = text_or(told.get("type"), "error")
        self._fail(text_or(told.get("message"), "The run failed."), text_or(told.get("code"), kind))

    def meta_end(self, agent: Agent, end: Json) -> None:
        agent.interrupt()
        agent.summary = {**(agent.summary or {}), **end}
        if agent is not self.root:
            return
        if end.get("stop_reason") == "aborted":
            self.pending = []
            self.error = None
            self.status = "aborted"
        self._show_status("complete")

    def aborted(self, agent: Agent, _payload: Json) -> None:
        self.meta_end(agent, {"stop_reason": "aborted"})

    def meta_final(self, agent: Agent, summary: Json) -> None:
        agent.summary = {**(agent.summary or {}), **summary}

    def compaction_start(self, agent: Agent, _payload: Json) -> None:
        agent.is_compacting = True

    def compaction_end(self, agent: Agent, _payload: Json) -> None:
        agent.is_compacting = False

    def end(self) -> None:
        """Takes in `[DONE]`; after a hole it says nothing of what was missed. [SSE-5]"""
        if self.gap_after is not None:
            return
        self._interrupt_all()
        if self.status != "idle":
            self._show_status("complete")

    def cut(self) -> None:
        """The stream ended without `[DONE]`. [SSE-5]"""
        self._interrupt_all()
        if self.status in ("streaming", "idle"):
            self._fail("The stream stopped before its end.", "stream_truncated")

    def fail_foreign(self, message: str) -> None:
        """What came is no message."""
        self._interrupt_all()
        self._fail(message, "internal")

    def _interrupt_all(self) -> None:
        for agent in self.agents.values():
            agent.interrupt()

    def _fail(self, message: str, code: str) -> None:
        self.error = {"message": message, "code": code}
        self.status = "error"

    def _go_on(self, agent: Agent, tool_use_id: Optional[str] = None) -> None:
        """New content has come: a failure is over, and so is the waiting for one call, or for all of an agent."""
        self.pending = [
            call
            for call in self.pending
            if call["agent"] != agent.id or tool_use_id not in (None, call["tool_use_id"])
        ]
        self.error = None
        self._show_status("streaming")

    def _show_status(self, otherwise: str) -> None:
        """What has happened decides before what is going on; a stop lasts until the next run begins."""
        if self.error is not None:
            self.status = "error"
        elif self.status != "aborted":
            self.status = "awaiting_tools" if self.pending else otherwise


# All types whose content is collected until it is whole.
PAYLOADS: Dict[str, Callable[[Transcript, Agent, Json], None]] = {
    "meta_init": Transcript.meta_init,
    "meta_step": Transcript.meta_step,
    "rollback": Transcript.rollback,
    "awaiting_frontend_tools": Transcript.awaiting_frontend_tools,
    "awaiting_approval": Transcript.awaiting_approval,
    "meta_files": Transcript.meta_files,
    "error": Transcript.failure,
    "meta_end": Transcript.meta_end,
    "aborted": Transcript.aborted,
    "meta_final": Transcript.meta_final,
    "compaction_start": Transcript.compaction_start,
    "compaction_end": Transcript.compaction_end,
}


def _to_payload(delta: str) -> Json:
    """What a whole delta of JSON says; some servers wrap lists of tools and files, others do not."""
    try:
        value = strict_json.loads(delta)
    except ValueError:
        return {"message": delta}
    if isinstance(value, dict):
        return value
    return {"tools": value, "files": value} if isinstance(value, list) else {"message": delta}


def _to_citation(message: Message) -> Json:
    fields = {key: value for key, value in message.items() if key not in WIRE_FIELDS}
    if "citation_type" not in fields:
        # The older dialect puts all of a citation into the delta, as JSON.
        told = _to_payload(message["delta"])
        if isinstance(told.get("cited_text"), str):
            return told
    return {**fields, "cited_text": message["delta"]}


def _objects_in(value: Any) -> List[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
