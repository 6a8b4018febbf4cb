import { createMessageReader, parseEvent } from '../models/anthropic/index.ts'
import { isMillraceError } from '../errors/index.ts'
import { isProviderEnd, type MessageEnd, type ModelEvent, noUsage } from '../events/index.ts'
import { isJsonObject, type JsonObject } from '../json/index.ts'
import { malformedFrame, type MessageCut, toBodyCut, truncated } from '../models/stream/index.ts'
import { createSseDecoder, type SseEvent } from '../sse/index.ts'
import { isModelEvent, type ProviderInput } from './formatter.ts'

/** Default limit of a frame, in UTF-16 units; the result of a server tool is one frame. */
export const MAX_FRAME_CHARS = 16 * 1024 * 1024

/** Reads the messages of one provider stream in sequence, from any kind of input. */
interface ProviderReader {
  /** True after a message that was cut or failed, and once finished: nothing more is read. */
  readonly isOver: boolean
  feed(input: ProviderInput): ModelEvent[]
  /** Ends a message that was cut; without a cut, a message whose stream ended early. */
  finish(cut?: MessageCut): ModelEvent[]
}

/** Creates a reader; after a message that was cut or failed it reads nothing more. */
export function createProviderReader(maxFrameChars = MAX_FRAME_CHARS): ProviderReader {
  let reader = createMessageReader()
  /** For a stream of model events: whether a message is open. */
  let isModelOpen: boolean | undefined
  let isOver = false
  let out: ModelEvent[] = []
  const decoder = createSseDecoder({ maxFrameChars, onEvent: feedFrame })

  function add(events: readonly ModelEvent[]): void {
    for (const event of events) {
      if (isOver) return
      out.push(event)
      if (event.type === 'message_end') isOver = !isProviderEnd(event.outcome)
    }
  }

  function feedEvent(event: JsonObject): void {
    // A gateway may send several messages in sequence, each with its own indices.
    if (reader.ended && event['type'] === 'message_start') reader = createMessageReader()
    add(reader.feed(event))
  }

  function feedFrame(frame: SseEvent): void {
    const event = parseEvent(frame)
    if (event === undefined) add(reader.end(malformedFrame(frame.data)))
    else feedEvent(event)
  }

  function feedBytes(bytes: Uint8Array | string): void {
    try {
      decoder.feed(bytes)
    } catch (error) {
      if (!isMillraceError(error)) throw error
      add(reader.end(toBodyCut(error)))
    }
  }

  function feedAny(input: ProviderInput): void {
    if (typeof input === 'string' || input instanceof Uint8Array) return feedBytes(input)
    if (!isModelEvent(input)) return isJsonObject(input) ? feedEvent(input) : undefined
    if (input.type === 'notice') isModelOpen ??= true
    else isModelOpen = input.type !== 'message_end'
    add([input])
  }

  function take(): ModelEvent[] {
    const taken = out
    out = []
    return taken
  }

  return {
    get isOver() {
      return isOver
    },
    feed(input) {
      if (!isOver) feedAny(input)
      return take()
    },
    finish(cut = truncated) {
      if (isModelOpen === undefined) add(reader.end(cut))
      else if (isModelOpen) add([toEnd(cut)])
      isOver = true
      return take()
    },
  }
}

/** Returns the end of model events that stopped without one; a correct model never does. */
function toEnd(cut: MessageCut): MessageEnd {
  return {
    ...cut,
    type: 'message_end',
    stopReason: null,
    usage: noUsage,
    content: [],
    retry: 'none',
  }
}
