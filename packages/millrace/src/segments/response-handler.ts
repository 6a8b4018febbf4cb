import { badRequest } from '../errors/index.ts'
import { toProjections } from './calls/projection.ts'
import { checkOptions } from './checks/check-options.ts'
import { toBareEvent } from './compatibility.ts'
import type { HiddenCall } from './hidden-calls.ts'
import { createInvocationReader, type ToolInvocation } from './invocations/invocation-reader.ts'
import { toLimits } from './limits.ts'
import { type NativeDelta, NativeCallReader } from './native-calls.ts'
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
  const { onHiddenCall, onSegment, onInvocation, onError, compatibility } = options
  /** Calls a listener; an error that it throws must not stop the stream. */
  const notify = <Value>(listener: ((value: Value) => void) | undefined, value: Value): void => {
    try {
      listener?.(value)
    } catch (error) {
      onError?.(error)
    }
  }
  const guarded = { ...options, onHiddenCall: (call: HiddenCall) => notify(onHiddenCall, call) }
  const source = createSource(onHiddenCall === undefined ? options : guarded)
  const invocations = createInvocationReader(options)
  let isFinalized = false

  function report(events: SegmentEvent[]): SegmentEvent[] {
    const shown = compatibility === undefined ? events : events.map(toBareEvent)
    if (onSegment === undefined && onInvocation === undefined) return shown
    for (const [index, event] of events.entries()) {
      if (onSegment !== undefined) notify(onSegment, shown[index] ?? event)
      const calls = onInvocation === undefined ? [] : invocations.feed(event)
      if (calls.length > 0) for (const call of calls) notify(onInvocation, call)
    }
    return shown
  }

  return {
    feed(chunk) {
      if (isFinalized)
        throw badRequest(
          'feed was called after finalize. A handler reads one response; create another for the next.',
        )
      if (typeof chunk === 'string') return report(source.feedText(chunk))
      if (typeof chunk === 'object' && chunk !== null) return report(source.feed(chunk))
      throw badRequest('feed takes text, or an object with content, reasoning or tool_calls.')
    },
    finalize() {
      if (isFinalized) return []
      isFinalized = true
      return report(source.finalize())
    },
  }
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
  const reader = new NativeCallReader({ emitter, projections, limits, onIgnored })
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
