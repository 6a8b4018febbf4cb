import {
  createEnvelopeMapper,
  createEnvelopeWriter,
  type Envelope,
  type EnvelopeWriterOptions,
  type EventEncoder,
  type ModelEvent,
} from '../events/index.ts'
import { createLegacyXmlEncoder, type LegacyXmlEncoderOptions } from '../legacy-xml/index.ts'
import type { MessageCut } from '../models/stream/index.ts'
import { DONE_DATA, type SseFrame } from '../sse/index.ts'
import { createEventFormatter, type EventFormatterOptions } from './event-formatter.ts'
import type { Formatter, ProviderInput } from './formatter.ts'
import { createProviderReader } from './provider-reader.ts'

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
function createProviderFormatter<Message>(
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
function createWireFormatter(
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

/** Options of a JSON formatter. */
export interface JsonFormatterOptions
  extends WireFormatterOptions, Pick<EnvelopeWriterOptions, 'maxBytes' | 'toolInput'> {}

/** Converts a provider's stream to JSON envelopes, each within the limit. [MAP-1] */
export function jsonFormatter(options: JsonFormatterOptions): Formatter {
  return createWireFormatter(createEnvelopeWriter(options), options)
}

/** Options of an envelope formatter. */
export interface EnvelopeFormatterOptions
  extends WireFormatterOptions, Pick<EnvelopeWriterOptions, 'format' | 'toolInput'> {}

/**
 * Converts a provider's stream to envelope values, uncut: for a transcript in the same process, or another format.
 */
export function envelopeFormatter(options: EnvelopeFormatterOptions): ProviderFormatter<Envelope> {
  return createProviderFormatter(createEnvelopeMapper(options), options)
}

/** Options of a legacy XML formatter. */
export interface XmlFormatterOptions
  extends WireFormatterOptions, Pick<LegacyXmlEncoderOptions, 'maxHeldLength'> {}

/** Converts a provider's stream to the data of legacy XML messages, which text of the model cannot forge. [XML-17] */
export function xmlFormatter(options: XmlFormatterOptions): Formatter {
  return createWireFormatter(createXmlWriter(options), options)
}

/** Creates a writer of the same messages as every other format, as tags. */
function createXmlWriter({ agent, maxHeldLength }: XmlFormatterOptions): EventEncoder<string> {
  const mapper = createEnvelopeMapper({ format: 'xml' })
  const encoder = createLegacyXmlEncoder({
    agent,
    ...(maxHeldLength !== undefined && { maxHeldLength }),
  })
  const encode = (envelopes: readonly Envelope[]): string[] => {
    const [only] = envelopes
    // Most events are a delta and become one message; `flatMap` takes longer than encoding it.
    if (only !== undefined && envelopes.length === 1) return encoder.encode(only)
    return envelopes.flatMap((envelope) => encoder.encode(envelope))
  }
  return {
    write: (event) => encode(mapper.write(event)),
    finish: () => [...encode(mapper.finish()), ...encoder.finish()],
  }
}
