import { encodeEnvelope, type Envelope, MAX_SSE_CHUNK_BYTES, traitsOf } from '../../events/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import type { FormatFrame, FrameFormat, FrameWriter } from '../port/index.ts'
import { createSelfContained } from './shorten-item.ts'

interface JsonFormatOptions {
  /** `none` omits types and fields that the seed does not define, leaving its thirteen types. [EXT-2] */
  readonly extensions?: 'all' | 'none'
}

/** Creates the JSON format: the frames of the log, from which all other formats are derived. */
export function jsonFormat({ extensions = 'all' }: JsonFormatOptions = {}): FrameFormat {
  return {
    name: 'json',
    reads: 'frames',
    isLog: extensions === 'all',
    headers: {},
    done: DONE_DATA,
    open: (_session, { maxLineBytes = MAX_SSE_CHUNK_BYTES } = {}) =>
      extensions === 'all' ? identity : createSeedWriter(maxLineBytes),
  }
}

const identity: FrameWriter = {
  write: (envelope) => [{ data: encodeEnvelope(envelope) }],
  finish: () => [],
}

/** Creates a writer that omits extensions of the seed. Without rollbacks, void blocks are closed and the retried blocks follow. */
function createSeedWriter(maxLineBytes: number): FrameWriter {
  const contain = createSelfContained(maxLineBytes)
  return {
    write(envelope) {
      const contained = traitsOf(envelope.type)?.origin === 'seed' ? contain(envelope) : undefined
      return contained === undefined ? [] : [toFrame(contained)]
    },
    finish: () => [],
  }
}

function toFrame(envelope: Envelope): FormatFrame {
  const { span, is_error, redacted, server_name, interrupted, ...known } = envelope
  return { data: encodeEnvelope(known) }
}
