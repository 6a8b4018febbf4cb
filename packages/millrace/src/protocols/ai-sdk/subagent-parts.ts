import {
  isOfProvider,
  isPauseReason,
  type CollectedCall,
  type CollectedEvent,
  type CollectedEventOf,
  type CollectedProse,
  type CollectedResult,
} from '../../events/index.ts'
import type { JsonObject } from '../../json/index.ts'
import { parseJson } from './tool-output.ts'
import type { UiFields, UiOutput } from './ui-output.ts'

/** Output of sub-agents: data parts, parts like those of the root, or nothing. */
export type SubagentMode = 'data' | 'inline' | 'drop'

type Handlers = {
  readonly [Type in CollectedEvent['type']]?: (event: CollectedEventOf<Type>) => void
}

/** Text of a growing block, for the part with its whole content. */
interface Grown {
  text: string
  isShort: boolean
}

/**
 * Writes sub-agents as data parts: `data-agent` for each, by its id; transient `data-agent-start` and `data-agent-delta` while a block
 * grows; `data-agent-block` once it is complete. A block therefore costs at most twice its size.
 */
export class SubagentParts {
  readonly #output: UiOutput
  readonly #maxBlockLength: number
  readonly #agents = new Map<string, { readonly about: JsonObject; status: string }>()
  readonly #grown = new Map<string, Grown>()
  readonly #calls = new Set<string>()
  /** Whether the stream includes the start of the run, and so all its calls. */
  #isWhole = false

  constructor(output: UiOutput, maxBlockLength: number) {
    this.#output = output
    this.#maxBlockLength = maxBlockLength
  }

  clear(): void {
    this.#isWhole = true
    this.#calls.clear()
    this.#agents.clear()
    this.#grown.clear()
  }

  take(event: CollectedEvent): void {
    // A handler accepts only events of its type.
    const handle = this.#handlers[event.type] as ((one: CollectedEvent) => void) | undefined
    handle?.(event)
  }

  readonly #handlers: Handlers = {
    run_start: ({ agent, payload }) => {
      const { name, model, parent_agent_uuid, parent_tool_use_id, user_query } = payload
      const about = { name, model, parent_agent_uuid, parent_tool_use_id, task: user_query }
      this.#agents.set(agent, { about: toObject(about), status: 'running' })
      this.#describe(agent, 'running')
    },
    text: (piece) => this.#grow(piece),
    thinking: (piece) => this.#grow(piece),
    tool_call: (piece) => this.#grow(piece),
    server_tool_call: (piece) => this.#grow(piece),
    tool_result: (result) => this.#answer(result),
    server_tool_result: (result) => this.#answer(result),
    error: ({ agent, payload }) => this.#describe(agent, 'failed', { error: payload }),
    run_end: ({ agent, payload }) => {
      const { stop_reason, usage, cost } = payload
      const ended = this.#agents.get(agent)?.status === 'failed' ? 'failed' : 'ended'
      const status = isPauseReason(stop_reason) ? 'waiting' : ended
      this.#describe(agent, status, { stop_reason, usage, cost })
    },
  }

  #grow(piece: CollectedProse | CollectedCall): void {
    const { agent, block: id, type, text: data, start, end } = piece
    const callId = 'callId' in piece ? piece.callId : ''
    if (start) {
      this.#resume(agent)
      if (callId !== '') this.#calls.add(callId)
      const call = callId === '' ? {} : { tool_use_id: callId, name: (piece as CollectedCall).name }
      this.#output.write('data-agent-start', {
        id,
        data: { agent, type, ...call },
        transient: true,
      })
    }
    if (data !== '') {
      // The collector stores the arguments of a call.
      if (callId === '') this.#keep(id, data)
      this.#output.write('data-agent-delta', { id, data, transient: true })
    }
    if (end) this.#end(piece, callId)
  }

  #answer(result: CollectedResult): void {
    const { type, agent, block, callId, name, text, isError, interrupted, images } = result
    const isServer = isOfProvider(type)
    if (this.#isWhole && !isServer && !this.#calls.has(callId)) return
    this.#resume(agent)
    const pictures = images.map(({ src, mediaType }) => ({ src, mediaType }))
    const shown = images.length === 0 ? {} : { images: pictures }
    const mark = interrupted ? { interrupted: true } : {}
    const part = { type, tool_use_id: callId, name, text, isError }
    this.#writeBlock(agent, block, { ...part, ...mark, ...shown })
  }

  /** Marks a paused agent as running. */
  #resume(agent: string): void {
    const status = this.#agents.get(agent)?.status
    if (status !== undefined && status !== 'running') this.#describe(agent, 'running')
  }

  #describe(agent: string, status: string, more: UiFields = {}): void {
    const known = this.#agents.get(agent) ?? { about: {}, status }
    known.status = status
    this.#agents.set(agent, known)
    const data = toObject({ agent, ...known.about, status, ...more })
    this.#output.write('data-agent', { id: agent, data })
  }

  #keep(key: string, delta: string): void {
    const grown = this.#grown.get(key) ?? { text: '', isShort: true }
    grown.isShort &&= grown.text.length + delta.length <= this.#maxBlockLength
    if (grown.isShort) grown.text += delta
    this.#grown.set(key, grown)
  }

  #end(piece: CollectedProse | CollectedCall, callId: string): void {
    const { agent, block, type } = piece
    const grown = this.#grown.get(block)
    this.#grown.delete(block)
    const mark = piece.interrupted ? { interrupted: true } : {}
    if (callId !== '') {
      const { name, input = '' } = piece as CollectedCall
      const value = piece.interrupted ? input : (parseJson(input === '' ? '{}' : input) ?? input)
      this.#writeBlock(agent, block, { type, tool_use_id: callId, name, input: value, ...mark })
      return
    }
    const { citations = [], fields } = piece as CollectedProse
    const cut = grown?.isShort === false ? { is_cut: true } : {}
    const cited = citations.map(({ citedText, fields: cite }) => ({ ...cite, text: citedText }))
    const sources = cited.length === 0 ? {} : { citations: cited }
    const isRedacted = fields['redacted'] === true ? { redacted: true } : {}
    const text = grown?.text ?? ''
    this.#writeBlock(agent, block, { type, text, ...cut, ...mark, ...isRedacted, ...sources })
  }

  #writeBlock(agent: string, key: string, block: UiFields): void {
    this.#output.write('data-agent-block', {
      id: key,
      data: toObject({ agent, ...block }),
    })
  }
}

function toObject(fields: UiFields): JsonObject {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as JsonObject
}
