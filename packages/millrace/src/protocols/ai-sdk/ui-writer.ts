import {
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  createCollector,
  dataOf,
  isGrowing,
  isPauseReason,
  objectsIn,
  type PauseEvent,
  type Piece,
  type StreamEvent,
  traitsOfEvent,
} from '../../events/index.ts'
import { type JsonObject, type JsonValue, toText } from '../../json/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import {
  decisionFieldsIn,
  type EventFormat,
  type EventWriter,
  type FormatFrame,
  isAnswer,
  readChoice,
  type StreamEnd,
} from '../port/index.ts'
import { type SubagentMode, SubagentParts } from './subagent-parts.ts'
import { ToolParts } from './tool-parts.ts'
import { toFinishReason, toOwn, toSources, type UiFields, UiOutput } from './ui-output.ts'
/** Options of the AI SDK format. */
export interface AiSdkOptions {
  /** Output of sub-agents. Their pending calls are always parts of the message. */
  readonly subagents?: SubagentMode
  /** Chunk for a rolled-back step: `reset-step` removes it, but only the AI SDK 7 supports that. */
  readonly rollback?: 'data' | 'reset-step'
  /** Maximum text of a sub-agent in its complete part; longer text is truncated. */
  readonly maxSubagentBlockLength?: number
}

/** Writes a log as a UI message stream. */
class UiWriter implements EventWriter {
  readonly #root: string
  readonly #session: string
  readonly #collector = createCollector()
  readonly #output: UiOutput
  readonly #tools: ToolParts
  readonly #subagents: SubagentParts
  readonly #mode: SubagentMode
  readonly #rollback: 'data' | 'reset-step'
  /** Sub-agents of the run. The set is complete if the stream includes the start of the run. */
  readonly #agents = new Set<string>()
  #isWhole = false
  #metadata: JsonObject
  /** End of a paused run, while only answers followed; these are held. */
  #pause: UiFields | undefined
  readonly #held: CollectedEvent[] = []
  /** Error of the run, written at its end because a client reads nothing after an error. */
  #error: JsonObject | undefined

  constructor(root: string, session: string, options: Required<AiSdkOptions>) {
    this.#root = root
    this.#session = session
    this.#metadata = { agent_uuid: session }
    this.#output = new UiOutput(this.#metadata)
    this.#tools = new ToolParts(root, this.#output)
    this.#subagents = new SubagentParts(this.#output, options.maxSubagentBlockLength)
    this.#mode = options.subagents
    this.#rollback = options.rollback
  }

  write(event: StreamEvent): readonly FormatFrame[] {
    for (const collected of this.#collector.take(event)) this.#take(collected)
    return this.#output.drain()
  }

  finish(end: StreamEnd): readonly FormatFrame[] {
    const left = this.#collector.finish()
    if (end === 'done' && this.#pause !== undefined && this.#held.length > 0) {
      this.#writeHeld()
      this.#output.finish(this.#pause)
      return this.#output.drain()
    }
    if (!this.#output.isOpen) return []
    // A call that continues in the log is not an error yet.
    for (const event of left) if (!('callId' in event)) this.#take(event)
    const errorText =
      end === 'cut'
        ? 'The stream was cut before the end of the run. The run continues; resume the stream.'
        : 'The run was lost before its end. Send the prompt again.'
    this.#output.write('error', { errorText })
    return this.#output.drain()
  }

  /** Writes an event. Answers alone do not continue the message, because further answers may be pending. */
  #take(event: CollectedEvent): void {
    if (this.#pause !== undefined && isAnswer(event)) {
      this.#held.push(event)
      return
    }
    this.#writeHeld()
    this.#pause = undefined
    this.#write(event)
  }

  #writeHeld(): void {
    for (const event of this.#held.splice(0)) this.#write(event)
  }

  #write(event: CollectedEvent): void {
    const { agent, type } = event
    const isOthers = agent !== this.#root
    if (isOthers && type === 'run_start') this.#agents.add(agent)
    // A sub-agent of an earlier run, whose message has ended.
    if (isOthers && this.#isWhole && !this.#agents.has(agent)) return
    if (isOthers && this.#mode !== 'inline' && this.#isLeftOut(event)) return
    // A handler accepts only events of its type.
    const handle = this.#handlers[type] as ((one: CollectedEvent) => void) | undefined
    if (handle === undefined) this.#writeData(event)
    else handle(event)
  }

  /** Handles an event of a sub-agent that is not written like those of the root; false if it must be. */
  #isLeftOut(event: CollectedEvent): boolean {
    const { type } = event
    if ('calls' in event || type === 'files') return false
    if ('images' in event && this.#tools.has(event.callId)) return false
    if (type === 'tool_status') return this.#mode === 'drop' && !this.#tools.has(event.callId)
    if (type === 'rollback' || type === 'user_message') return this.#mode === 'drop'
    if (this.#mode === 'data') this.#subagents.take(event)
    return true
  }

  readonly #handlers: {
    readonly [Type in CollectedEvent['type']]?: (event: CollectedEventOf<Type>) => void
  } = {
    run_start: (event) => {
      if (event.agent === this.#root) this.#startRun(event.payload)
      else this.#subagents.take(event)
    },
    text: (piece) => this.#takeProse(piece),
    thinking: (piece) => this.#takeProse(piece),
    tool_call: (piece) => this.#tools.take(piece),
    server_tool_call: (piece) => this.#tools.take(piece),
    tool_result: (result) => this.#tools.answer(result),
    server_tool_result: (result) => this.#tools.answer(result),
    tool_status: (event) => {
      const { agent, callId: toolCallId, name: toolName, stage, detail } = event
      const data = { toolCallId, toolName, stage, detail, agent, ...decisionFieldsIn(event.fields) }
      this.#output.write('data-tool-status', { data, transient: true })
      this.#tools.judge(event)
    },
    user_message: ({ agent, text, block }) =>
      this.#output.write('data-user-message', { id: block, data: { text, agent } }),
    awaiting_frontend_tools: (event) => this.#await(event),
    awaiting_approval: (event) => this.#await(event),
    step_end: ({ agent }) => {
      if (agent === this.#root) this.#output.closeStep()
    },
    rollback: (event) => this.#rollBack(event),
    files: ({ payload, block }) => {
      for (const [index, file] of objectsIn(payload['files']).entries()) {
        const { file_id: fileId } = file
        const id = typeof fileId === 'string' ? fileId : `${block}-${index + 1}`
        this.#output.write('data-file', { id, data: file })
      }
    },
    compaction: ({ agent, payload }) =>
      this.#output.write('data-compaction', { data: { ...payload, agent }, transient: true }),
    error: (event) => {
      if (event.agent === this.#root) this.#error = event.payload
      else this.#subagents.take(event)
    },
    run_end: (event) => {
      if (event.agent === this.#root) this.#endRun(event.payload)
      else this.#subagents.take(event)
    },
  }

  /** Writes an event by the fallback of its row. */
  #writeData(event: CollectedEvent): void {
    if (traitsOfEvent(event.type)?.fallback !== 'data') return
    const { name, value } = dataOf(event)
    this.#output.write(`data-${name}`, { id: event.block, data: { ...value, agent: event.agent } })
  }

  #await({ type, calls }: PauseEvent): void {
    for (const call of calls) this.#tools.await(call, type)
  }

  #startRun({ run_id, model, name }: JsonObject): void {
    this.#tools.clear()
    this.#subagents.clear()
    this.#agents.clear()
    this.#isWhole = true
    this.#error = undefined
    this.#metadata = {
      agent_uuid: this.#session,
      ...(run_id !== undefined && { run_id }),
      ...(model !== undefined && { model }),
      ...(name !== undefined && { name }),
    }
    this.#output.openRun(typeof run_id === 'string' ? run_id : undefined, this.#metadata)
  }

  #takeProse(piece: CollectedProse): void {
    const { type, agent, block: id, text, start, end, citations = [] } = piece
    if (start) {
      const kind = type === 'text' ? 'text' : 'reasoning'
      this.#output.startPart(kind, id, toOwn(this.#ownOf(piece)), agent === this.#root)
    }
    if (text !== '') this.#output.growPart(id, text)
    if (!end) return
    const sources = toSources(id, citations)
    const cited = sources.length === 0 ? {} : { citations: sources.map((one) => one.citation) }
    // A client replaces the metadata from the start of the part.
    const own = piece.interrupted ? toOwn({ ...this.#ownOf(piece), interrupted: true }) : {}
    this.#output.endPart(id, { ...cited, ...own })
    for (const { chunk } of sources) this.#output.write(chunk.type, chunk.fields)
  }

  #ownOf({ agent, block: id, fields }: CollectedProse): UiFields {
    return { ...fields, id, agent: agent === this.#root ? undefined : agent }
  }

  #rollBack({ agent, payload, voided: all }: CollectedEventOf<'rollback'>): void {
    const voided = all.filter((piece) => isGrowing(piece))
    if (voided.length === 0) return
    const isRoot = agent === this.#root
    const calls = voided.flatMap((piece) => ('callId' in piece ? [partIdOf(piece)] : []))
    if (isRoot && this.#rollback === 'reset-step') {
      this.#tools.forget(calls)
      this.#output.resetStep()
      return
    }
    this.#tools.rollBack(calls)
    const data = { ...payload, parts: voided.map(partIdOf), agent }
    this.#output.write('data-rollback', { id: `rollback-${voided[0]?.block}`, data })
    // The retry must not share a step with calls that get no answer.
    if (isRoot) this.#output.closeStep()
  }

  #endRun(info: JsonObject): void {
    const { stop_reason } = info
    const messageMetadata = { ...this.#metadata, ...info }
    if (isPauseReason(stop_reason)) {
      this.#tools.hold()
      this.#output.endStep()
    } else this.#output.endSteps()
    if (this.#error !== undefined) this.#fail(this.#error, messageMetadata)
    if (stop_reason === 'aborted') this.#output.write('abort', { reason: 'The run was stopped.' })
    const finishReason = this.#error === undefined ? toFinishReason(stop_reason) : 'error'
    const ending = { finishReason, messageMetadata }
    this.#output.finish(ending)
    if (isPauseReason(stop_reason)) this.#pause = ending
    this.#error = undefined
  }

  /** Writes an error. The AI SDK has only its text, so its code precedes it as metadata. */
  #fail(error: JsonObject, metadata: UiFields): void {
    this.#output.write('message-metadata', { messageMetadata: toMetadata(metadata, error) })
    const { message } = error
    this.#output.write('error', { errorText: toText(message ?? 'The run failed.') })
  }
}

function toMetadata(metadata: UiFields, error: JsonObject): JsonValue {
  return { ...(metadata as JsonObject), error }
}

/** Returns the id of the part that shows a block. */
function partIdOf(piece: Piece): string {
  return ('callId' in piece && piece.callId) || piece.block
}

/**
 * Creates the UI message stream format, version 1, of the AI SDK, which `useChat` 6 and 7 reads. Each run is one message with the id of the
 * run.
 */
export function aiSdkFormat({
  subagents = 'data',
  rollback = 'data',
  maxSubagentBlockLength = 1_048_576,
}: AiSdkOptions = {}): EventFormat {
  const options = { subagents, rollback, maxSubagentBlockLength }
  return {
    name: 'ai-sdk',
    reads: 'events',
    headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
    done: DONE_DATA,
    hasLogInIds: true,
    open: (root, { session = root } = {}) => new UiWriter(root, session, options),
  }
}

/** Creates the AI SDK format from the options of a query. */
export function createAiSdk(query: URLSearchParams): EventFormat {
  return aiSdkFormat({
    ...readChoice(query, 'subagents', ['data', 'inline', 'drop']),
    ...readChoice(query, 'rollback', ['data', 'reset-step']),
  })
}
