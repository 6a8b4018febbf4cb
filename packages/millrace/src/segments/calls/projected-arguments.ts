import type { JsonFieldsSink } from './json-fields.ts'
import { type FieldType, toTypedJson } from './typed-json.ts'
import type { ProjectedSegment } from './projected-segment.ts'
import type { Projection } from './projection.ts'
import { decodeJson } from '../decode-json.ts'
import type { SegmentLimits } from '../limits.ts'

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
