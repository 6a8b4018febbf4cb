import {
  createDecoder,
  createSseDecoder,
  createTranscript,
  finalText,
  reduceTranscript,
} from 'millrace'

import type { BenchCase } from '../bench-case.ts'
import {
  cut,
  demand,
  initMessage,
  parseLines,
  prose,
  textMessages,
  toLines,
  toNetworkChunks,
} from '../deltas.ts'

const BASE_LENGTH = 500_000
const DELTA_LENGTH = 30
const BLOCKS = 20

/** One answer in 20 blocks, so that block ends are included. */
function linesAt(scale: number): string[] {
  const block = prose((scale * BASE_LENGTH) / BLOCKS)
  const messages = Array.from({ length: BLOCKS }, () => textMessages(cut(block, DELTA_LENGTH)))
  return toLines([initMessage, ...messages.flat()])
}

/** The whole work of a client: network bytes to a transcript. */
export const streamCase: BenchCase = {
  name: 'stream',
  job: 'decode and reduce a stream of 30-character deltas, about 20 MB at 8×',
  unit: 'event',
  count: (scale) => (scale * BASE_LENGTH) / DELTA_LENGTH,
  ours: {
    name: 'millrace decode and reduce',
    prepare: (scale) => {
      const chunks = toNetworkChunks(linesAt(scale))
      return () => {
        let transcript = createTranscript()
        const decoder = createDecoder({ after: 0 })
        const sse = createSseDecoder({
          onEvent: ({ data, id }) => {
            const frame = Number(id)
            transcript = reduceTranscript(transcript, decoder.decode(data, frame), frame)
          },
        })
        for (const chunk of chunks) sse.feed(chunk)
        demand(finalText(transcript).length >= scale * BASE_LENGTH - BLOCKS, 'millrace')
      }
    },
  },
  floor: { name: 'JSON.parse of the lines', prepare: (scale) => parseLines(linesAt(scale)) },
  maxOfFloor: 2.5,
  peers: [],
}
