import { decodeEnvelope } from '../../envelope/index.ts'
import { isMillraceError, MillraceError } from '../../errors/index.ts'
import { DONE_DATA, type SseEvent } from '../../sse/index.ts'
import { readFrames } from './read-frames.ts'
import { checkFormat } from './recognize.ts'
import { connect, type Stage } from './stage.ts'
import { CUT, DONE, type WireItem } from './wire-item.ts'

/** Reads JSON envelopes, as server-sent events or one a line. */
export function readJson(): Stage<Uint8Array, WireItem> {
  let count = 0
  let isDone = false
  return connect(readFrames(), {
    push({ data }: SseEvent): WireItem[] {
      isDone = data === DONE_DATA
      if (isDone) return [DONE]
      if (count++ === 0) checkFormat('json', data)
      return [decode(data, count)]
    },
    end: () => [],
    notes: () => (isDone ? [] : [CUT]),
  })
}

function decode(data: string, count: number): WireItem {
  try {
    return decodeEnvelope(data)
  } catch (error) {
    if (!isMillraceError(error)) throw error
    throw new MillraceError(error.code, `Message ${count} of the input: ${error.message}`)
  }
}
