import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { FormatFrame } from '../port/index.ts'

/** The message of the chunks, with its steps. */
export class UiOutput {
  #frames: FormatFrame[] = []
  #head: UiFields
  #isOpen = false
  #isInStep = false
  #isStepOver = false
  #hasCalls = false
  /** Kinds of the growing text parts, by id. */
  readonly #growing = new Map<string, string>()

  constructor(metadata: JsonObject) {
    this.#head = { messageMetadata: metadata }
  }

  /** Whether a message is started but not finished. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  drain(): readonly FormatFrame[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }

  /** Starts the message of a run. A message that continues after a pause is started again with the same id. */
  openRun(messageId: string | undefined, messageMetadata: JsonObject): void {
    this.#endParts()
    this.#isOpen = false
    this.#isInStep = false
    this.#isStepOver = false
    this.#hasCalls = false
    this.#head = { messageId, messageMetadata }
    this.#open()
  }

  startPart(kind: string, id: string, fields: UiFields, isRoot: boolean): void {
    this.writeInStep(`${kind}-start`, { id, ...fields }, isRoot)
    this.#growing.set(id, kind)
  }

  /** Adds to a part. For an ended part it writes nothing, because a client would treat that as an error. */
  growPart(id: string, delta: string): void {
    const kind = this.#growing.get(id)
    if (kind !== undefined) this.write(`${kind}-delta`, { id, delta })
  }

  endPart(id: string, fields: UiFields = {}): void {
    const kind = this.#growing.get(id)
    this.#growing.delete(id)
    if (kind !== undefined) this.write(`${kind}-end`, { id, ...fields })
  }

  /** Writes a chunk of the message or of its current step. */
  write(type: string, fields?: UiFields): void {
    this.#open()
    this.#frames.push(toUiFrame(type, fields))
  }

  /** Writes a chunk that requires an open step. Sub-agents write to the step that they work for. */
  writeInStep(type: string, fields: UiFields, isRoot = true): void {
    if (isRoot && this.#isStepOver) this.endStep()
    if (!this.#isInStep) this.write('start-step')
    this.#isInStep = true
    this.write(type, fields)
  }

  /** Records that the step has a call which a page could treat as its own. */
  noteCall(): void {
    this.#hasCalls = true
  }

  /** Marks the model call of the step as ended. The step ends with the next one, because it includes the results of its calls. */
  closeStep(): void {
    this.#isStepOver = this.#isInStep
  }

  /** Removes the content of the step. */
  resetStep(): void {
    this.write('reset-step')
    this.#growing.clear()
    this.#hasCalls = false
  }

  endStep(): void {
    this.#endParts()
    if (this.#isInStep) this.write('finish-step')
    this.#isInStep = false
    this.#isStepOver = false
    this.#hasCalls = false
  }

  /** Ends the steps of a run that is not paused. After answered calls, a page would continue by itself; an empty step prevents that. */
  endSteps(): void {
    const isMisleading = this.#hasCalls
    this.endStep()
    if (!isMisleading) return
    this.write('start-step')
    this.write('finish-step')
  }

  finish(fields: UiFields): void {
    this.#endParts()
    this.write('finish', fields)
    this.#isOpen = false
  }

  #endParts(): void {
    for (const id of this.#growing.keys()) this.endPart(id)
  }

  #open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#frames.push(toUiFrame('start', this.#head))
    const { messageId } = this.#head
    this.#head = { messageId }
  }
}

/** A chunk of a UI message stream. */
export interface UiChunk extends JsonObject {
  readonly type: string
}

/** Fields of a chunk. Undefined ones are omitted. */
export interface UiFields {
  readonly [field: string]: JsonValue | undefined
}

/** Key of our own fields in `providerMetadata`. */
export const OWN = 'millrace'

/** Encodes a chunk. */
function toUiFrame(type: string, fields: UiFields = {}): FormatFrame {
  return { data: JSON.stringify({ type, ...fields }) }
}

/** Returns our own fields as `providerMetadata`; empty if all are undefined. */
export function toOwn(fields: UiFields): { readonly providerMetadata?: JsonObject } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  // Undefined values were removed.
  const own = Object.fromEntries(present) as JsonObject
  return present.length === 0 ? {} : { providerMetadata: { [OWN]: own } }
}
