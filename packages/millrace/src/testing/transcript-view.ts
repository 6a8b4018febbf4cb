import { traitsOf } from '../events/index.ts'
import type { JsonObject, JsonValue } from '../json/index.ts'
import { finalText, rootAgent, toolInput } from '../client/transcript/index.ts'
import type {
  AgentNode,
  Block,
  CallBlock,
  ResultBlock,
  TextBlock,
  Transcript,
} from '../client/transcript/index.ts'

/** Converts a transcript to plain JSON with the wire's names: the form of the shared cases. */
export function toView(transcript: Transcript): JsonObject {
  const agents = [...transcript.agents]
  const root = rootAgent(transcript)
  return withoutUndefined({
    status: transcript.status,
    meta: root?.meta,
    agents: Object.fromEntries(agents.map((agent) => [agent.id, viewAgent(agent)])),
    pending: transcript.pending.map((tool) => ({
      agent: tool.agent,
      tool_use_id: tool.callId,
      name: tool.name,
      input: tool.input as JsonValue,
    })),
    files: transcript.files,
    summary: root?.summary,
    agent_summary: withoutUndefined(
      Object.fromEntries(agents.map((agent) => [agent.id, agent.summary])),
    ),
    error_message: transcript.error?.message,
    error_code: transcript.error?.code,
    final_text: finalText(transcript),
    action: transcript.gapAfter === undefined ? undefined : 'resume_from',
    after_seq: transcript.gapAfter,
    submit_enabled_after_answers: transcript.pending.length,
  })
}

function viewAgent(agent: AgentNode): JsonObject {
  return withoutUndefined({
    parent: agent.parent,
    name: agent.name,
    parent_tool_use_id: agent.parentToolUseId,
    blocks: [...agent.blocks].map(viewBlock),
    runs: [...agent.runs].map(({ runId, prompt, firstBlock, end }) =>
      withoutUndefined({ run_id: runId, prompt, first_block: firstBlock, end }),
    ),
    steps: [...agent.steps].map(({ afterBlock, info }) => ({ after_block: afterBlock, info })),
  })
}

function viewBlock(block: Block): JsonObject {
  const { type, done, interrupted } = block
  const base = { type, done, interrupted }
  if (block.type === 'error') return { ...base, json: block.error }
  if (block.type === 'text') return { ...base, text: block.text, ...viewText(block) }
  if (block.type === 'thinking') return { ...base, text: block.text, redacted: block.redacted }
  if (block.type === 'user_message') return { ...base, text: block.text }
  const own = isCall(block) ? viewCall(block) : viewResult(block)
  return {
    ...base,
    id: block.id,
    name: block.name,
    text: block.text,
    ...jsonOf(block.text),
    ...own,
  }
}

function viewText({ citations, compaction }: TextBlock): JsonObject {
  return {
    compaction,
    citations: citations.map(({ citedText, fields }) => ({ ...fields, cited_text: citedText })),
  }
}

function viewCall(block: CallBlock): JsonObject {
  return withoutUndefined({
    server_name: block.serverName,
    input: toolInput(block),
    result: block.result && viewBlock(block.result),
  })
}

function viewResult({ isError, images }: ResultBlock): JsonObject {
  return {
    is_error: isError,
    images: images.map(({ src, mediaType }) => ({ src, media_type: mediaType })),
  }
}

function isCall(block: Block): block is CallBlock {
  return traitsOf(block.type)?.answeredBy !== undefined
}

/** Parses the texts of calls and results that are JSON, so that cases compare their values. */
function jsonOf(text: string): JsonObject {
  try {
    return { json: JSON.parse(text) as JsonValue }
  } catch {
    return {}
  }
}

function withoutUndefined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const present: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) present[name] = value
  }
  return present
}
