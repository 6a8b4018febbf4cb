import type { Envelope } from '../envelope/index.ts'
import { createLegacyXmlEncoder, type LegacyXmlEncoderOptions } from '../legacy-xml/index.ts'
import { DONE_DATA } from '../sse/index.ts'
import type { Dialect, DialectFrame, DialectWriter } from './dialect.ts'

/** How legacy XML is written. */
export type XmlDialectOptions = Pick<LegacyXmlEncoderOptions, 'agents' | 'maxHeldLength' | 'onOmit'>

/** The older format: each tag and each delta is the data of one event. [XML-17] */
export function xmlDialect(options: XmlDialectOptions = {}): Dialect {
  return {
    name: 'xml',
    headers: {},
    done: DONE_DATA,
    open: (agent) => new XmlWriter({ ...options, agent }),
  }
}

class XmlWriter implements DialectWriter {
  readonly #options: LegacyXmlEncoderOptions
  #encoder

  constructor(options: LegacyXmlEncoderOptions) {
    this.#options = options
    this.#encoder = createLegacyXmlEncoder(options)
  }

  write(envelope: Envelope): readonly DialectFrame[] {
    const messages = this.#encoder.encode(envelope)
    const isEnd = envelope.type === 'meta_end' && envelope.agent === this.#options.agent
    if (!isEnd || !envelope.final) return messages.map(toFrame)
    messages.push(...this.#encoder.finish())
    // What follows a rollback is not written; the next part of the run is. [XML-21]
    this.#encoder = createLegacyXmlEncoder(this.#options)
    return messages.map(toFrame)
  }

  finish(): readonly DialectFrame[] {
    return this.#encoder.finish().map(toFrame)
  }
}

function toFrame(data: string): DialectFrame {
  return { data }
}
