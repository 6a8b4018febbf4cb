import { blockKey, type Envelope, traitsOf } from 'millrace'
import type { Stage } from '../stage.ts'
import { DONE, type WireItem } from '../wire-item.ts'

/** How a text is written. */
export interface WriteTextOptions {
  /** The stream may roll a step back, so the text of a step waits for the step's boundary. [LIFE-8] */
  readonly mayRollBack: boolean
}

/** A text block that is not written to its end. */
interface Passage {
  /** What is not written yet. */
  text: string
  isOpen: boolean
  /** A blank line precedes it. */
  isApart: boolean
}

/**
 * Writes the text of the root agent, with a blank line where a new answer may start: after a call, a result, a user
 * message and the start of a run. So the last paragraph of a finished run is its final answer. [LIFE-15]
 */
export function writeText({ mayRollBack }: WriteTextOptions): Stage<WireItem, string> {
  const writer = new TextWriter(mayRollBack)
  return {
    push: (item) => (item === DONE ? writer.finish() : writer.take(item)),
    end: () => [...writer.finish(), ...writer.lastLineEnd()],
  }
}

class TextWriter {
  readonly #mayRollBack: boolean
  readonly #passages: Passage[] = []
  readonly #open = new Map<string, Passage>()
  /** How many of the passages can no longer be voided. */
  #settled = 0
  #isApart = false
  #wasApart = false
  #isSummary = false
  #root: string | undefined
  /** The last character written; empty before the first. */
  #last = ''

  constructor(mayRollBack: boolean) {
    this.#mayRollBack = mayRollBack
  }

  take(envelope: Envelope): string[] {
    this.#root ??= envelope.agent
    if (envelope.agent !== this.#root) return []
    const { type, final, interrupted } = envelope
    const traits = traitsOf(type)
    if (type === 'rollback' && final) this.#rollBack()
    if (type.startsWith('compaction_')) this.#isSummary = type === 'compaction_start'
    if (type === 'text' && !this.#isSummary) this.#grow(envelope)
    if (final && interrupted !== true) this.#isApart ||= traits?.beforeAnswer === true
    if (!this.#mayRollBack || traits?.step === 'boundary') this.#settle()
    return this.#write()
  }

  finish(): string[] {
    for (const passage of this.#passages) passage.isOpen = false
    this.#open.clear()
    this.#settle()
    return this.#write()
  }

  lastLineEnd(): string[] {
    return this.#last === '' || this.#last === '\n' ? [] : ['\n']
  }

  #grow(envelope: Envelope): void {
    const { delta, final } = envelope
    const key = blockKey(envelope)
    const known = this.#open.get(key)
    const passage = known ?? { text: '', isOpen: true, isApart: this.#isApart }
    if (known === undefined && delta !== '') {
      this.#passages.push(passage)
      this.#open.set(key, passage)
      this.#isApart = false
    }
    passage.text += delta
    if (!final) return
    passage.isOpen = false
    this.#open.delete(key)
  }

  #settle(): void {
    this.#settled = this.#passages.length
    this.#wasApart = this.#isApart
  }

  #rollBack(): void {
    this.#passages.splice(this.#settled)
    this.#open.clear()
    this.#isApart = this.#wasApart
  }

  /** Writes what is settled, up to the first block that is still open. */
  #write(): string[] {
    let written = ''
    while (this.#settled > 0) {
      const [first] = this.#passages
      if (first === undefined) break
      const isFirstText = this.#last + written === ''
      written +=
        first.isApart && first.text !== '' && !isFirstText ? `\n\n${first.text}` : first.text
      first.isApart &&= first.text === ''
      first.text = ''
      if (first.isOpen) break
      this.#passages.shift()
      this.#settled--
    }
    this.#last = written.at(-1) ?? this.#last
    return written === '' ? [] : [written]
  }
}
