import { copySlice } from '../escaping/copy-slice.ts'

/** Attributes before decoding. */
export type RawAttributes = ReadonlyMap<string, string>

/** A complete opening tag. */
export interface OpenTag {
  readonly name: string
  readonly attributes: RawAttributes
  readonly isSelfClosing: boolean
  /** Position after the tag. */
  readonly end: number
}

const NAME = /<[A-Za-z][\w:-]*(?=[\s/>])/y
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?=["'])/y
const END = /\s*(\/?)>/y
const valueEnds: Readonly<Record<string, RegExp>> = { '"': /["<]/g, "'": /['<]/g }

/**
 * Parses the opening tag at `start`, or returns undefined. Values may have either kind of quotes and cannot
 * contain `<`, so a tag that fails contains no other tag and is never read twice. [XML-6]
 */
export function readOpenTag(source: string, start = 0): OpenTag | undefined {
  if (matchAt(NAME, source, start) === null) return undefined
  const name = copySlice(source, start + 1, NAME.lastIndex)
  const attributes = new Map<string, string>()
  let at = NAME.lastIndex
  for (;;) {
    const attribute = matchAt(ATTRIBUTE, source, at)
    if (attribute === null) break
    const valueStart = ATTRIBUTE.lastIndex + 1
    const valueEnd = findValueEnd(source, valueStart)
    if (valueEnd === undefined) return undefined
    const key = attribute[1] ?? ''
    if (!attributes.has(key)) attributes.set(key, copySlice(source, valueStart, valueEnd))
    at = valueEnd + 1
  }
  const end = matchAt(END, source, at)
  if (end === null) return undefined
  return { name, attributes, isSelfClosing: end[1] === '/', end: END.lastIndex }
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(source)
}

function findValueEnd(source: string, valueStart: number): number | undefined {
  const quote = source.charAt(valueStart - 1)
  const found = matchAt(valueEnds[quote] ?? END, source, valueStart)
  return found?.[0] === quote ? found.index : undefined
}
