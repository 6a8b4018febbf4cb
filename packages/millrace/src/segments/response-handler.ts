import { badRequest, type MillraceError } from '../errors/index.ts'
import { toProjections } from './calls/projection.ts'
import { checkOptions } from './checks/check-options.ts'
import { toBareEvent } from './compatibility.ts'
import type { HiddenCall } from './hidden-calls.ts'
import { createInvocationReader, type ToolInvocation } from './invocations/invocation-reader.ts'
import { toLimits } from './limits.ts'
import { createNativeCallReader, type NativeDelta } from './native-calls.ts'
import { createDetailedParser, type SegmentParserOptions } from './parser.ts'
import { SegmentEmitter } from './segment-emitter.ts'
import type { SegmentEvent } from './segment-event.ts'
import { chooseStrategy } from './choose-formats.ts'

/** Options of a streaming response handler. */
export interface StreamingResponseHandlerOptions extends SegmentParserOptions {
  /** False if the agent has no tools: then text passes through, unless `formats` are given. */
  readonly hasTools?: boolean
  /** Whether calls that were cut or malformed are invoked as far as they were read. */
  readonly incomplete?: 'skip' | 'include'
  /** Called for every event, in order. */
  readonly onSegment?: (event: SegmentEvent) => void
  /** Called for every complete call; its id is that of its segment. */
  readonly onInvocation?: (invocation: ToolInvocation) => void
}

/** Reads a model's response as it streams, as text or with native tool calls, and reports its segments and calls. */
export interface StreamingResponseHandler {
  /** Reads more of the response and returns the events that are certain. */
  feed(chunk: string | NativeDelta): SegmentEvent[]
  /** Ends the response; a second call returns no events. */
  finalize(): SegmentEvent[]
}

/** Creates a handler that parses text, passes it through, or reads native calls, as the strategy requires. */
export function createStreamingResponseHandler(
  options: StreamingResponseHandlerOptions = {},
): StreamingResponseHandler {
  checkOptions(options)
  const { onHiddenCall } = options
  const guarded =
    onHiddenCall === undefined
      ? options
      : { ...options, onHiddenCall: (call: HiddenCall) => notify(onHiddenCall, call, options) }
  return new ResponseHandler(options, createSource(guarded))
}

interface EventSource {
  feed(delta: NativeDelta): SegmentEvent[]
  /** The same for text alone, the content of most chunks. */
  feedText(text: string): SegmentEvent[]
  finalize(): SegmentEvent[]
}

function createSource(options: StreamingResponseHandlerOptions): EventSource {
  if (options.hasTools === false && options.formats === undefined) return nativeSource(options)
  const fallback = options.compatibility === undefined ? 'api_tool_call' : 'xml'
  const isNative =
    options.formats === undefined && chooseStrategy(options, fallback) === 'api_tool_call'
  return isNative ? nativeSource(options) : textSource(options)
}

/** Native calls, which end when another kind of content follows. */
interface NativeSource extends EventSource {
  settle(): SegmentEvent[]
}

function nativeSource(options: StreamingResponseHandlerOptions): NativeSource {
  const { createId = (number: number) => `seg_${number}` } = options
  const projections = toProjections(options.projections)
  const emitter = new SegmentEmitter(createId, options.compatibility)
  const limits = toLimits(options.limits)
  const onIgnored = (text: string): void => options.onSource?.({ role: 'markup', text })
  const reader = createNativeCallReader({ emitter, projections, limits, onIgnored })
  const feed = (delta: NativeDelta): SegmentEvent[] => {
    reader.feed(delta)
    return emitter.take()
  }
  return {
    feed,
    feedText: (content) => feed({ content }),
    settle() {
      reader.settle()
      return emitter.take()
    },
    finalize() {
      reader.finalize()
      return emitter.take()
    },
  }
}

/** Parses text; native reasoning and calls are read as such. */
function textSource(options: StreamingResponseHandlerOptions): EventSource {
  const { createId = (number: number) => `seg_${number}` } = options
  let count = 0
  const shared = { ...options, createId: () => createId(++count) }
  const parser = createDetailedParser(shared)
  const native = nativeSource(shared)
  let isBeside = false
  const feedText = (text: string): SegmentEvent[] => {
    if (!isBeside || text === '') return parser.feed(text)
    isBeside = false
    return [...native.settle(), ...parser.feed(text)]
  }
  const feedNative = (delta: NativeDelta): SegmentEvent[] => {
    isBeside = true
    return native.feed(delta)
  }
  return {
    feedText,
    feed({ content, reasoning, tool_calls: calls }) {
      const before = reasoning ? feedNative({ reasoning }) : []
      const text = feedText(content ?? '')
      const after = calls ? feedNative({ tool_calls: calls }) : []
      return [...before, ...text, ...after]
    },
    finalize: () => [...native.finalize(), ...parser.finalize()],
  }
}

class ResponseHandler implements StreamingResponseHandler {
  readonly #options: StreamingResponseHandlerOptions
  readonly #source: EventSource
  readonly #invocations
  #finalized = false

  constructor(options: StreamingResponseHandlerOptions, source: EventSource) {
    const { projections, tools, incomplete, limits } = options
    this.#options = options
    this.#source = source
    this.#invocations = createInvocationReader({
      ...(projections !== undefined && { projections }),
      ...(tools !== undefined && { tools }),
      ...(incomplete !== undefined && { incomplete }),
      ...(limits !== undefined && { limits }),
    })
  }

  feed(chunk: string | NativeDelta): SegmentEvent[] {
    if (this.#finalized) throw afterFinalize()
    if (typeof chunk === 'string') return this.#notify(this.#source.feedText(chunk))
    if (typeof chunk !== 'object' || chunk === null) throw notDelta()
    return this.#notify(this.#source.feed(chunk))
  }

  finalize(): SegmentEvent[] {
    if (this.#finalized) return []
    this.#finalized = true
    return this.#notify(this.#source.finalize())
  }

  #notify(events: SegmentEvent[]): SegmentEvent[] {
    const { onSegment, onInvocation, compatibility } = this.#options
    const shown = compatibility === undefined ? events : events.map(toBareEvent)
    if (onSegment === undefined && onInvocation === undefined) return shown
    for (const [index, event] of events.entries()) {
      if (onSegment !== undefined) notify(onSegment, shown[index] ?? event, this.#options)
      if (onInvocation !== undefined) this.#notifyInvocations(onInvocation, event)
    }
    return shown
  }

  #notifyInvocations(
    onInvocation: (invocation: ToolInvocation) => void,
    event: SegmentEvent,
  ): void {
    const invocations = this.#invocations.feed(event)
    if (invocations.length === 0) return
    for (const invocation of invocations) notify(onInvocation, invocation, this.#options)
  }
}

/** Calls a listener; an error that it throws must not stop the stream. */
function notify<Value>(
  listener: (value: Value) => void,
  value: Value,
  { onError }: StreamingResponseHandlerOptions,
): void {
  try {
    listener(value)
  } catch (error) {
    onError?.(error)
  }
}

function afterFinalize(): MillraceError {
  const message =
    'feed was called after finalize. A handler reads one response; create another for the next.'
  return badRequest(message)
}

function notDelta(): MillraceError {
  const message = 'feed takes text, or an object with content, reasoning or tool_calls.'
  return badRequest(message)
}
