import {
  createDecoder,
  createTranscript,
  cutTranscript,
  endTranscript,
  type StreamEvent,
  traitsOfEvent,
} from 'millrace'
import { DONE, type Stage, type WireItem } from '../stage.ts'
import { createFrameReducer, toView } from 'millrace/testing'

interface WriteTextOptions {
  /** Whether the stream may roll a step back, so that its text waits for the step's boundary. [LIFE-8] */
  readonly mayRollBack: boolean
}

/** A text block that is not fully written. */
interface Passage {
  text: string
  isOpen: boolean
  /** Whether a blank line precedes it. */
  isApart: boolean
}

/**
 * Writes the text of the root agent, with a blank line where a new answer may start: after a call, a result, a user
 * message and the start of a run. So the last paragraph of a finished run is its final answer. [LIFE-15]
 */
export function writeText({ mayRollBack }: WriteTextOptions): Stage<WireItem, string> {
  const writer = new TextWriter(mayRollBack)
  const decoder = createDecoder()
  return {
    push: (item) => (item === DONE ? writer.finish() : writer.take(decoder.decodeFrame(item))),
    end: () => [...writer.finish(), ...writer.lastLineEnd()],
  }
}

class TextWriter {
  readonly #mayRollBack: boolean
  readonly #passages: Passage[] = []
  readonly #open = new Map<string, Passage>()
  /** Number of passages that can no longer be voided. */
  #settled = 0
  #isApart = false
  #wasApart = false
  #root: string | undefined
  /** The last character written; empty before the first. */
  #last = ''

  constructor(mayRollBack: boolean) {
    this.#mayRollBack = mayRollBack
  }

  take(event: StreamEvent | undefined): string[] {
    this.#root ??= event?.agent
    if (event === undefined || event.agent !== this.#root) return []
    const traits = traitsOfEvent(event.type)
    if (event.type === 'rollback') this.#rollBack()
    if (event.type === 'text' && !event.isSummary) this.#grow(event)
    const isComplete = !('start' in event) || (event.end && !event.interrupted)
    if (isComplete) this.#isApart ||= traits?.beforeAnswer === true
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

  #grow({ block, text, end }: StreamEvent & { readonly type: 'text' }): void {
    const known = this.#open.get(block)
    const passage = known ?? { text: '', isOpen: true, isApart: this.#isApart }
    if (known === undefined && text !== '') {
      this.#passages.push(passage)
      this.#open.set(block, passage)
      this.#isApart = false
    }
    passage.text += text
    if (!end) return
    passage.isOpen = false
    this.#open.delete(block)
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

  /** Writes the settled text, up to the first open block. */
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

/** Writes the final view of a stream as one JSON document. */
export function writeTranscript(): Stage<WireItem, string> {
  const reduce = createFrameReducer()
  let transcript = createTranscript()
  let isDone = false
  return {
    push(item) {
      isDone = item === DONE
      transcript = item === DONE ? endTranscript(transcript) : reduce(transcript, item)
      return []
    },
    end() {
      const { submit_enabled_after_answers: _, ...view } = toView(
        isDone ? transcript : cutTranscript(transcript),
      )
      return [`${JSON.stringify(view, undefined, 2)}\n`]
    },
  }
}
