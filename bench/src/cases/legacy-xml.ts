import { createLegacyXmlTextDecoder, envelopesToXml } from 'millrace/legacy-xml'
import type { BenchCase } from '../bench-case.ts'
import { cut, demand, initEnvelope, parseLines, prose, textEnvelopes, toLines } from '../deltas.ts'

const BASE_LENGTH = 125_000

function messagesAt(scale: number) {
  return [initEnvelope, ...textEnvelopes(cut(prose(scale * BASE_LENGTH), 30))]
}

/** An old stream read without its message boundaries. */
export const legacyXmlCase: BenchCase = {
  name: 'legacy-xml',
  job: 'a legacy XML text stream in 16-character pieces, 1 MB at 8×, to envelopes',
  unit: 'piece',
  count: (scale) => (scale * BASE_LENGTH) / 16,
  ours: {
    name: 'millrace createLegacyXmlTextDecoder',
    prepare: (scale) => {
      const pieces = cut([...envelopesToXml(messagesAt(scale))].join(''), 16)
      return () => {
        const decoder = createLegacyXmlTextDecoder()
        let length = 0
        for (const piece of pieces)
          for (const { type, delta } of decoder.feed(piece))
            if (type === 'text') length += delta.length
        for (const { type, delta } of decoder.finish()) if (type === 'text') length += delta.length
        demand(length === scale * BASE_LENGTH, 'millrace')
      }
    },
  },
  floor: {
    name: 'JSON.parse of the same messages as lines',
    prepare: (scale) => parseLines(toLines(messagesAt(scale))),
  },
  peers: [],
}
