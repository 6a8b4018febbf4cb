import { compileArguments } from '../../engine/bodies/arguments-body.ts'
import type { FormatBlock, Format } from '../../format.ts'

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
