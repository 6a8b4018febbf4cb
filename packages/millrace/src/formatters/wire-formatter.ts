import type { EventEncoder, ModelEvent } from '../events/index.ts'
import { DONE_DATA, type SseFrame } from '../sse/index.ts'
import { createEventFormatter, type EventFormatterOptions } from './event-formatter.ts'
import type { Formatter, ProviderInput } from './formatter.ts'
import { createProviderReader } from './provider-reader.ts'
import type { MessageCut } from '../models/stream/index.ts'

/** Options of every formatter of a provider's stream. */
export interface WireFormatterOptions extends EventFormatterOptions {
  /** Maximum length of a provider frame, in UTF-16 units. */
  readonly maxFrameChars?: number
}

/** Converts a provider's stream to messages of any form. */
export interface ProviderFormatter<Message> {
  /** True once no further input can have an effect: the stream has failed or is finished. */
  readonly isOver: boolean
  feed(input: ProviderInput): Message[]
  finish(cut?: MessageCut): Message[]
}

/** Creates a formatter that reads a provider's stream and passes its events to a writer. */
export function createProviderFormatter<Message>(
  writer: EventEncoder<Message>,
  { maxFrameChars, ...options }: WireFormatterOptions,
): ProviderFormatter<Message> {
  const reader = createProviderReader(maxFrameChars)
  const formatter = createEventFormatter(writer, options)

  function take(events: readonly ModelEvent[]): Message[] {
    const [only] = events
    if (events.length === 1 && only !== undefined) return formatter.take(only)
    return events.flatMap((event) => formatter.take(event))
  }

  return {
    get isOver() {
      return reader.isOver
    },
    feed: (input) => take(reader.feed(input)),
    finish: (cut) => [...take(reader.finish(cut)), ...formatter.finish()],
  }
}

/** Creates a formatter whose messages are text. */
export function createWireFormatter(
  writer: EventEncoder<string>,
  options: WireFormatterOptions,
): Formatter {
  const formatter = createProviderFormatter(writer, options)
  return {
    done: { data: DONE_DATA },
    get isOver() {
      return formatter.isOver
    },
    feed: (input) => formatter.feed(input).map(toFrame),
    finish: (cut) => formatter.finish(cut).map(toFrame),
  }
}

function toFrame(data: string): SseFrame {
  return { data }
}
