import type { JsonValue } from '../../json/index.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import { type CallWriterOptions, startCall } from './call-writer.ts'
import type { Projection } from './projection.ts'

/**
 * The segment of a projected call: starts when its path is known, or when too much content is held, and holds the
 * other arguments as metadata for its end.
 */
export class ProjectedSegment {
  readonly #options: CallWriterOptions
  readonly #projection: Projection
  #id: string | undefined
  /** Whether the content argument has begun, and whether it has any text. */
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

  /** Begins the content argument; it may be empty. */
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

  /** Sets the path. After an empty path the start still waits, and the end reports it if no other follows. */
  path(path: string): void {
    if (path === '' || this.#id !== undefined) this.metadata('path', path, path.length)
    else {
      this.#metadata.delete('path')
      this.#start(detach(path))
    }
  }

  /** Holds an argument, whose text had this length, for the end. */
  metadata(key: string, value: JsonValue, length: number): void {
    if (!this.hasRoom(key.length + length)) return
    this.#metadataLength += key.length + length
    this.#metadata.set(detach(key), typeof value === 'string' ? detach(value) : value)
  }

  /** Checks whether this much more metadata may be held; after the first refusal, all of it is dropped. */
  hasRoom(length: number): boolean {
    if (this.#metadataLength + length > this.#options.limits.maxMetadata) this.overflow()
    return !this.#full
  }

  /** Records that an argument is too long to be held. */
  overflow(): void {
    this.#full = true
  }

  /** Marks the call as malformed; its end reports it. */
  markMalformed(): void {
    this.#malformed = true
  }

  end({ metadata, ...payload }: SegmentEndPayload): void {
    const id = this.#id ?? this.#start()
    // `fromEntries` makes a key `__proto__` an own property.
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

/** A slice keeps its chunk alive; a slice of a copy keeps only the copy. */
function detach(slice: string): string {
  return ` ${slice}`.slice(1)
}
