import { probeCall } from '../../engine/bodies/probe-call.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import type { FormatBlock, Format, Place } from '../../format.ts'
import { compileArguments } from '../../engine/bodies/arguments-body.ts'

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

const readArguments = compileArguments({})

/**
 * Calls recognized only by the names of tools: a name alone on a line, then a JSON object, as GLM-4-0414 writes
 * them.
 */
export function toolLines(tools: readonly string[]): Format {
  return { name: 'tool-lines', blocks: tools.map(toolLine) }
}

function toolLine(name: string): FormatBlock {
  return {
    open: { literal: [`${name}\n`, `${name}\r\n`], at: 'line' },
    body: {
      switch: [
        {
          first: /\{/,
          body: { custom: (reader, opening) => readArguments(reader, { ...opening, name }) },
        },
      ],
    },
  }
}
