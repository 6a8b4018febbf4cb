import { compileCalls } from '../../engine/bodies/calls-body.ts'
import { compileClosing } from '../../engine/bodies/closing.ts'
import type { FormatBlock, CustomBody, Format } from '../../format.ts'
import { combine } from '../combine.ts'
import { isCallList, readPythonCalls } from './python-calls.ts'

const bare = compileClosing()

/** A list of calls without a marker, at the start of a line. */
const listBlock: FormatBlock = {
  open: { probe: isCallList, first: '[', at: 'line' },
  body: { custom: (reader) => readPythonCalls(reader, bare) },
}

/** Calls between markers, in Python or, if the prompt asks these models for it, in JSON. */
function callsBetween(close: string): CustomBody {
  const closing = compileClosing([close])
  const readJson = compileCalls({ close: [close] })
  return function* (reader, opening) {
    const { position } = reader
    if (yield* readPythonCalls(reader, closing)) return true
    reader.position = position
    return yield* readJson(reader, opening)
  }
}

function tokenBlock(open: string, close: string): FormatBlock {
  return {
    open: { literal: open },
    control: true,
    orphans: [close],
    body: { custom: callsBetween(close) },
  }
}

/** Calls between special tokens: Llama 4 and LFM2. */
export const pythonTokens: Format = {
  name: 'python-tokens',
  blocks: [
    tokenBlock('<|python_start|>', '<|python_end|>'),
    tokenBlock('<|tool_call_start|>', '<|tool_call_end|>'),
  ],
}

/** Calls in Python, `[f(a=1, b='x'), g()]`: between special tokens, or alone at the start of a line. */
export const pythonic = combine('pythonic', pythonTokens, listBlock)

/** Calls in Python, one per line, between the tags of OLMo 3. */
export const olmo3: Format = {
  name: 'olmo3',
  blocks: [
    {
      open: { literal: '<function_calls>' },
      orphans: ['</function_calls>'],
      body: { custom: callsBetween('</function_calls>') },
    },
  ],
}
