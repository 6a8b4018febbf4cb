import { compileCalls } from '../../engine/bodies/calls-body.ts'
import { probeCall } from '../../engine/bodies/probe-call.ts'
import type { FormatBlock, CustomBody } from '../../format.ts'
import { combine } from '../combine.ts'
import { toolCalls } from '../tags/tool-call.ts'
import { mistralCalls } from './mistral.ts'
import { bareCalls } from './tool-json.ts'

const readCalls = compileCalls({ close: ['```'] })

const readFenced: CustomBody = function* (reader, opening) {
  const { position } = reader
  yield* reader.skipSpace()
  const name = yield* probeCall(reader)
  reader.position = position
  if (name === undefined || !reader.isKnown(name)) return false
  return yield* readCalls(reader, opening)
}

const fenced: FormatBlock = {
  open: { literal: ['```json\n', '```json\r\n'], at: 'line' },
  body: { custom: readFenced },
}

/** xLAM: JSON calls after any of the markers of its versions, in a fence, or alone at the start of a line. */
export const xlam = combine('xlam', toolCalls, mistralCalls, fenced, bareCalls('line'))
