import type { JsonObject } from '../json/index.ts'
import { type Compatibility, splitMetadata } from './compatibility.ts'
import type { SegmentEndPayload, SegmentEvent, SegmentType } from './segment-event.ts'

/** Creates the id of the n-th segment, counted from 1. */
export type CreateSegmentId = (number: number) => string

const NOTHING: SegmentEndPayload = {}

interface StartOptions {
  /** The id of the provider. */
  readonly id?: string | undefined
  /** The metadata comes from a header that the model wrote: all of it is shown. */
  readonly isHeader?: boolean
}

/** Collects events until they are taken, and counts segments. */
export class SegmentEmitter {
  readonly #createId: CreateSegmentId
  readonly #compatibility: Compatibility | undefined
  /** Metadata that a start did not show, by segment, for its end. */
  readonly #late = new Map<string, JsonObject>()
  /** The segment that was started last, while it is open. */
  openId: string | undefined
  #count = 0
  /** Ids that providers gave, which generated ids must not repeat. */
  readonly #given = new Set<string>()
  #events: SegmentEvent[] | undefined

  constructor(createId: CreateSegmentId, compatibility?: Compatibility) {
    this.#createId = createId
    this.#compatibility = compatibility
  }

  /** Starts a segment and returns its id: the given one, or the next. */
  start(type: SegmentType, metadata: JsonObject, options: StartOptions = {}): string {
    const { id: givenId, isHeader = false } = options
    this.#count++
    const id = givenId ?? this.#nextId()
    if (givenId !== undefined) this.#given.add(givenId)
    this.openId = id
    this.#add({
      type: 'SEGMENT_START',
      segment_id: id,
      segment_type: type,
      payload: { metadata: isHeader ? metadata : this.#toShown(id, type, metadata) },
    })
    return id
  }

  #toShown(id: string, type: SegmentType, metadata: JsonObject): JsonObject {
    if (this.#compatibility === undefined) return metadata
    const { shown, late } = splitMetadata(type, metadata)
    if (Object.keys(late).length > 0) this.#late.set(id, late)
    return shown
  }

  #nextId(): string {
    let id = this.#createId(this.#count)
    while (this.#given.has(id)) id = this.#createId(++this.#count)
    return id
  }

  /** Adds content; an empty delta makes no event. */
  content(id: string, delta: string): void {
    if (delta === '') return
    this.#add({ type: 'SEGMENT_CONTENT', segment_id: id, payload: { delta } })
  }

  end(id: string, payload: SegmentEndPayload = NOTHING): void {
    if (this.openId === id) this.openId = undefined
    const late = this.#late.get(id)
    const endPayload =
      late === undefined ? payload : { ...payload, metadata: { ...late, ...payload.metadata } }
    this.#late.delete(id)
    this.#add({ type: 'SEGMENT_END', segment_id: id, payload: endPayload })
  }

  /** Removes and returns the collected events. */
  take(): SegmentEvent[] {
    const events = this.#events ?? []
    this.#events = undefined
    return events
  }

  /** A chunk mostly has one event: a list of one is allocated at its size, while a growing list reserves room for many. */
  #add(event: SegmentEvent): void {
    if (this.#events === undefined) this.#events = [event]
    else this.#events.push(event)
  }
}
