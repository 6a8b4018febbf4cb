import { isJsonObject, type JsonObject, type JsonValue } from 'millrace'
import {
  createSegmentParser,
  createStreamingResponseHandler,
  type Format,
  type InvocationOptions,
  type NativeDelta,
  presets,
  seedXml,
  type SegmentEvent,
  type SegmentParserOptions,
  type ToolInvocation,
  toolTags,
  toToolInvocations,
} from 'millrace/segments'
import type { Task } from '../implementation.ts'

/** The presets, and formats for the tools of one agent. */
const named: Readonly<Record<string, Format>> = {
  ...presets,
  'xml-states': seedXml({
    states: {
      run_sql: { markers: [['__START_SQL__', '__END_SQL__']] },
      note: { raw: { segment: 'text', close: [{ endTag: 'tool', anyCase: true }] } },
    },
  }),
  cline: toolTags({ read_file: ['path'], write_to_file: ['path', 'content'] }),
}

/** Finds the segments of a text by a strategy. */
export function parseSegments(task: Task): JsonObject {
  const options = {
    ...toOptions(task.input['options']),
    ...toStrategy(String(task.input['strategy'])),
  }
  return parse(task, options)
}

/** Finds the segments of a text that is written in named formats. */
export function parseFormats(task: Task): JsonObject {
  const options = toOptions(task.input['options'])
  const formats = toFormats(String(task.input['format']))
  const { tools = {} } = options
  return parse(task, { ...options, formats }, { tools, incomplete: 'include' })
}

/** Parses native calls. */
export function parseNativeCalls(task: Task): JsonObject {
  const handler = createStreamingResponseHandler({ strategy: 'api_tool_call' })
  const events: SegmentEvent[] = []
  for (const delta of fedValues(task)) events.push(...handler.feed(delta as NativeDelta))
  events.push(...handler.finalize())
  return toOutput(events)
}

function parse(
  task: Task,
  options: SegmentParserOptions,
  invocationOptions?: InvocationOptions,
): JsonObject {
  let source = ''
  const hidden: JsonObject[] = []
  const watched: SegmentParserOptions = {
    ...options,
    onSource: ({ text }) => (source += text),
    onHiddenCall: (call) => hidden.push({ ...call }),
  }
  // Plain ends lack data that invocations need; a handler has it.
  if (options.compatibility !== undefined)
    return { ...parseWithHandler(task, watched), hidden, source }
  const parser = createSegmentParser(watched)
  const events: SegmentEvent[] = []
  for (const piece of fedText(task)) events.push(...parser.feed(piece))
  events.push(...parser.finalize())
  return { ...toOutput(events, invocationOptions), hidden, source }
}

function parseWithHandler(task: Task, options: SegmentParserOptions): JsonObject {
  const invocations: ToolInvocation[] = []
  const handler = createStreamingResponseHandler({
    ...options,
    onInvocation: (invocation) => invocations.push(invocation),
  })
  const events = [...fedText(task)].flatMap((piece) => handler.feed(piece))
  events.push(...handler.finalize())
  return { events, invocations } as unknown as JsonObject
}

function toOutput(events: readonly SegmentEvent[], options?: InvocationOptions): JsonObject {
  const invocations = toToolInvocations(events, options)
  return { events, invocations } as unknown as JsonObject
}

/** `json:openai` is the json strategy with the profile of a provider, `json:default` without one. */
function toStrategy(text: string): SegmentParserOptions {
  const [strategy, provider] = text.split(':')
  return {
    strategy: strategy as NonNullable<SegmentParserOptions['strategy']>,
    ...(provider === undefined || provider === 'default' ? {} : { provider }),
  }
}

const knownOptions = new Set([
  'compatibility',
  'fences',
  'inline',
  'knownTools',
  'startIn',
  'toolInReasoning',
  'tools',
])

function toOptions(value: JsonValue | undefined): SegmentParserOptions & InvocationOptions {
  if (!isJsonObject(value)) return {}
  const unknown = Object.keys(value).filter((name) => !knownOptions.has(name))
  if (unknown.length > 0)
    throw new Error(`options that this runner does not know: ${unknown.join(', ')}`)
  return value
}

/** Returns the formats that a case names, joined by `+`. */
function toFormats(names: string): Format[] {
  return names.split('+').map((name) => {
    const format = Object.hasOwn(named, name) ? named[name] : undefined
    if (format === undefined) throw new Error(`there is no format ${name}`)
    return format
  })
}

/** Returns the bytes of a task; throws if it has values. */
export function fedBytes({ kind, fed }: Task): Iterable<Uint8Array> {
  if (fed?.form === 'bytes') return fed.pieces
  throw new Error(`${kind} is fed bytes`)
}

function fedText({ kind, fed }: Task): Iterable<string> {
  if (fed?.form === 'text') return fed.pieces
  throw new Error(`${kind} is fed text`)
}

/** Returns the values of a task; throws if it has bytes. */
export function fedValues({ kind, fed }: Task): Iterable<JsonValue> {
  if (fed?.form === 'values') return fed.pieces
  throw new Error(`${kind} is fed values`)
}
