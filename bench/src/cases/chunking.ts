import { chunkPayload } from 'millrace'
import type { BenchCase } from '../bench-case.ts'
import { AGENT, prose } from '../deltas.ts'

// Above the size at which strings outgrow the processor's cache, where JSON.stringify itself jumps.
const BASE_LENGTH = 8_000_000

/** Splitting a large payload into bounded, encoded frames. */
export const chunkingCase: BenchCase = {
  name: 'chunking',
  job: '8 MB at 1× into encoded messages of at most 2048 bytes',
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
