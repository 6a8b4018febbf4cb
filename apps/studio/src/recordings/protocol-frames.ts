import { encodeEnvelope, type Envelope } from 'millrace'
import { agUiReader, aiSdkReader, type FormatReader, segmentsReader } from 'millrace/dialects'
import { createLegacyXmlDecoder } from 'millrace/legacy-xml'
import type { FrameTranslator, RecordedItem } from './recorded-item.ts'

/** Formats of runs other than the own one and those of providers. */
export type ProtocolForm = 'ai-sdk' | 'ag-ui' | 'segments' | 'xml'

const agent = 'recording'

const readers: Readonly<Record<ProtocolForm, () => FormatReader>> = {
  'ai-sdk': () => aiSdkReader({ agent }),
  'ag-ui': () => agUiReader({ agent }),
  segments: () => segmentsReader({ agent }),
  xml: () => {
    const decoder = createLegacyXmlDecoder({ agent })
    return { read: ({ data = '' }) => decoder.feed(data), finish: () => decoder.finish() }
  },
}

/** Converts frames of another format to messages, with their times. */
export function createProtocolFrames(form: ProtocolForm): FrameTranslator {
  const reader = readers[form]()
  let id = 0
  let last: RecordedItem = { data: '', isTimed: false }

  const write = (envelopes: readonly Envelope[]): RecordedItem[] => {
    const { data: _, event: __, ...when } = last
    return envelopes.map((envelope) => ({ ...when, id: ++id, data: encodeEnvelope(envelope) }))
  }
  return {
    take(item) {
      last = item
      const { data, event } = item
      return write(reader.read(event === undefined ? { data } : { data, event }))
    },
    finish() {
      const { event: _, id: __, ...when } = last
      return [...write(reader.finish()), { ...when, data: '[DONE]' }]
    },
  }
}
