import { compileCalls } from '../../engine/bodies/calls-body.ts'
import { compileClosing, type Closing, takeCloser } from '../../engine/bodies/arguments-body.ts'
import type { FormatBlock, CustomBody, Format } from '../../format.ts'
import { combine } from '../combine.ts'
import { code, isNameStart } from '../../characters.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import { LiteralArguments, readKey, readWord } from './literal-arguments.ts'
import { compileNotation, type StringMarks } from './notation.ts'
import { pythonSyntax } from './python-syntax.ts'

const quotes = ['"""', "'''", '"', "'"]

/** Prefixes that models put before strings; only `r` has an effect. */
const prefixes = ['', 'r', 'R', 'b', 'f', 'u']

/** Arguments in Python notation: `city='Oslo', days=[1, 2])`. */
const pythonNotation = compileNotation({
  strings: prefixes.flatMap((prefix) => quotes.map((quote) => toMarks(prefix, quote))),
  hasEscapes: true,
  brackets: [
    ['(', ')'],
    ['[', ']'],
    ['{', '}'],
  ],
  assign: '=',
  close: ')',
  stringType: 'string',
  syntax: pythonSyntax,
})

function toMarks(prefix: string, quote: string): StringMarks {
  return { open: prefix + quote, close: quote, isRaw: prefix.toLowerCase() === 'r' }
}

interface CallHead {
  readonly name: string
  readonly hasArguments: boolean
}

/**
 * Looks ahead at `name(`, if an argument with its key or the end of the call follows, and moves after the parenthesis. Returns undefined if
 * there is none, with the position unchanged.
 */
function* readHead(reader: Reader): Reading<CallHead | undefined> {
  const { position } = reader
  const first = yield* reader.skipSpace()
  const name = isNameStart(first) ? yield* readWord(reader) : ''
  if (name !== '' && (yield* reader.peek()) === code.openParenthesis) {
    const start = ++reader.position
    const isEmpty = (yield* reader.skipSpace()) === code.closeParenthesis
    const hasArguments = !isEmpty && (yield* readKey(reader, pythonNotation)) !== undefined
    reader.position = start
    if (isEmpty || hasArguments) return { name, hasArguments }
  }
  reader.position = position
  return undefined
}

/** Checks whether a list of calls begins here: `[f(a=` or a list of calls without arguments, which is not a Markdown link. */
function* isCallList(reader: Reader): Reading<boolean> {
  const limit = reader.position + reader.limits.maxProbe
  reader.position++
  for (let isFirst = true; reader.position < limit; isFirst = false) {
    const head = yield* readHead(reader)
    if (head === undefined) return !isFirst && (yield* isListEnd(reader))
    if (isFirst && !reader.isKnown(head.name)) return false
    if (head.hasArguments) return true
    yield* reader.skipSpace()
    reader.position++
    if ((yield* reader.skipSpace()) !== code.comma) return yield* isListEnd(reader)
    reader.position++
  }
  return false
}

/** Checks whether the list ends here, and is not the text of a link. */
function* isListEnd(reader: Reader): Reading<boolean> {
  if ((yield* reader.skipSpace()) !== code.closeBracket) return false
  reader.position++
  return !LINK_FOLLOWS.has(yield* reader.peek())
}

const LINK_FOLLOWS: ReadonlySet<number> = new Set([
  code.openParenthesis,
  code.openBracket,
  code.colon,
])

/** Reads calls one after another, in a list or not, and the closing marker. Returns false, having accepted nothing, if there are none. */
function* readPythonCalls(reader: Reader, closing: Closing): Reading<boolean> {
  const isList = (yield* reader.skipSpace()) === code.openBracket
  if (isList) reader.position++
  let head = yield* readHead(reader)
  if (head === undefined) return false
  while (head !== undefined) {
    reader.accept()
    const call = reader.call({ name: head.name, body: 'fields' })
    const end = yield* new LiteralArguments(reader, pythonNotation, closing, call).read()
    const next = end.isClosed ? yield* readNext(reader, closing, isList) : undefined
    call.end(next?.isBroken === true ? { malformed: true } : end.payload)
    head = next?.head
  }
  yield* takeCloser(reader, closing)
  return true
}

interface Next {
  readonly head?: CallHead
  /** The list continues with an item that is not a call. */
  readonly isBroken?: boolean
}

/** Looks ahead after a call, and reads the end of the list. */
function* readNext(reader: Reader, closing: Closing, isList: boolean): Reading<Next> {
  const { position } = reader
  if ((yield* reader.skipSpace()) === code.comma) reader.position++
  const unit = yield* reader.skipSpace()
  const head = reader.output.isFull ? undefined : yield* readHead(reader)
  if (head !== undefined) return { head }
  const isOver = reader.input.ended && reader.position >= reader.input.end
  const isEnd = isList && unit === code.closeBracket
  const isClosed = isOver || isEnd || (yield* reader.match(closing.all)) !== undefined
  if (isEnd) reader.position++
  else if (!isOver) reader.position = position
  reader.accept()
  return { isBroken: isList && !isClosed }
}

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
