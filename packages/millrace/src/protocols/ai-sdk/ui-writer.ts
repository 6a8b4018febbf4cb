import { isPauseReason, traitsOfEvent } from '../../envelope/index.ts'
import {
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  createCollector,
  dataOf,
  isGrowing,
  objectsIn,
  type PauseEvent,
  type Piece,
  type StreamEvent,
} from '../../events/index.ts'
import { type JsonObject, type JsonValue, toText } from '../../json/index.ts'
import {
  decisionFieldsIn,
  type DialectFrame,
  type EventWriter,
  isAnswer,
  type StreamEnd,
} from '../port/index.ts'
import { toFinishReason } from './finish-reason.ts'
import { toSources } from './sources.ts'
import { type SubagentMode, SubagentParts } from './subagent-parts.ts'
import { ToolParts } from './tool-parts.ts'
import { toOwn, type UiFields } from './ui-chunk.ts'
import { UiOutput } from './ui-output.ts'

/** How a run is said to the AI SDK. */
export interface AiSdkOptions {
  /** What becomes of what sub-agents do; calls of theirs that wait are parts of the message in any case. */
  readonly subagents?: SubagentMode
  /** How what a step has shown is taken back: `reset-step` removes it, and is known to the AI SDK 7 only. */
  readonly rollback?: 'data' | 'reset-step'
  /** Of a longer text of a sub-agent, only the beginning is kept in the part that tells all of it. */
  readonly maxSubagentBlockLength?: number
}

/** Says a log as a UI message stream. */
export class UiWriter implements EventWriter {
  readonly #root: string
  readonly #session: string
  readonly #collector = createCollector()
  readonly #output: UiOutput
  readonly #tools: ToolParts
  readonly #subagents: SubagentParts
  readonly #mode: SubagentMode
  readonly #rollback: 'data' | 'reset-step'
  /** The sub-agents of the run, all of which were seen to begin if its beginning was. */
  readonly #agents = new Set<string>()
  #isWhole = false
  #metadata: JsonObject
  /** How the run paused, if nothing was told since but answers; those are held. */
  #pause: UiFields | undefined
  readonly #held: CollectedEvent[] = []
  /** Told with the end of the run: a client reads nothing after an error. */
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

  write(event: StreamEvent): readonly DialectFrame[] {
    for (const collected of this.#collector.take(event)) this.#take(collected)
    return this.#output.drain()
  }

  finish(end: StreamEnd): readonly DialectFrame[] {
    const left = this.#collector.finish()
    if (end === 'done' && this.#pause !== undefined && this.#held.length > 0) {
      this.#writeHeld()
      this.#output.finish(this.#pause)
      return this.#output.drain()
    }
    if (!this.#output.isOpen) return []
    // A call that goes on in the log is no error yet.
    for (const event of left) if (!('callId' in event)) this.#take(event)
    const errorText =
      end === 'cut'
        ? 'The stream was cut before the end of the run; the run goes on, resume it.'
        : 'The run was lost before its end; ask again.'
    this.#output.say('error', { errorText })
    return this.#output.drain()
  }

  /** Answers alone do not go on with the message: more of them may be awaited. */
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
    // One who worked for an earlier run, whose message is over.
    if (isOthers && this.#isWhole && !this.#agents.has(agent)) return
    if (isOthers && this.#mode !== 'inline' && this.#isLeftOut(event)) return
    // The handler of a type takes nothing else.
    const handle = this.#handlers[type] as ((one: CollectedEvent) => void) | undefined
    if (handle === undefined) this.#writeData(event)
    else handle(event)
  }

  /** Takes the events of a sub-agent, unless the page must see them as it sees those of the root. */
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
      this.#output.say('data-tool-status', { data, transient: true })
      this.#tools.judge(event)
    },
    user_message: ({ agent, text, block }) =>
      this.#output.say('data-user-message', { id: block, data: { text, agent } }),
    awaiting_frontend_tools: (event) => this.#await(event),
    awaiting_approval: (event) => this.#await(event),
    step_end: ({ agent }) => {
      if (agent === this.#root) this.#output.closeStep()
    },
    rollback: (event) => this.#takeBack(event),
    files: ({ payload, block }) => {
      for (const [index, file] of objectsIn(payload['files']).entries()) {
        const { file_id: fileId } = file
        const id = typeof fileId === 'string' ? fileId : `${block}-${index + 1}`
        this.#output.say('data-file', { id, data: file })
      }
    },
    compaction: ({ agent, payload }) =>
      this.#output.say('data-compaction', { data: { ...payload, agent }, transient: true }),
    error: (event) => {
      if (event.agent === this.#root) this.#error = event.payload
      else this.#subagents.take(event)
    },
    run_end: (event) => {
      if (event.agent === this.#root) this.#endRun(event.payload)
      else this.#subagents.take(event)
    },
  }

  /** Writes an event without a form of its own as its row says. */
  #writeData(event: CollectedEvent): void {
    if (traitsOfEvent(event.type)?.fallback !== 'data') return
    const { name, value } = dataOf(event)
    this.#output.say(`data-${name}`, { id: event.block, data: { ...value, agent: event.agent } })
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
    // A client replaces what the start of the part has said.
    const own = piece.interrupted ? toOwn({ ...this.#ownOf(piece), interrupted: true }) : {}
    this.#output.endPart(id, { ...cited, ...own })
    for (const { chunk } of sources) this.#output.say(chunk.type, chunk.fields)
  }

  #ownOf({ agent, block: id, fields }: CollectedProse): UiFields {
    return { ...fields, id, agent: agent === this.#root ? undefined : agent }
  }

  #takeBack({ agent, payload, voided: all }: CollectedEventOf<'rollback'>): void {
    const voided = all.filter((piece) => isGrowing(piece))
    if (voided.length === 0) return
    const isRoot = agent === this.#root
    const calls = voided.flatMap((piece) => ('callId' in piece ? [partIdOf(piece)] : []))
    if (isRoot && this.#rollback === 'reset-step') {
      this.#tools.forget(calls)
      this.#output.resetStep()
      return
    }
    this.#tools.takeBack(calls)
    const data = { ...payload, parts: voided.map(partIdOf), agent }
    this.#output.say('data-rollback', { id: `rollback-${voided[0]?.block}`, data })
    // What is tried again must not share a step with calls that nobody will answer.
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
    if (stop_reason === 'aborted') this.#output.say('abort', { reason: 'The run was stopped.' })
    const finishReason = this.#error === undefined ? toFinishReason(stop_reason) : 'error'
    const ending = { finishReason, messageMetadata }
    this.#output.finish(ending)
    if (isPauseReason(stop_reason)) this.#pause = ending
    this.#error = undefined
  }

  /** An error is only a text there; its code goes ahead of it. */
  #fail(error: JsonObject, metadata: UiFields): void {
    this.#output.say('message-metadata', { messageMetadata: toMetadata(metadata, error) })
    const { message } = error
    this.#output.say('error', { errorText: toText(message ?? 'The run failed.') })
  }
}

function toMetadata(metadata: UiFields, error: JsonObject): JsonValue {
  return { ...(metadata as JsonObject), error }
}

/** Returns the id of the part that shows a block. */
function partIdOf(piece: Piece): string {
  return ('callId' in piece && piece.callId) || piece.block
}
