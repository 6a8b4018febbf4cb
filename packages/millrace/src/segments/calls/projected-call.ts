import type { JsonValue } from '../../json/index.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import { type CallWriterOptions, startCall } from './call-writer.ts'
import type { Projection } from './projection.ts'
import type { JsonFieldsSink } from './json-fields.ts'
import { type FieldType, toTypedJson, decodeJson } from './typed-json.ts'
import type { SegmentLimits } from '../limits.ts'

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

/** The role of an argument in the segment; an ignored one is a repetition, or exceeds the limit. */
type Role = 'content' | 'path' | 'metadata' | 'ignored'

/** Assigns each argument of a projected call to content, path or metadata. */
export class ProjectedArguments implements JsonFieldsSink {
  readonly #segment: ProjectedSegment
  readonly #projection: Projection
  readonly #limits: SegmentLimits
  /** Only the first content and the first path count. */
  #hasContent = false
  #hasPath = false
  #role: Role = 'ignored'
  #key = ''
  /** Text so far of a path or of a metadata argument. */
  #text = ''

  constructor(segment: ProjectedSegment, projection: Projection, limits: SegmentLimits) {
    this.#segment = segment
    this.#projection = projection
    this.#limits = limits
  }

  beginString(key: string): void {
    this.#key = key
    this.#text = ''
    this.#role = this.#roleOf(key)
    if (this.#role === 'content') this.#beginContent()
  }

  stringText(text: string): void {
    if (this.#role === 'content') return this.#segment.content(text)
    if (this.#role === 'ignored') return
    this.#text += text
    if (!this.#fits()) this.#drop()
  }

  endString(): void {
    if (this.#role === 'path') this.#endPath(this.#text)
    else if (this.#role === 'metadata') this.#endMetadata('string')
    this.#text = ''
  }

  /** Ends an argument written as text, of any type. */
  endField(type: FieldType): void {
    // Tags are often on lines of their own, and no path has white space around it.
    if (this.#role === 'path') this.#endPath(this.#text.trim())
    else if (this.#role === 'metadata') this.#endMetadata(type)
    this.#text = ''
  }

  value(key: string, json: string | undefined): void {
    const role = this.#roleOf(key)
    if (role === 'content') this.#takeContent(json)
    else if (role === 'path' && json !== 'null') this.#segment.markMalformed()
    else if (role === 'metadata') this.#takeMetadata(key, json)
  }

  #roleOf(key: string): Role {
    const { content, path } = this.#projection
    if (key === content) return this.#hasContent ? 'ignored' : 'content'
    if (key === path) return this.#hasPath ? 'ignored' : 'path'
    if (path === undefined || key !== 'path') return 'metadata'
    // In the metadata it would look like the path that the start has shown.
    this.#segment.markMalformed()
    return 'ignored'
  }

  #beginContent(): void {
    this.#hasContent = true
    this.#segment.beginContent()
  }

  /** Content that is not a string is shown as its JSON text; `null` shows nothing and stays `null`. */
  #takeContent(json: string | undefined): void {
    if (json === 'null') {
      this.#hasContent = true
      return this.#segment.metadata(this.#projection.content, null, json.length)
    }
    this.#beginContent()
    if (json === undefined) this.#segment.overflow()
    else this.#segment.content(json)
  }

  #takeMetadata(key: string, json: string | undefined): void {
    if (json === undefined) return this.#segment.overflow()
    if (!this.#segment.hasRoom(key.length + json.length)) return
    const value = decodeJson(json, { maxDepth: this.#limits.maxDepth })
    if (value === undefined) this.#segment.markMalformed()
    else this.#segment.metadata(key, value, json.length)
  }

  #endPath(path: string): void {
    this.#hasPath = path !== ''
    this.#segment.path(path)
  }

  #endMetadata(type: FieldType): void {
    const text = this.#text
    const typed = toTypedJson(text, type, this.#limits.maxDepth)
    this.#segment.metadata(this.#key, typed === undefined ? text : typed.value, text.length)
  }

  #fits(): boolean {
    if (this.#role === 'path') return this.#text.length <= this.#limits.maxHeld
    return this.#segment.hasRoom(this.#key.length + this.#text.length)
  }

  #drop(): void {
    this.#segment.markMalformed()
    this.#role = 'ignored'
    this.#text = ''
  }
}
