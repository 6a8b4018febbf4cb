import { createParser } from 'eventsource-parser'

import { createSseDecoder } from 'millrace'
import type { BenchCase } from '../bench-case.ts'
import {
  cut,
  demand,
  parseLines,
  prose,
  textEnvelopes,
  toLines,
  toNetworkChunks,
} from '../deltas.ts'

const BASE_LENGTH = 500_000
const DELTA_LENGTH = 30

function linesAt(scale: number): string[] {
  return toLines(textEnvelopes(cut(prose(scale * BASE_LENGTH), DELTA_LENGTH)))
}

/** Framing alone: bytes to the data of each event. */
export const sseDecodeCase: BenchCase = {
  name: 'sse-decode',
  job: 'frames of 30-character deltas, in 16 KiB chunks, to the data of each event',
  unit: 'event',
  count: (scale) => (scale * BASE_LENGTH) / DELTA_LENGTH,
  ours: {
    name: 'millrace createSseDecoder',
    prepare: (scale) => {
      const lines = linesAt(scale)
      const chunks = toNetworkChunks(lines)
      return () => {
        let count = 0
        const decoder = createSseDecoder({ onEvent: () => count++ })
        for (const chunk of chunks) decoder.feed(chunk)
        demand(count === lines.length, 'millrace')
      }
    },
  },
  floor: { name: 'JSON.parse of the lines', prepare: (scale) => parseLines(linesAt(scale)) },
  peers: [
    {
      name: 'eventsource-parser 3.1.1',
      prepare: (scale) => {
        const lines = linesAt(scale)
        const chunks = toNetworkChunks(lines)
        return () => {
          let count = 0
          const parser = createParser({ onEvent: () => count++ })
          const decoder = new TextDecoder()
          for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }))
          demand(count === lines.length, 'eventsource-parser')
        }
      },
    },
  ],
}
