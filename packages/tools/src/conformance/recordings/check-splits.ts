import { feedings } from '../feedings/feedings.ts'
import { readPieces } from './read-messages.ts'
import type { RecordingCheck } from './recording-check.ts'

/** Checks that all chunkings of the bytes yield the same events. */
export const checkSplits: RecordingCheck = {
  name: 'byte by byte as whole',
  run({ bytes, messages }) {
    const expected = JSON.stringify(messages)
    const ways = feedings()
    const faults = ways
      .filter(({ cut }) => JSON.stringify(readPieces(cut(bytes))) !== expected)
      .map(({ name }) => `[${name}] other events`)
    return { cases: ways.length, faults }
  },
}
