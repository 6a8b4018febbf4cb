import type { Envelope } from '../envelope/index.ts'
import { createLegacyXmlEncoder, type LegacyXmlEncoderOptions } from '../legacy-xml/index.ts'
import { DONE_DATA } from '../sse/index.ts'
import type { Dialect, DialectFrame, DialectWriter } from '../telling/index.ts'

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
  /** The pieces of a `meta_init` are coming. */
  #isStarting = false

  constructor(options: LegacyXmlEncoderOptions) {
    this.#options = options
    this.#encoder = createLegacyXmlEncoder(options)
  }

  write(envelope: Envelope): readonly DialectFrame[] {
    const { type, agent, final } = envelope
    const isStart = type === 'meta_init' && agent === this.#options.agent
    const before = isStart && !this.#isStarting ? this.#renew() : []
    const told = type === 'meta_init' ? withFormat(envelope) : envelope
    this.#isStarting = isStart && !final
    return [...before, ...this.#encoder.encode(told)].map(toFrame)
  }

  finish(): readonly DialectFrame[] {
    return this.#encoder.finish().map(toFrame)
  }

  /** What follows a rollback is not written; the next run is. [XML-21] */
  #renew(): readonly string[] {
    const rest = this.#encoder.finish()
    this.#encoder = createLegacyXmlEncoder(this.#options)
    return rest
  }
}

const OWN_FORMAT = '{"format":"json",'

/** The log was written as JSON, which is not what this reader gets. The format is the first that a beginning says. */
function withFormat(envelope: Envelope): Envelope {
  const { delta } = envelope
  if (!delta.startsWith(OWN_FORMAT)) return envelope
  return { ...envelope, delta: `{"format":"xml",${delta.slice(OWN_FORMAT.length)}` }
}

function toFrame(data: string): DialectFrame {
  return { data }
}
