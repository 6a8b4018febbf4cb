import type { JsonObject } from '../../json/index.ts'
import {
  defaultProjections,
  type Projection,
  type SegmentEndPayload,
  type SegmentStart,
} from '../../segments/index.ts'

/** Metadata of a segment that is not an argument. */
const aboutCall: ReadonlySet<string> = new Set(['tool_name', 'call_id'])

/** Writes the arguments of a projected call as JSON, while its content arrives. */
export class ProjectedJson {
  readonly name: string
  readonly #projection: Projection
  readonly #metadata: JsonObject
  readonly #written = new Set<string>()
  #isInContent = false

  constructor(name: string, projection: Projection, metadata: JsonObject) {
    this.name = name
    this.#projection = projection
    this.#metadata = metadata
  }

  /** Returns the JSON that a chunk of the content adds. */
  append(text: string): string {
    const piece = JSON.stringify(text).slice(1, -1)
    if (this.#isInContent) return piece
    this.#isInContent = true
    const before = this.#writeMembers(this.#metadata)
    return `${before}${this.#writeKey(this.#projection.content)}"${piece}`
  }

  /**
   * Returns the JSON that ends the arguments, with the metadata of the end; a content that was not written is
   * absent.
   */
  end({ metadata, empty }: SegmentEndPayload): string {
    const known = { ...this.#metadata, ...metadata }
    const isEmpty = empty === true && !Object.hasOwn(known, this.#projection.content)
    const opening = isEmpty && !this.#isInContent ? this.append('') : ''
    const members = `${opening}${this.#isInContent ? '"' : ''}${this.#writeMembers(known)}`
    return this.#written.size === 0 ? '{}' : `${members}}`
  }

  #writeMembers(values: JsonObject): string {
    const { path = 'path', content } = this.#projection
    const members = Object.entries(values).map(([key, value]) => {
      const name = key === 'path' ? path : key
      const isElsewhere = aboutCall.has(key) || (name === content && this.#isInContent)
      const isKnown = isElsewhere || this.#written.has(name)
      return isKnown ? '' : this.#writeKey(name) + JSON.stringify(value)
    })
    return members.join('')
  }

  #writeKey(name: string): string {
    const mark = this.#written.size === 0 ? '{' : ','
    this.#written.add(name)
    return `${mark}${JSON.stringify(name)}:`
  }
}

/** Returns the arguments of a projected segment; undefined for other segments. */
export function toProjectedJson(start: SegmentStart): ProjectedJson | undefined {
  const { tool_name: tool } = start.payload.metadata
  const type = start.segment_type
  const name = typeof tool === 'string' && tool !== '' ? tool : type
  const projection = [name.toLowerCase(), type]
    .map((key) => (Object.hasOwn(defaultProjections, key) ? defaultProjections[key] : undefined))
    .find((found) => found?.segment === type)
  return projection && new ProjectedJson(name, projection, start.payload.metadata)
}
