import { type CollectedCall, type CollectedProse, isOfProvider } from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { type AgUiFields, toMetadata, wordsOf } from './ag-ui-event.ts'
import type { Calls } from './calls.ts'

/** A piece of a growing block. */
type Growing = CollectedProse | CollectedCall

/** Events that start, extend and end a block. */
interface BlockEvents {
  start(piece: Growing, messageId: string): readonly (readonly [string, AgUiFields])[]
  delta(piece: Growing): readonly [string, AgUiFields]
  end(piece: Growing, metadata: JsonObject | undefined): readonly (readonly [string, AgUiFields])[]
}

const text: BlockEvents = {
  start: ({ block: messageId }) => [['TEXT_MESSAGE_START', { messageId, role: 'assistant' }]],
  delta: ({ block: messageId, text: delta }) => ['TEXT_MESSAGE_CONTENT', { messageId, delta }],
  end: ({ block: messageId }, metadata) => [['TEXT_MESSAGE_END', { messageId, metadata }]],
}

const thinking: BlockEvents = {
  start: ({ block: messageId, fields: { redacted } }) => [
    ['REASONING_START', { messageId }],
    [
      'REASONING_MESSAGE_START',
      { messageId, role: 'reasoning', metadata: toMetadata({ redacted }) },
    ],
  ],
  delta: ({ block: messageId, text: delta }) => ['REASONING_MESSAGE_CONTENT', { messageId, delta }],
  end: ({ block: messageId }, metadata) => [
    ['REASONING_MESSAGE_END', { messageId, metadata }],
    ['REASONING_END', { messageId }],
  ],
}

const call: BlockEvents = {
  start: (piece, parentMessageId) => {
    const { type, fields } = piece
    const toolCallId = callIdOf(piece)
    const toolCallName = 'name' in piece ? piece.name : ''
    const providerExecuted = isOfProvider(type) || undefined
    const serverName = wordsOf(fields['server_name'])
    const metadata = toMetadata({ providerExecuted, serverName })
    return [['TOOL_CALL_START', { toolCallId, toolCallName, parentMessageId, metadata }]]
  },
  delta: (piece) => ['TOOL_CALL_ARGS', { toolCallId: callIdOf(piece), delta: piece.text }],
  end: (piece, metadata) => [['TOOL_CALL_END', { toolCallId: callIdOf(piece), metadata }]],
}

/** Returns the id of a call. A call without an id cannot be answered, but needs a unique id. */
function callIdOf(piece: Growing): string {
  return ('callId' in piece && piece.callId) || piece.block
}

const events: Readonly<Record<Growing['type'], BlockEvents>> = {
  text,
  thinking,
  tool_call: call,
  server_tool_call: call,
}

/** Open blocks, and the assistant messages that calls belong to. */
export class OpenBlocks {
  readonly #emit: Emit
  readonly #calls: Calls
  readonly #open = new Map<string, Growing>()
  /** The message of each agent's step that calls join: its latest text, or its first call. */
  readonly #messages = new Map<string, string>()

  constructor(emit: Emit, calls: Calls) {
    this.#emit = emit
    this.#calls = calls
  }

  /** Makes the agent's next calls belong to another message. */
  turn(agent: string): void {
    this.#messages.delete(agent)
  }

  /** Writes a piece. A block that was open at the end of an AG-UI run is opened again in the next. */
  take(piece: Growing): void {
    const { type, text: delta, start, end, interrupted } = piece
    if (!start && !end && delta === '') return
    this.#start(piece)
    if (delta !== '') this.#emit(piece.agent, ...events[type].delta(piece))
    if (!end) return
    const { citations = [] } = piece as Partial<CollectedProse>
    const cited = citations.map(({ citedText, fields }) => ({ cited_text: citedText, ...fields }))
    const found = cited.length > 0 ? cited : undefined
    this.#close(piece, toMetadata({ citations: found, interrupted: interrupted || undefined }))
  }

  /** Closes the open blocks of one agent, or of all. */
  close(agent?: string): void {
    for (const piece of this.#open.values()) {
      if (agent === undefined || piece.agent === agent) this.#close(piece, undefined)
    }
  }

  #start(piece: Growing): void {
    const { agent, block, type } = piece
    if (this.#open.has(block)) return
    if (type === 'text') this.#messages.set(agent, block)
    const messageId = this.#messages.get(agent) ?? block
    if (events[type] === call) {
      this.#messages.set(agent, messageId)
      this.#calls.show(callIdOf(piece), { agent, messageId })
    }
    this.#open.set(block, piece)
    for (const [name, fields] of events[type].start(piece, messageId))
      this.#emit(agent, name, fields)
  }

  #close(piece: Growing, metadata: JsonObject | undefined): void {
    this.#open.delete(piece.block)
    for (const [name, fields] of events[piece.type].end(piece, metadata)) {
      this.#emit(piece.agent, name, fields)
    }
  }
}

/** Writes an event of an agent. */
type Emit = (agent: string, type: string, fields: AgUiFields) => void

/** Steps of agents. The first output of the model opens a step; its name has its number. */
export class Steps {
  readonly #emit: Emit
  readonly #open = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  constructor(emit: Emit) {
    this.#emit = emit
  }

  /** Restarts the step count for a new run of an agent. */
  restart(agent: string): void {
    this.close(agent)
    this.#counts.delete(agent)
  }

  begin(agent: string): void {
    if (this.#open.has(agent)) return
    const count = (this.#counts.get(agent) ?? 0) + 1
    this.#counts.set(agent, count)
    const stepName = `step ${count}`
    this.#open.set(agent, stepName)
    this.#emit(agent, 'STEP_STARTED', { stepName })
  }

  end(agent: string, info: JsonObject): void {
    this.begin(agent)
    const { step, stop_reason: stopReason, usage, cost } = info
    if (typeof step === 'number') this.#counts.set(agent, step)
    this.#finish(agent, { step, stopReason, usage, cost: cost ?? undefined })
  }

  /** Closes the open step of an agent as interrupted. */
  close(agent: string): void {
    if (this.#open.has(agent)) this.#finish(agent, { interrupted: true })
  }

  closeAll(): void {
    for (const agent of this.#open.keys()) this.close(agent)
  }

  #finish(agent: string, metadata: AgUiFields): void {
    const stepName = this.#open.get(agent)
    this.#open.delete(agent)
    this.#emit(agent, 'STEP_FINISHED', { stepName, metadata: toMetadata(metadata) })
  }
}
