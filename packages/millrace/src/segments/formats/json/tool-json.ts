import { probeCall } from '../../engine/bodies/probe-call.ts'
import type { Reader } from '../../engine/reader.ts'
import type { Reading } from '../../engine/scan/step.ts'
import type { FormatBlock, Format, Place } from '../../format.ts'

/**
 * JSON without a marker is a call only at the start of a line, with a name and arguments, and of a known tool if
 * tools are known.
 */
export const toolJson: Format = { name: 'json', blocks: [bareCalls('line')] }

/** The block of JSON calls without a marker. */
export function bareCalls(at: Place): FormatBlock {
  return {
    open: { probe: isCall, first: '{[', at, isJson: true },
    body: { calls: { separators: [';'] } },
  }
}

function* isCall(reader: Reader): Reading<boolean> {
  const name = yield* probeCall(reader)
  return name !== undefined && reader.isKnown(name)
}
