import type { Envelope } from '../../events/index.ts'
import { createLegacyXmlEncoder, type LegacyXmlEncoderOptions } from '../../legacy-xml/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import type { FormatFrame, FrameFormat, FrameWriter } from '../port/index.ts'

/** Options of the legacy XML format. */
export type XmlFormatOptions = Pick<LegacyXmlEncoderOptions, 'agents' | 'maxHeldLength' | 'onOmit'>

/** Creates the older format: each tag and each delta is the data of one event. [XML-17] */
export function xmlFormat(options: XmlFormatOptions = {}): FrameFormat {
  return {
    name: 'xml',
    reads: 'frames',
    headers: {},
    done: DONE_DATA,
    open: (agent) => new XmlWriter({ ...options, agent }),
  }
}

class XmlWriter implements FrameWriter {
  readonly #encoder

  constructor(options: LegacyXmlEncoderOptions) {
    this.#encoder = createLegacyXmlEncoder(options)
  }

  write(envelope: Envelope): readonly FormatFrame[] {
    const named = envelope.type === 'meta_init' ? withFormat(envelope) : envelope
    return this.#encoder.encode(named).map(toFrame)
  }

  finish(): readonly FormatFrame[] {
    return this.#encoder.finish().map(toFrame)
  }
}

const OWN_FORMAT = '{"format":"json",'

/** Changes the format in `meta_init`, where it is the first member: the log is JSON, this stream is not. */
function withFormat(envelope: Envelope): Envelope {
  const { delta } = envelope
  if (!delta.startsWith(OWN_FORMAT)) return envelope
  return { ...envelope, delta: `{"format":"xml",${delta.slice(OWN_FORMAT.length)}` }
}

function toFrame(data: string): FormatFrame {
  return { data }
}
