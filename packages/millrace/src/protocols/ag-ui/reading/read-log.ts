import type { Envelope, Extras } from '../../../events/index.ts'
import type { JsonValue } from '../../../json/index.ts'

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
