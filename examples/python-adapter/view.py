"""A transcript as plain JSON, in the form that the cases of `envelopes_to_ui` compare."""

import strict_json
from agent import Agent, Block, Json
from partial_json import read_partial
from transcript import Transcript

PENDING_FIELDS = ("agent", "tool_use_id", "name", "input")


def to_view(transcript: Transcript) -> Json:
    """What a person sees of a transcript."""
    root = transcript.root
    agents = transcript.agents
    error = transcript.error or {}
    is_cut = transcript.gap_after is not None
    pending = [{key: call[key] for key in PENDING_FIELDS} for call in transcript.pending]
    return _without_none(
        {
            "status": transcript.status,
            "meta": root and root.meta,
            "agents": {id_: _view_agent(agent) for id_, agent in agents.items()},
            "pending": pending,
            "files": list(transcript.files.values()),
            "summary": root and root.summary,
            "agent_summary": _without_none({id_: agent.summary for id_, agent in agents.items()}),
            "error_message": error.get("message"),
            "error_code": error.get("code"),
            "final_text": final_text(transcript),
            "action": "resume_from" if is_cut else None,
            "after_seq": transcript.gap_after,
            "submit_enabled_after_answers": len(pending),
        }
    )


def final_text(transcript: Transcript) -> str:
    """The final answer: what the root wrote after its last call, result or user message. [LIFE-15]"""
    root = transcript.root
    blocks = root.blocks[root.answer_start :] if root else []
    return "".join(block.text for block in blocks if block.type == "text" and not block.compaction)


def _view_agent(agent: Agent) -> Json:
    view = _without_none({"name": agent.name, "parent_tool_use_id": agent.parent_tool_use_id})
    # The root has no parent, and says so.
    return {**view, "parent": agent.parent, "blocks": [_view_block(block) for block in agent.blocks]}


def _view_block(block: Block) -> Json:
    base = {"type": block.type, "done": block.done, "interrupted": block.interrupted}
    if block.type == "error":
        return {**base, "json": block.error}
    base["text"] = block.text
    if block.type == "text":
        return {**base, "compaction": block.compaction, "citations": block.citations}
    if block.type == "thinking":
        return {**base, "redacted": block.redacted}
    if block.type == "user_message":
        return base
    own = _view_call(block) if block.type.endswith("call") else _view_result(block)
    return {**base, "id": block.id, "name": block.shown_name, **_json_of(block.text), **own}


def _view_call(block: Block) -> Json:
    return _without_none(
        {
            "server_name": block.server_name,
            "input": read_partial(block.text),
            "result": block.result and _view_block(block.result),
        }
    )


def _view_result(block: Block) -> Json:
    return {"is_error": block.is_error, "images": block.images}


def _json_of(text: str) -> Json:
    """Many texts of calls and results are JSON, and cases compare what they say."""
    try:
        return {"json": strict_json.loads(text)}
    except ValueError:
        return {}


def _without_none(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value is not None}
