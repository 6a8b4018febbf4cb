import type { ParameterTypes } from '../parameter-types.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import type { CallWriter } from './call-writer.ts'
import type { CallWriterOptions } from './call-writer-options.ts'
import { toFieldType, type FieldType } from './field-type.ts'
import { JsonFields } from './json-fields.ts'
import { ProjectedArguments } from './projected-arguments.ts'
import { ProjectedSegment } from './projected-segment.ts'
import type { Projection } from './projection.ts'

/** Writes a call as a segment of its projected type, whose content streams decoded while it is open. */
export class ProjectedCallWriter implements CallWriter {
  readonly #types: ParameterTypes
  readonly #segment: ProjectedSegment
  readonly #arguments: ProjectedArguments
  readonly #fields: JsonFields
  /** The type of the current field. */
  #type: FieldType | undefined
  #ended = false

  constructor(options: CallWriterOptions, projection: Projection) {
    const { limits } = options
    this.#types = { ...projection.types, ...options.parameters }
    this.#segment = new ProjectedSegment(options, projection)
    this.#arguments = new ProjectedArguments(this.#segment, projection, limits)
    const { maxMetadata: maxValue, maxDepth } = limits
    this.#fields = new JsonFields({ sink: this.#arguments, maxValue, maxDepth })
  }

  json(text: string): void {
    if (!this.#ended) this.#fields.feed(text)
  }

  beginField(key: string, type?: FieldType): void {
    this.endField()
    if (this.#ended) return
    this.#type = type ?? toFieldType(this.#types, key) ?? 'string'
    this.#arguments.beginString(key)
  }

  fieldText(text: string): void {
    if (this.#type !== undefined && text !== '') this.#arguments.stringText(text)
  }

  endField(): void {
    if (this.#type !== undefined) this.#arguments.endField(this.#type)
    this.#type = undefined
  }

  end(payload: SegmentEndPayload = {}): void {
    if (this.#ended) return
    this.#ended = true
    const { status } = this.#fields
    if (payload.complete === false) this.#type = undefined
    else if (status === 'failed' || status === 'open') this.#segment.markMalformed()
    this.endField()
    this.#segment.end(payload)
  }
}
