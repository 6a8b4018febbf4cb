import {
  encodeEnvelope,
  type Envelope,
  MAX_SSE_CHUNK_BYTES,
  traitsOf,
} from '../../envelope/index.ts'
import { DONE_DATA } from '../../sse/index.ts'
import type { DialectFrame, FrameDialect, FrameWriter } from '../port/index.ts'
import { createSelfContained } from './self-contained.ts'

/** How envelopes are written. */
export interface JsonDialectOptions {
  /** With `none` there are the thirteen types of the seed alone, without the fields that it does not know. [EXT-2] */
  readonly extensions?: 'all' | 'none'
}

/** The envelopes themselves, which every other dialect is made of. */
export function jsonDialect({ extensions = 'all' }: JsonDialectOptions = {}): FrameDialect {
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

/** Leaves out what the seed does not know. A rollback is such: its void blocks are closed, and the retried ones follow. */
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

function toFrame(envelope: Envelope): DialectFrame {
  const { span, is_error, redacted, server_name, interrupted, ...known } = envelope
  return { data: encodeEnvelope(known) }
}
