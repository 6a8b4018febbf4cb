import { createPartialJson, type JsonValue, type PartialJson } from '../../json/index.ts'
import type { CallBlock } from './block.ts'
import type { GrowingBlock, InputPiece } from './reduce/agent-blocks.ts'

/** Each parser is stored with the last part that it has read. */
const parsers = new WeakMap<InputPiece, PartialJson>()
const values = new WeakMap<CallBlock, JsonValue | undefined>()

/**
 * Returns the arguments of a call as a value, as far as they have arrived; undefined before the first part. Reading it at every part
 * parses each part once. While the call is open, its objects and arrays grow in place.
 */
export function toolInput(block: CallBlock): JsonValue | undefined {
  const { lastPiece } = block as Partial<GrowingBlock>
  if (lastPiece) return parserAt(lastPiece).value
  if (!values.has(block)) values.set(block, parseInput(block.text))
  return values.get(block)
}

/** Advances the parser that has read the most of a part's predecessors; other snapshots get their own parser. */
function parserAt(piece: InputPiece): PartialJson {
  const unread: string[] = []
  let at: InputPiece | undefined = piece
  let parser: PartialJson | undefined
  for (; at !== undefined && parser === undefined; at = at.before) {
    parser = parsers.get(at)
    if (parser === undefined) unread.push(at.text)
    else parsers.delete(at)
  }
  parser ??= createPartialJson()
  for (const text of unread.reverse()) parser.feed(text)
  parsers.set(piece, parser)
  return parser
}

function parseInput(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    const parser = createPartialJson()
    parser.feed(text)
    return parser.value
  }
}
