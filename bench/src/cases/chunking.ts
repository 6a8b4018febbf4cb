import { chunkPayload } from 'millrace'
import type { BenchCase } from '../bench-case.ts'
import { AGENT, prose } from '../deltas.ts'

const BASE_LENGTH = 1_300_000

/** Splitting a large payload into bounded, encoded messages. */
export const chunkingCase: BenchCase = {
  name: 'chunking',
  job: '10 MB at 8× into encoded messages of at most 2048 bytes',
  unit: 'KB',
  count: (scale) => (scale * BASE_LENGTH) / 1000,
  ours: {
    name: 'millrace chunkPayload',
    prepare: (scale) => {
      const payload = prose(scale * BASE_LENGTH)
      return () => {
        let length = 0
        for (const line of chunkPayload({
          type: 'tool_result',
          agent: AGENT,
          payload,
          extras: { id: 't', name: 'f' },
        })) {
          length += line.length
        }
        return length
      }
    },
  },
  floor: {
    name: 'JSON.stringify of the same text',
    prepare: (scale) => {
      const payload = prose(scale * BASE_LENGTH)
      return () => JSON.stringify(payload).length
    },
  },
  peers: [],
}
