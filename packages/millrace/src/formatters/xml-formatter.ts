import { createEnvelopeMapper, type EventEncoder, type Envelope } from '../events/index.ts'
import { createLegacyXmlEncoder, type LegacyXmlEncoderOptions } from '../legacy-xml/index.ts'
import type { Formatter } from './formatter.ts'
import { createWireFormatter, type WireFormatterOptions } from './wire-formatter.ts'

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
