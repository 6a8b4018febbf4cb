import { type Envelope, isPauseReason } from '../../envelope/index.ts'
import { type JsonObject, type JsonValue, toText } from '../../json/index.ts'
import {
  createTeller,
  type DialectFrame,
  type DialectWriter,
  isAnswer,
  type StreamEnd,
  type Teller,
  type Telling,
  type TellingOf,
  type ToldBlock,
} from '../../telling/index.ts'
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
export class UiWriter implements DialectWriter {
  readonly #root: string
  readonly #session: string
  readonly #teller: Teller
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
  readonly #held: Telling[] = []
  /** Told with the end of the run: a client reads nothing after an error. */
  #error: JsonObject | undefined

  constructor(root: string, session: string, options: Required<AiSdkOptions>) {
    this.#root = root
    this.#session = session
    this.#teller = createTeller(root)
    this.#metadata = { agent_uuid: session }
    this.#output = new UiOutput(this.#metadata)
    this.#tools = new ToolParts(root, this.#output)
    this.#subagents = new SubagentParts(this.#output, options.maxSubagentBlockLength)
    this.#mode = options.subagents
    this.#rollback = options.rollback
  }

  write(envelope: Envelope, id: number): readonly DialectFrame[] {
    for (const telling of this.#teller.take(envelope, id)) this.#take(telling)
    return this.#output.drain()
  }

  finish(end: StreamEnd): readonly DialectFrame[] {
    const left = this.#teller.finish()
    if (end === 'done' && this.#pause !== undefined && this.#held.length > 0) {
      this.#tellHeld()
      this.#output.finish(this.#pause)
      return this.#output.drain()
    }
    if (!this.#output.isOpen) return []
    // A call that goes on in the log is no error yet.
    for (const telling of left) {
      if (telling.type !== 'block_end' || !isCall(telling.block)) this.#take(telling)
    }
    const errorText =
      end === 'cut'
        ? 'The stream was cut before the end of the run; the run goes on, resume it.'
        : 'The run was lost before its end; ask again.'
    this.#output.say('error', { errorText })
    return this.#output.drain()
  }

  /** Answers alone do not go on with the message: more of them may be awaited. */
  #take(telling: Telling): void {
    if (this.#pause !== undefined && isAnswer(telling)) {
      this.#held.push(telling)
      return
    }
    this.#tellHeld()
    this.#pause = undefined
    this.#tell(telling)
  }

  #tellHeld(): void {
    for (const telling of this.#held.splice(0)) this.#tell(telling)
  }

  #tell(telling: Telling): void {
    const { agent, type } = telling
    const isOthers = agent !== this.#root
    if (isOthers && type === 'run_start') this.#agents.add(agent)
    // One who worked for an earlier run, whose message is over.
    if (isOthers && this.#isWhole && !this.#agents.has(agent)) return
    if (isOthers && this.#mode !== 'inline' && this.#isLeftOut(telling)) return
    // The table has a row for every type, which takes nothing else.
    const tell = this.#tells[type] as (one: Telling) => void
    tell(telling)
  }

  /** Takes what a sub-agent does, unless the page must see it as it sees the root's. */
  #isLeftOut(telling: Telling): boolean {
    const { type } = telling
    if (type === 'awaiting' || type === 'files') return false
    if (type === 'result' && this.#tools.has(telling.toolUseId)) return false
    if (type === 'status') return this.#mode === 'drop' && !this.#tools.has(telling.toolUseId)
    if (type === 'rollback' || type === 'steered') return this.#mode === 'drop'
    if (this.#mode === 'data') this.#subagents.take(telling)
    return true
  }

  readonly #tells: { readonly [Type in Telling['type']]: (telling: TellingOf<Type>) => void } = {
    run_start: (telling) => {
      if (telling.isRoot) this.#startRun(telling.info)
      else this.#subagents.take(telling)
    },
    block_start: ({ block }) => this.#startBlock(block),
    block_delta: ({ block, delta }) => {
      if (isCall(block)) this.#tools.grow(block, delta)
      else this.#output.growPart(block.key, delta)
    },
    block_end: (telling) => this.#endBlock(telling),
    result: (telling) => this.#tools.answer(telling),
    status: (telling) => {
      const { agent, toolUseId: toolCallId, name: toolName, stage, detail, fields } = telling
      const data = { toolCallId, toolName, stage, detail, agent, ...fields }
      this.#output.say('data-tool-status', { data, transient: true })
      this.#tools.judge(telling)
    },
    steered: ({ agent, text, key }) =>
      this.#output.say('data-user-message', { id: key, data: { text, agent } }),
    awaiting: ({ calls, what }) => {
      for (const call of calls) this.#tools.await(call, what)
    },
    step_end: ({ agent }) => {
      if (agent === this.#root) this.#output.closeStep()
    },
    rollback: (telling) => this.#takeBack(telling),
    files: ({ files, key }) => {
      for (const [index, file] of files.entries()) {
        const { file_id: fileId } = file
        const id = typeof fileId === 'string' ? fileId : `${key}-${index + 1}`
        this.#output.say('data-file', { id, data: file })
      }
    },
    compaction: ({ agent, info }) =>
      this.#output.say('data-compaction', { data: { ...info, agent }, transient: true }),
    error: (telling) => {
      if (telling.agent === this.#root) this.#error = telling.info
      else this.#subagents.take(telling)
    },
    // The history in it is the server's, and has a route of its own.
    summary: () => {},
    run_end: (telling) => {
      if (telling.isRoot) this.#endRun(telling.info)
      else this.#subagents.take(telling)
    },
    other: () => {},
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

  #startBlock(block: ToldBlock): void {
    const { type, agent, key: id } = block
    if (isCall(block)) return this.#tools.start(block)
    const kind = type === 'text' ? 'text' : 'reasoning'
    this.#output.startPart(kind, id, toOwn(this.#ownOf(block)), agent === this.#root)
  }

  #ownOf({ agent, key: id, fields }: ToldBlock): UiFields {
    return { ...fields, id, agent: agent === this.#root ? undefined : agent }
  }

  #endBlock({ block, input, citations, isInterrupted }: TellingOf<'block_end'>): void {
    if (isCall(block)) return this.#tools.end(block, input, isInterrupted)
    const sources = toSources(block, citations)
    const cited = sources.length === 0 ? {} : { citations: sources.map((one) => one.citation) }
    // A client replaces what the start of the part has said.
    const own = isInterrupted ? toOwn({ ...this.#ownOf(block), interrupted: true }) : {}
    this.#output.endPart(block.key, { ...cited, ...own })
    for (const { chunk } of sources) this.#output.say(chunk.type, chunk.fields)
  }

  #takeBack({ agent, info, voided }: TellingOf<'rollback'>): void {
    if (voided.length === 0) return
    const isRoot = agent === this.#root
    const calls = voided.flatMap((block) => callIdsOf(block))
    if (isRoot && this.#rollback === 'reset-step') {
      this.#tools.forget(calls)
      this.#output.resetStep()
      return
    }
    this.#tools.takeBack(calls)
    const parts = voided.map(({ key, toolUseId }) => toolUseId || key)
    const data = { ...info, parts, agent }
    this.#output.say('data-rollback', { id: `rollback-${voided[0]?.key}`, data })
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

function isCall({ type }: ToldBlock): boolean {
  return type !== 'text' && type !== 'thinking'
}

function callIdsOf(block: ToldBlock): readonly string[] {
  return isCall(block) ? [block.toolUseId || block.key] : []
}
