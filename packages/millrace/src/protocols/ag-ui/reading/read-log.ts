import type { Envelope, Extras } from '../../../events/index.ts'
import type { JsonObject, JsonValue } from '../../../json/index.ts'
import { objectOf, wordsOf } from '../ag-ui-event.ts'

/** A block that is being read. */
interface ReadBlock {
  readonly type: string
  readonly agent: string
  readonly extras: Extras
}

/** Collects frames, and closes blocks that were left open. [LIFE-2] */
export class ReadLog {
  #messages: Envelope[] = []
  readonly #open = new Map<string, ReadBlock>()

  take(): readonly Envelope[] {
    const messages = this.#messages
    this.#messages = []
    return messages
  }

  /** Adds a complete frame. */
  add(type: string, agent: string, delta: string, extras: Extras = {}): void {
    this.#messages.push({ type, agent, final: true, delta, ...extras })
  }

  /** Adds a complete frame with JSON content. */
  addJson(type: string, agent: string, value: JsonValue): void {
    this.add(type, agent, JSON.stringify(value))
  }

  /** Adds a partial frame. */
  addPart(type: string, agent: string, delta: string, extras: Extras): void {
    this.#messages.push({ type, agent, final: false, delta, ...extras })
  }

  open(key: string, block: ReadBlock): void {
    if (!this.#open.has(key)) this.#open.set(key, block)
  }

  isOpen(key: string): boolean {
    return this.#open.has(key)
  }

  /** Returns the agent of an open block. */
  speakerOf(key: string): string | undefined {
    return this.#open.get(key)?.agent
  }

  grow(key: string, delta: string): void {
    const block = this.#open.get(key)
    if (block !== undefined && delta !== '') {
      this.addPart(block.type, block.agent, delta, block.extras)
    }
  }

  close(key: string, isInterrupted = false): void {
    const block = this.#open.get(key)
    this.#open.delete(key)
    if (block === undefined) return
    const { type, agent, extras } = block
    this.add(type, agent, '', isInterrupted ? { ...extras, interrupted: true } : extras)
  }

  /** Closes blocks that the stream left open, of one agent or of all. [LIFE-14] */
  closeAll(agent?: string): void {
    for (const [key, block] of this.#open) {
      if (agent === undefined || block.agent === agent) this.close(key, true)
    }
  }
}

/** A sub-agent of the stream. */
export interface ReadAgent {
  readonly agent: string
  /** `suspended` until the end of the run lists its pending calls; then `paused`. */
  state: 'open' | 'suspended' | 'paused' | 'done'
}

/** The sub-agents of a stream, by the tags of their events. */
export class ReadAgents {
  readonly #agents = new Map<string, ReadAgent>()

  find(tag: string): ReadAgent | undefined {
    return this.#agents.get(tag)
  }

  /** Adds a sub-agent and returns its `meta_init`. */
  begin(tag: string, event: JsonObject, root: string): JsonObject {
    const { agent = tag, model } = objectOf(event['metadata'])
    const id = wordsOf(agent) ?? tag
    this.#agents.set(tag, { agent: id, state: 'open' })
    const parent = wordsOf(event['parentSubagentRunId'])
    const parentToolUse = wordsOf(event['parentToolCallId'])
    return {
      format: 'json',
      user_query: wordsOf(event['description']) ?? '',
      agent_uuid: id,
      parent_agent_uuid: (parent !== undefined && this.#agents.get(parent)?.agent) || root,
      model: wordsOf(model) ?? '',
      protocol_version: 1,
      run_id: tag,
      name: wordsOf(event['name']) ?? 'sub-agent',
      ...(parentToolUse !== undefined && { parent_tool_use_id: parentToolUse }),
    }
  }

  /** Marks a running agent as suspended. */
  suspend(agent: string): void {
    for (const one of this.#agents.values()) {
      if (one.agent === agent && one.state === 'open') one.state = 'suspended'
    }
  }

  /** Marks a paused agent as running after an answer. */
  resume(agent: string): void {
    for (const one of this.#agents.values()) {
      if (one.agent === agent && one.state === 'paused') one.state = 'open'
    }
  }

  /** Lists the agents in a state, the latest first. */
  inState(state: ReadAgent['state']): readonly ReadAgent[] {
    return [...this.#agents.values()].filter((one) => one.state === state).reverse()
  }

  /** Removes ended agents at a new prompt. They have no further events. */
  forgetDone(): void {
    for (const [tag, { state }] of this.#agents) if (state === 'done') this.#agents.delete(tag)
  }
}
