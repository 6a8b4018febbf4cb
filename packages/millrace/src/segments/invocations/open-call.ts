import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  createPartialJson,
  type PartialJson,
} from '../../json/index.ts'
import { type Projection, projectionOf, type Projections } from '../calls/projection.ts'
import { foldText } from '../characters.ts'
import type { ParameterTypes, ToolParameters } from '../parameter-types.ts'
import type { SegmentStart, SegmentType } from '../segment-event.ts'
import { findCalls, type FoundCall } from './call-shapes.ts'
import { decodeJson } from '../calls/typed-json.ts'
import { TextBuilder } from '../text-builder.ts'
import { toXmlArguments } from './xml-arguments.ts'

/** Types that do not identify a tool. */
const generalTypes: ReadonlySet<SegmentType> = new Set(['text', 'reasoning', 'tool_call'])

/** A call with its arguments. */
interface ReadCall {
  readonly name: string
  readonly arguments: JsonObject
}

interface CallEnd {
  readonly metadata?: JsonObject | undefined
  /** Whether it was cut, and is to be read as far as possible. */
  readonly truncated: boolean
  /** Whether the content was written and is empty. */
  readonly empty?: boolean
}

/** A call segment that has not ended. */
export interface OpenCall {
  add(delta: string): void
  /** Returns its calls: mostly one, none if it cannot be read; an unreadable call among several is undefined. */
  close(end: CallEnd): readonly (ReadCall | undefined)[]
}

/** Options of open calls. */
export interface OpenCallOptions {
  readonly projections: Projections
  readonly tools: ToolParameters
  readonly maxDepth: number
}

/** Begins the call of a segment, if the segment is a call. */
export function openCall(
  { segment_type: type, payload: { metadata } }: SegmentStart,
  options: OpenCallOptions,
): OpenCall | undefined {
  const isProjected = findProjection(type, metadata, options.projections) !== undefined
  if (isProjected) return openProjectedCall(metadata, type, options.projections)
  return type === 'tool_call' ? new PlainCall(metadata, options) : undefined
}

function openProjectedCall(
  start: JsonObject,
  type: SegmentType,
  projections: Projections,
): OpenCall {
  const builder = new TextBuilder()
  return {
    add: (delta) => builder.add(delta),
    close({ metadata: late, truncated, empty = false }) {
      const metadata = { ...start, ...late }
      const found = findProjection(type, metadata, projections)
      if (found === undefined) return []
      const { name, projection } = found
      const text = builder.toString()
      // The header of a sentinel may contain the content in place of its body.
      const isEmpty = empty && !Object.hasOwn(metadata, projection.content)
      const content = text !== '' || isEmpty ? text : undefined
      const values = toProjectedArguments({ projection, metadata, content })
      return truncated || isInvocable(projection, values) ? [{ name, arguments: values }] : []
    },
  }
}

class PlainCall implements OpenCall {
  readonly #metadata: JsonObject
  readonly #options: OpenCallOptions
  readonly #body: CallBody

  constructor(metadata: JsonObject, options: OpenCallOptions) {
    this.#metadata = metadata
    this.#options = options
    this.#body = new CallBody(options.maxDepth)
  }

  add(delta: string): void {
    this.#body.add(delta)
  }

  close({ metadata, truncated }: CallEnd): readonly (ReadCall | undefined)[] {
    const name = toName(metadata?.['tool_name']) ?? toName(this.#metadata['tool_name'])
    const given = [this.#metadata['arguments'], metadata?.['arguments']]
      .map((value) => this.#toArguments(value, truncated))
      .find((value) => value !== undefined)
    if (name !== undefined && given !== undefined) return [{ name, arguments: given }]
    const content = this.#body.finish({ truncated })
    if (content === undefined) return []
    if ('json' in content) return this.#readJson(name, content.json, truncated)
    return name === undefined ? [] : this.#readXml(name, content.text, truncated)
  }

  /** An object is the arguments of the call that the metadata names; otherwise the JSON must name its calls. */
  #readJson(
    name: string | undefined,
    json: JsonValue,
    truncated: boolean,
  ): readonly (ReadCall | undefined)[] {
    if (name !== undefined && isJsonObject(json)) return [{ name, arguments: json }]
    if (name !== undefined && isJsonArray(json) && json.length === 0)
      return [{ name, arguments: {} }]
    const calls = findCalls(json)
    return calls.map((call) => this.#toReadCall(call, truncated))
  }

  #readXml(name: string, text: string, truncated: boolean): readonly ReadCall[] {
    const { tools, maxDepth } = this.#options
    const types: ParameterTypes = (Object.hasOwn(tools, name) && tools[name]) || {}
    const values = toXmlArguments(text, { types, truncated, maxDepth })
    return values === undefined ? [] : [{ name, arguments: values }]
  }

  /** Arguments that are not an object count as none; a non-empty text that is not an object makes the call unreadable. */
  #toReadCall({ name, arguments: values }: FoundCall, truncated: boolean): ReadCall | undefined {
    const read = this.#toArguments(values, truncated)
    const isBroken = read === undefined && typeof values === 'string' && values.trim() !== ''
    return isBroken ? undefined : { name, arguments: read ?? {} }
  }

  /** Arguments are an object, or a JSON string that contains one. */
  #toArguments(value: JsonValue | undefined, truncated: boolean): JsonObject | undefined {
    const { maxDepth } = this.#options
    const decoded = typeof value === 'string' ? decodeJson(value, { maxDepth, truncated }) : value
    return isJsonObject(decoded) ? decoded : undefined
  }
}

function toName(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

interface NamedProjection {
  readonly name: string
  readonly projection: Projection
}

/**
 * Returns the tool whose calls are segments of this type: the tool in the metadata if it is projected to the type, otherwise the tool with
 * the name of the type, otherwise the first.
 */
function findProjection(
  type: SegmentType,
  metadata: JsonObject,
  projections: Projections,
): NamedProjection | undefined {
  const { tool_name: tool } = metadata
  const named = typeof tool === 'string' ? findNamed(tool, type, projections) : undefined
  if (named !== undefined || generalTypes.has(type)) return named
  const likely = findNamed(type, type, projections) ?? findFirst(type, projections)
  // A tool that is not in this table keeps its name, and is never the tool that its segment looks like.
  const isUnknown = typeof tool === 'string' && projectionOf(tool, projections) === undefined
  return likely !== undefined && isUnknown ? { ...likely, name: tool } : likely
}

function findNamed(
  tool: string,
  type: SegmentType,
  projections: Projections,
): NamedProjection | undefined {
  const projection = projectionOf(tool, projections)
  return projection?.segment === type ? { name: foldText(tool), projection } : undefined
}

function findFirst(type: SegmentType, projections: Projections): NamedProjection | undefined {
  const first = Object.entries(projections).find(([, { segment }]) => segment === type)
  return first && { name: first[0], projection: first[1] }
}

type CallContent = { readonly json: JsonValue } | { readonly text: string }

/** The content of one call as it arrives: JSON is decoded incrementally, any other text is kept. */
class CallBody {
  readonly #maxDepth: number
  #json: PartialJson | undefined
  #text: TextBuilder | undefined

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth
  }

  add(delta: string): void {
    if (this.#json !== undefined) this.#json.feed(delta)
    else if (this.#text !== undefined) this.#text.add(delta)
    else this.#begin(delta.trimStart())
  }

  /** Ends the content and returns it; undefined if it began as JSON and is invalid. */
  finish({ truncated }: { readonly truncated: boolean }): CallContent | undefined {
    if (this.#json === undefined) return this.#finishText(truncated)
    if (!truncated) this.#json.finish()
    const isUsable = truncated || this.#json.status === 'complete'
    return isUsable ? toJsonContent(this.#json.value) : undefined
  }

  #begin(start: string): void {
    if (start === '') return
    if (beginsJson(start)) this.#json = createPartialJson({ maxDepth: this.#maxDepth })
    else this.#text = new TextBuilder()
    this.add(start)
  }

  /** Some servers encode arguments twice: `"{\"city\": \"Oslo\"}"`. */
  #finishText(truncated: boolean): CallContent | undefined {
    const options = { maxDepth: this.#maxDepth, truncated }
    const text = this.#text?.toString() ?? ''
    const quoted = text.startsWith('"') ? decodeJson(text, options) : undefined
    if (typeof quoted !== 'string' || !beginsJson(quoted.trimStart())) return { text }
    return toJsonContent(decodeJson(quoted, options))
  }
}

function toJsonContent(json: JsonValue | undefined): CallContent | undefined {
  return json === undefined ? undefined : { json }
}

function beginsJson(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[')
}

interface WrittenCall {
  readonly projection: Projection
  readonly metadata: JsonObject
  /** The content of the segment; undefined if the call had no such argument. */
  readonly content: string | undefined
}

/** Metadata about the call that is not an argument. */
const aboutCall = new Set(['tool_name', 'call_id'])

/** Returns the arguments that a projected call was written with, under their own names; others are absent. */
function toProjectedArguments({ projection, metadata, content }: WrittenCall): JsonObject {
  const { path: pathName, content: contentName } = projection
  const { path, ...rest } = metadata
  const hasPath = pathName !== undefined && path !== undefined
  const others = Object.entries(pathName === undefined ? metadata : rest)
  const own: [string, JsonValue][] = [
    ...(hasPath ? [[pathName, path] satisfies [string, JsonValue]] : []),
    ...(content === undefined ? [] : [[contentName, content] satisfies [string, JsonValue]]),
  ]
  const taken = new Set([...aboutCall, ...own.map(([key]) => key)])
  return Object.fromEntries([...own, ...others.filter(([key]) => !taken.has(key))])
}

/** Checks whether a call has the argument that an invocation requires: the path, otherwise the content [SEG-36]. */
function isInvocable({ path, content }: Projection, values: JsonObject): boolean {
  const needed = values[path ?? content]
  return typeof needed === 'string' && needed !== ''
}
