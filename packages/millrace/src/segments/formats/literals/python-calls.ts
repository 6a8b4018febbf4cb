import { code, isNameStart } from '../../characters.ts'
import { type Closing, takeCloser } from '../../engine/bodies/closing.ts'
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
 * Looks ahead at `name(`, if an argument with its key or the end of the call follows, and moves after the
 * parenthesis. Returns undefined if there is none, with the position unchanged.
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

/**
 * Checks whether a list of calls begins here: `[f(a=` or a list of calls without arguments, which is not a
 * Markdown link.
 */
export function* isCallList(reader: Reader): Reading<boolean> {
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

/**
 * Reads calls one after another, in a list or not, and the closing marker. Returns false, having accepted nothing,
 * if there are none.
 */
export function* readPythonCalls(reader: Reader, closing: Closing): Reading<boolean> {
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

/** The continuation after a call. */
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
