import type { JsonObject } from '../../json/index.ts'
import type { DialectFrame } from '../port/index.ts'
import { toUiFrame, type UiFields } from './ui-chunk.ts'

/** The message that chunks belong to, and the steps in it. */
export class UiOutput {
  #frames: DialectFrame[] = []
  #head: UiFields
  #isOpen = false
  #isInStep = false
  #isStepOver = false
  #hasCalls = false
  /** The parts of prose that grow: what kind of chunk each is made of, by id. */
  readonly #growing = new Map<string, string>()

  constructor(metadata: JsonObject) {
    this.#head = { messageMetadata: metadata }
  }

  /** Whether a message was started that is not finished. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  drain(): readonly DialectFrame[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }

  /** Starts the message of a run; one that goes on after a pause is started again under the same id. */
  openRun(messageId: string | undefined, messageMetadata: JsonObject): void {
    this.#endParts()
    this.#isOpen = false
    this.#isInStep = false
    this.#isStepOver = false
    this.#hasCalls = false
    this.#head = { messageId, messageMetadata }
    this.#open()
  }

  /** Starts a part that grows. */
  startPart(kind: string, id: string, fields: UiFields, isRoot: boolean): void {
    this.sayInStep(`${kind}-start`, { id, ...fields }, isRoot)
    this.#growing.set(id, kind)
  }

  /** Says more of a part; one that is over says nothing, because a client would take it for a broken stream. */
  growPart(id: string, delta: string): void {
    const kind = this.#growing.get(id)
    if (kind !== undefined) this.say(`${kind}-delta`, { id, delta })
  }

  endPart(id: string, fields: UiFields = {}): void {
    const kind = this.#growing.get(id)
    this.#growing.delete(id)
    if (kind !== undefined) this.say(`${kind}-end`, { id, ...fields })
  }

  /** Says something that belongs to the message as a whole, or to the step that it is in. */
  say(type: string, fields?: UiFields): void {
    this.#open()
    this.#frames.push(toUiFrame(type, fields))
  }

  /** Says something that a step is made of; what a sub-agent does belongs to the step that it works for. */
  sayInStep(type: string, fields: UiFields, isRoot = true): void {
    if (isRoot && this.#isStepOver) this.endStep()
    if (!this.#isInStep) this.say('start-step')
    this.#isInStep = true
    this.say(type, fields)
  }

  /** Notes that the step has a call which a page could take for one of its own. */
  noteCall(): void {
    this.#hasCalls = true
  }

  /** The model's part of the step is over; it ends with the next one, because the results of its calls belong to it. */
  closeStep(): void {
    this.#isStepOver = this.#isInStep
  }

  /** Removes what the step has shown. */
  resetStep(): void {
    this.say('reset-step')
    this.#growing.clear()
    this.#hasCalls = false
  }

  endStep(): void {
    this.#endParts()
    if (this.#isInStep) this.say('finish-step')
    this.#isInStep = false
    this.#isStepOver = false
    this.#hasCalls = false
  }

  /** Ends the steps of a run that does not wait. A page that goes on after answered calls must not take them for such. */
  endSteps(): void {
    const isMisleading = this.#hasCalls
    this.endStep()
    if (!isMisleading) return
    this.say('start-step')
    this.say('finish-step')
  }

  finish(fields: UiFields): void {
    this.#endParts()
    this.say('finish', fields)
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
