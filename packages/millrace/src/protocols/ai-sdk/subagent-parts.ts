import { isPauseReason } from '../../envelope/index.ts'
import type { JsonObject } from '../../json/index.ts'
import type { Telling, TellingOf } from '../../telling/index.ts'
import { parseJson } from './tool-output.ts'
import type { UiFields } from './ui-chunk.ts'
import type { UiOutput } from './ui-output.ts'

/** What becomes of what sub-agents do: data parts, parts like those of the root, or nothing. */
export type SubagentMode = 'data' | 'inline' | 'drop'

type Tells = {
  readonly [Type in Telling['type']]?: (telling: TellingOf<Type>) => void
}

/** What is known of a sub-agent. */
interface Known {
  readonly about: JsonObject
  status: string
}

/** A block that grows, as far as it is kept for the part that tells all of it. */
interface Grown {
  text: string
  isShort: boolean
}

/**
 * Tells of sub-agents in data parts: `data-agent` for each, by its id; `data-agent-start` and `data-agent-delta`, which
 * are not kept, while a block grows; `data-agent-block` once it is whole. So a block costs twice its size, never more.
 */
export class SubagentParts {
  readonly #output: UiOutput
  readonly #maxBlockLength: number
  readonly #agents = new Map<string, Known>()
  readonly #grown = new Map<string, Grown>()
  readonly #calls = new Set<string>()
  /** Whether all calls of the run were seen, because its beginning was. */
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

  take(telling: Telling): void {
    // The table has a row for this type, which takes nothing else, or none.
    const tell = this.#tells[telling.type] as ((one: Telling) => void) | undefined
    tell?.(telling)
  }

  readonly #tells: Tells = {
    run_start: ({ agent, info }) => {
      const { name, model, parent_agent_uuid, parent_tool_use_id, user_query } = info
      const about = { name, model, parent_agent_uuid, parent_tool_use_id, task: user_query }
      this.#agents.set(agent, { about: toObject(about), status: 'running' })
      this.#describe(agent, 'running')
    },
    block_start: ({ agent, block: { key: id, type, toolUseId, name } }) => {
      this.#goOn(agent)
      if (toolUseId !== '') this.#calls.add(toolUseId)
      const call = toolUseId === '' ? {} : { tool_use_id: toolUseId, name }
      this.#output.say('data-agent-start', { id, data: { agent, type, ...call }, transient: true })
    },
    block_delta: ({ block: { key: id, toolUseId }, delta: data }) => {
      // A call is kept whole by whoever tells of it.
      if (toolUseId === '') this.#keep(id, data)
      this.#output.say('data-agent-delta', { id, data, transient: true })
    },
    block_end: (telling) => this.#end(telling),
    result: ({ agent, key, toolUseId, name, text, isError, isServer, isInterrupted, images }) => {
      if (this.#isWhole && !isServer && !this.#calls.has(toolUseId)) return
      this.#goOn(agent)
      const type = isServer ? 'server_tool_result' : 'tool_result'
      const pictures = images.map(({ src, mediaType }) => ({ src, mediaType }))
      const shown = images.length === 0 ? {} : { images: pictures }
      const mark = isInterrupted ? { interrupted: true } : {}
      const result = { type, tool_use_id: toolUseId, name, text, isError }
      this.#sayBlock(agent, key, { ...result, ...mark, ...shown })
    },
    error: ({ agent, info }) => this.#describe(agent, 'failed', { error: info }),
    run_end: ({ agent, info }) => {
      const { stop_reason, usage, cost } = info
      const ended = this.#agents.get(agent)?.status === 'failed' ? 'failed' : 'ended'
      const status = isPauseReason(stop_reason) ? 'waiting' : ended
      this.#describe(agent, status, { stop_reason, usage, cost })
    },
  }

  /** An agent that waited is at work again. */
  #goOn(agent: string): void {
    const status = this.#agents.get(agent)?.status
    if (status !== undefined && status !== 'running') this.#describe(agent, 'running')
  }

  #describe(agent: string, status: string, more: UiFields = {}): void {
    const known = this.#agents.get(agent) ?? { about: {}, status }
    known.status = status
    this.#agents.set(agent, known)
    const data = toObject({ agent, ...known.about, status, ...more })
    this.#output.say('data-agent', { id: agent, data })
  }

  #keep(key: string, delta: string): void {
    const grown = this.#grown.get(key) ?? { text: '', isShort: true }
    grown.isShort &&= grown.text.length + delta.length <= this.#maxBlockLength
    if (grown.isShort) grown.text += delta
    this.#grown.set(key, grown)
  }

  #end({ agent, block, input, citations, isInterrupted }: TellingOf<'block_end'>): void {
    const { key, type, toolUseId, name, fields } = block
    const grown = this.#grown.get(key)
    this.#grown.delete(key)
    const mark = isInterrupted ? { interrupted: true } : {}
    if (toolUseId !== '') {
      const value = isInterrupted ? input : (parseJson(input === '' ? '{}' : input) ?? input)
      this.#sayBlock(agent, key, { type, tool_use_id: toolUseId, name, input: value, ...mark })
      return
    }
    const cut = grown?.isShort === false ? { is_cut: true } : {}
    const cited = citations.map(({ citedText, fields: cite }) => ({ ...cite, text: citedText }))
    const sources = cited.length === 0 ? {} : { citations: cited }
    const isRedacted = fields['redacted'] === true ? { redacted: true } : {}
    const text = grown?.text ?? ''
    this.#sayBlock(agent, key, { type, text, ...cut, ...mark, ...isRedacted, ...sources })
  }

  #sayBlock(agent: string, key: string, block: UiFields): void {
    this.#output.say('data-agent-block', {
      id: key,
      data: toObject({ agent, ...block }),
    })
  }
}

function toObject(fields: UiFields): JsonObject {
  const told = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(told) as JsonObject
}
