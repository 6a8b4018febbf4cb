import { chunkPayload, type Payload } from '../envelope/index.ts'

/** Where the lines of one event gather. */
export interface LineSink {
  readonly maxBytes: number
  /** Adds a payload as one line or several, each within the limit. [CHUNK-1] */
  put(payload: Payload): void
  /** Adds a line that is known to fit. */
  push(line: string): void
  /** Hands over what has gathered. */
  take(): string[]
}

/** Creates an empty sink. */
export function createLineSink(maxBytes: number): LineSink {
  let lines: string[] = []
  return {
    maxBytes,
    put(payload) {
      for (const line of chunkPayload({ ...payload, maxBytes })) lines.push(line)
    },
    push(line) {
      lines.push(line)
    },
    take() {
      const taken = lines
      lines = []
      return taken
    },
  }
}
