import { createDecoder, DONE_DATA, isMillraceError } from 'millrace'
import type { StreamEvent } from 'millrace'
import type { Frame } from 'millrace/client'

/** Decodes the frames of one session; an invalid line, or one after a hole, has no event. */
export function createFrameDecoder(skipsHoles: boolean): (frame: Frame) => StreamEvent | undefined {
  let decoder = createDecoder({ after: 0, skipsHoles })
  return ({ id, data }) => {
    if (data === DONE_DATA) return undefined
    // The log restarted, as when a server lost its store.
    if (id === 1 && decoder.lastId > 0) decoder = createDecoder({ after: 0, skipsHoles })
    try {
      return decoder.decode(data, id)
    } catch (error) {
      const isHole = isMillraceError(error) && error.code === 'frames_missing'
      // The session does not read an invalid line again.
      if (id !== undefined && !isHole) decoder = createDecoder({ after: id, skipsHoles })
      return undefined
    }
  }
}
