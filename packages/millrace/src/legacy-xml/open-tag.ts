import { copyOut } from './copy-out.ts'

/** Attributes as they are written, before any decoding. */
export type RawAttributes = ReadonlyMap<string, string>

/** An opening tag that was read whole. */
export interface OpenTag {
  readonly name: string
  readonly attributes: RawAttributes
  readonly isSelfClosing: boolean
  /** Where the text after the tag begins. */
  readonly end: number
}

const NAME = /<[A-Za-z][\w:-]*(?=[\s/>])/y
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?=["'])/y
const END = /\s*(\/?)>/y
const valueEnds: Readonly<Record<string, RegExp>> = { '"': /["<]/g, "'": /['<]/g }

/**
 * Reads the opening tag that stands at `start`, or gives undefined. Values may stand in either quote and
 * cannot hold `<`, so a tag that fails holds no other one and is never read twice. [XML-6]
 */
export function readOpenTag(source: string, start = 0): OpenTag | undefined {
  if (matchAt(NAME, source, start) === null) return undefined
  const name = copyOut(source, start + 1, NAME.lastIndex)
  const attributes = new Map<string, string>()
  let at = NAME.lastIndex
  for (;;) {
    const attribute = matchAt(ATTRIBUTE, source, at)
    if (attribute === null) break
    const valueStart = ATTRIBUTE.lastIndex + 1
    const valueEnd = findValueEnd(source, valueStart)
    if (valueEnd === undefined) return undefined
    const key = attribute[1] ?? ''
    if (!attributes.has(key)) attributes.set(key, copyOut(source, valueStart, valueEnd))
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
