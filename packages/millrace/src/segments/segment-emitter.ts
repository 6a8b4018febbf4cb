import type { JsonObject } from '../json/index.ts'
import type { SegmentEndPayload, SegmentEvent, SegmentType } from './segment-event.ts'

/** Makes the id of the n-th segment, counted from 1. */
export type CreateSegmentId = (number: number) => string

const NOTHING: SegmentEndPayload = {}

/** Collects events until someone takes them, and counts segments. */
export class SegmentEmitter {
  readonly #createId: CreateSegmentId
  /** The segment that was started last, while it is open. */
  openId: string | undefined
  #count = 0
  /** Ids that providers gave, so that none of ours is the same. */
  readonly #given = new Set<string>()
  #events: SegmentEvent[] | undefined

  constructor(createId: CreateSegmentId) {
    this.#createId = createId
  }

  /** Starts a segment and returns its id: the one given, or the next. */
  start(type: SegmentType, metadata: JsonObject, givenId?: string): string {
    this.#count++
    const id = givenId ?? this.#nextId()
    if (givenId !== undefined) this.#given.add(givenId)
    this.openId = id
    this.#add({
      type: 'SEGMENT_START',
      segment_id: id,
      segment_type: type,
      payload: { metadata },
    })
    return id
  }

  #nextId(): string {
    let id = this.#createId(this.#count)
    while (this.#given.has(id)) id = this.#createId(++this.#count)
    return id
  }

  /** Adds content; nothing is not worth an event. */
  content(id: string, delta: string): void {
    if (delta === '') return
    this.#add({ type: 'SEGMENT_CONTENT', segment_id: id, payload: { delta } })
  }

  end(id: string, payload: SegmentEndPayload = NOTHING): void {
    if (this.openId === id) this.openId = undefined
    this.#add({ type: 'SEGMENT_END', segment_id: id, payload })
  }

  /** Hands over what has been collected. */
  take(): SegmentEvent[] {
    const events = this.#events ?? []
    this.#events = undefined
    return events
  }

  /** Mostly there is one event for a chunk: a list of one is made at its size, where one that grows makes room for many. */
  #add(event: SegmentEvent): void {
    if (this.#events === undefined) this.#events = [event]
    else this.#events.push(event)
  }
}
