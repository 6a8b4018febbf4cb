import type { ParameterTypes } from '../parameter-types.ts'
import type { SegmentEmitter } from '../segment-emitter.ts'
import type { SegmentEndPayload } from '../segment-event.ts'
import { type CallWriter, type CallWriterOptions, startCall } from './call-writer.ts'
import { type FieldType, toFieldType } from './typed-json.ts'
import { JsonFieldsWriter } from './json-fields-writer.ts'
import { JsonFields } from './json-fields.ts'
import { JsonScanner } from './json-scanner.ts'
import { ProjectedArguments, ProjectedSegment } from './projected-call.ts'
import { type Projection, projectionOf } from './projection.ts'

/** Creates the writer of a call: projected if its tool is in the table, otherwise a `tool_call` with JSON arguments. */
export function createCallWriter(options: CallWriterOptions): CallWriter {
  const projection = projectionOf(options.call.name, options.projections)
  if (projection === undefined) return new PlainCallWriter(options)
  return new ProjectedCallWriter(options, projection)
}

/** Writes a call as a segment of its projected type, whose content streams decoded while it is open. */
class ProjectedCallWriter implements CallWriter {
  readonly #types: ParameterTypes
  readonly #segment: ProjectedSegment
  readonly #arguments: ProjectedArguments
  readonly #fields: JsonFields
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

/** Writes a call as a `tool_call` segment whose content is the JSON text of its arguments. */
class PlainCallWriter implements CallWriter {
  readonly #options: CallWriterOptions
  readonly #emitter: SegmentEmitter
  readonly #id: string
  /** Validates the text that the model writes, so that the end can report whether it was JSON. */
  readonly #scanner: JsonScanner | undefined
  #fields: JsonFieldsWriter | undefined
  #ended = false

  constructor(options: CallWriterOptions) {
    this.#options = options
    this.#emitter = options.emitter
    if (options.isChecked !== true) this.#scanner = new JsonScanner(options.limits.maxDepth)
    this.#id = startCall(options, 'tool_call')
    if (options.call.body === 'fields') this.#fields = this.#createFields()
  }

  json(text: string): void {
    if (this.#ended) return
    this.#scanner?.feed(text)
    this.#emitter.content(this.#id, text)
  }

  beginField(key: string, type?: FieldType): void {
    if (this.#ended) return
    this.#fields ??= this.#createFields()
    this.#fields.beginField(key, type ?? toFieldType(this.#options.parameters ?? {}, key))
  }

  fieldText(text: string): void {
    if (!this.#ended) this.#fields?.fieldText(text)
  }

  endField(): void {
    if (!this.#ended) this.#fields?.endField()
  }

  end(payload: SegmentEndPayload = {}): void {
    if (this.#ended) return
    if (payload.complete === false) this.#fields?.cut()
    else this.#fields?.end()
    this.#ended = true
    this.#scanner?.finish()
    const isCut = payload.complete === false
    this.#emitter.end(this.#id, isCut || this.#isJson() ? payload : { ...payload, malformed: true })
  }

  #isJson(): boolean {
    const status = this.#scanner?.status
    return status === undefined || status === 'complete' || status === 'blank'
  }

  #createFields(): JsonFieldsWriter {
    const write = (json: string): void => this.#emitter.content(this.#id, json)
    const { maxHeld, maxDepth } = this.#options.limits
    return new JsonFieldsWriter({ write, maxHeld, maxDepth })
  }
}
