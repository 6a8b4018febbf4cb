import { probeCall, compileCalls } from '../../engine/bodies/calls-body.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import type { FormatBlock, Format, Place, ArgumentsBody, CustomBody } from '../../format.ts'
import { compileArguments } from '../../engine/bodies/arguments-body.ts'
import { combine } from '../combine.ts'
import { toolCalls } from '../tags/tool-call.ts'
import { mistralCalls } from './token-calls.ts'

/** JSON without a marker is a call only at the start of a line, with a name and arguments, and of a known tool if tools are known. */
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

/** Calls recognized only by the names of tools: a name alone on a line, then a JSON object, as GLM-4-0414 writes them. */
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

/** JSON arguments of a call whose marker could be prose: it must name a known tool if tools are known. */
function ifKnown(body: ArgumentsBody = {}): CustomBody {
  const read = compileArguments(body)
  return function* (reader, opening) {
    return reader.isKnown(opening.name) && (yield* read(reader, opening))
  }
}

/** Functionary 3.2: `>>>name` and JSON on the lines after it; `>>>all` before text. */
export const functionary32: Format = {
  name: 'functionary32',
  blocks: [
    {
      open: { literal: '>>>' },
      orphans: ['>>>all\n', '>>>all\r\n'],
      body: {
        named: {
          until: ['\n'],
          pattern: /^(?!all$)(?<name>[\p{L}_][\p{L}\p{N}_.-]*)$/u,
          body: { switch: [{ first: /\{/, body: { custom: ifKnown() } }] },
        },
      },
    },
  ],
}

/** ReAct prompts: `Action: name` and `Action Input:` with a JSON object; any other input is text. */
export const react: Format = {
  name: 'react',
  blocks: [
    {
      open: { literal: 'Action:', at: 'line' },
      body: {
        named: {
          until: ['\nAction Input:', '\r\nAction Input:'],
          // A line without an input after it is prose.
          keep: ['\n'],
          pattern: /^(?<name>[\p{L}_][\p{L}\p{N}_.-]*)$/u,
          body: { switch: [{ first: /\{/, body: { custom: ifKnown() } }] },
        },
      },
    },
  ],
}

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
