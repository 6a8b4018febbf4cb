import { compileCalls } from '../engine/calls-body.ts'
import { probeCall } from '../engine/probe-call.ts'
import type { Block, CustomBody, Format } from '../format.ts'
import { mistralCalls } from './mistral.ts'
import { toolCalls } from './tool-call.ts'
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

const fenced: Block = {
  open: { literal: ['```json\n', '```json\r\n'], at: 'line' },
  body: { custom: readFenced },
}

/** xLAM: JSON calls after any of the markers that its versions were taught, in a fence, or alone where a line begins. */
export const xlam: Format = {
  name: 'xlam',
  blocks: [...toolCalls.blocks, mistralCalls, fenced, bareCalls('line')],
}
