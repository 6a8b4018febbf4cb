import type { Envelope, Extras } from '../../../envelope/index.ts'
import type { JsonValue } from '../../../json/index.ts'

/** A block that is being read. */
interface ReadBlock {
  readonly type: string
  readonly agent: string
  readonly extras: Extras
}

/** Writes messages as they are read, and closes what was left open. [LIFE-2] */
export class ReadLog {
  #messages: Envelope[] = []
  readonly #open = new Map<string, ReadBlock>()

  take(): readonly Envelope[] {
    const messages = this.#messages
    this.#messages = []
    return messages
  }

  /** Says a whole message. */
  say(type: string, agent: string, delta: string, extras: Extras = {}): void {
    this.#messages.push({ type, agent, final: true, delta, ...extras })
  }

  /** Says a whole message whose content is JSON. */
  sayJson(type: string, agent: string, value: JsonValue): void {
    this.say(type, agent, JSON.stringify(value))
  }

  /** Says a part of a message that goes on. */
  sayPart(type: string, agent: string, delta: string, extras: Extras): void {
    this.#messages.push({ type, agent, final: false, delta, ...extras })
  }

  open(key: string, block: ReadBlock): void {
    if (!this.#open.has(key)) this.#open.set(key, block)
  }

  isOpen(key: string): boolean {
    return this.#open.has(key)
  }

  /** Who speaks in a block that is open. */
  speakerOf(key: string): string | undefined {
    return this.#open.get(key)?.agent
  }

  grow(key: string, delta: string): void {
    const block = this.#open.get(key)
    if (block !== undefined && delta !== '') {
      this.sayPart(block.type, block.agent, delta, block.extras)
    }
  }

  close(key: string, isInterrupted = false): void {
    const block = this.#open.get(key)
    this.#open.delete(key)
    if (block === undefined) return
    const { type, agent, extras } = block
    this.say(type, agent, '', isInterrupted ? { ...extras, interrupted: true } : extras)
  }

  /** Closes what the stream has left open, of an agent or of all. [LIFE-14] */
  closeAll(agent?: string): void {
    for (const [key, block] of this.#open) {
      if (agent === undefined || block.agent === agent) this.close(key, true)
    }
  }
}
