import type { JsonValue } from '../../json/index.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import type { CallWriterOptions } from './call-writer-options.ts'
import type { Projection } from './projection.ts'
import { startCall } from './start-call.ts'

/**
 * The segment of a projected call: it starts when its path is known, or when too much content waits for it, and
 * keeps what is neither path nor content for its end.
 */
export class ProjectedSegment {
  readonly #options: CallWriterOptions
  readonly #projection: Projection
  #id: string | undefined
  /** The content argument has begun, and whether it has any text. */
  #content: 'absent' | 'empty' | 'filled' = 'absent'
  #held: string[] = []
  #heldLength = 0
  readonly #metadata = new Map<string, JsonValue>()
  #metadataLength = 0
  #full = false
  #malformed = false

  constructor(options: CallWriterOptions, projection: Projection) {
    this.#options = options
    this.#projection = projection
    if (projection.path === undefined) this.#start()
  }

  /** The content argument begins; it may turn out empty. */
  beginContent(): void {
    this.#content = 'empty'
  }

  content(text: string): void {
    this.#content = 'filled'
    if (this.#id !== undefined) return this.#options.emitter.content(this.#id, text)
    this.#held.push(text)
    this.#heldLength += text.length
    if (this.#heldLength > this.#options.limits.maxHeld) this.#start()
  }

  /** Takes the path. The start goes on waiting after an empty one, which the end reports if no other comes. */
  path(path: string): void {
    if (path === '' || this.#id !== undefined) this.metadata('path', path, path.length)
    else {
      this.#metadata.delete('path')
      this.#start(detach(path))
    }
  }

  /** Keeps an argument, whose text had this length, for the end. */
  metadata(key: string, value: JsonValue, length: number): void {
    if (!this.hasRoom(key.length + length)) return
    this.#metadataLength += key.length + length
    this.#metadata.set(detach(key), typeof value === 'string' ? detach(value) : value)
  }

  /** Whether so much more metadata may be kept; from the first that may not, all is dropped. */
  hasRoom(length: number): boolean {
    if (this.#metadataLength + length > this.#options.limits.maxMetadata) this.overflow()
    return !this.#full
  }

  /** An argument is too long to be kept. */
  overflow(): void {
    this.#full = true
  }

  /** Something about the call is not as it should be; its end will tell. */
  spoil(): void {
    this.#malformed = true
  }

  end({ metadata, ...payload }: SegmentEndPayload): void {
    const id = this.#id ?? this.#start()
    // `fromEntries` makes a key `__proto__` a property of its own.
    const known = { ...Object.fromEntries(this.#metadata), ...metadata }
    this.#options.emitter.end(id, {
      ...payload,
      ...((this.#malformed || this.#full) && { malformed: true }),
      ...(this.#content === 'empty' && payload.complete !== false && { empty: true }),
      ...(Object.keys(known).length > 0 && { metadata: known }),
    })
  }

  #start(path?: string): string {
    const metadata = path === undefined ? undefined : { path }
    const id = startCall(this.#options, this.#projection.segment, metadata)
    this.#id = id
    for (const text of this.#held) this.#options.emitter.content(id, text)
    this.#held = []
    return id
  }
}

/** A slice keeps the chunk that it was cut from alive; a slice of a copy keeps only the copy. */
function detach(slice: string): string {
  return ` ${slice}`.slice(1)
}
