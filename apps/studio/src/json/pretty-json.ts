/** Lays out JSON that grows at its end, reading each character once and keeping numbers and strings as written. */
export interface JsonPrinter {
  /** Takes the whole text so far and gives it laid out. */
  update(text: string): string
}

/** How JSON is laid out. */
export interface JsonPrinterOptions {
  /** Line ends inside strings are line ends to the eye: a file can be read, though it is no JSON any more. */
  readonly breaksLines?: boolean
}

/** The beginning of an object or an array. */
const beginsList = /^\s*[[{]/

/** Creates a printer at the beginning of a text. */
export function createJsonPrinter({ breaksLines = false }: JsonPrinterOptions = {}): JsonPrinter {
  let read = 0
  let out = ''
  let depth = 0
  let inString = false
  let escaped = false
  /** A bracket was opened and nothing has followed yet. */
  let fresh = false

  const newLine = () => `\n${'  '.repeat(Math.min(depth, 24))}`

  function takeInString(char: string): string {
    if (escaped) return takeEscaped(char)
    escaped = char === '\\'
    if (char === '"') inString = false
    // What a backslash stands for is known with the next character.
    return escaped && breaksLines ? '' : char
  }

  function takeEscaped(char: string): string {
    escaped = false
    if (!breaksLines) return char
    return char === 'n' ? '\n' : `\\${char}`
  }

  function takeClosing(char: string): string {
    depth = Math.max(0, depth - 1)
    const closed = fresh ? char : newLine() + char
    fresh = false
    return closed
  }

  function take(char: string): string {
    if (inString) return takeInString(char)
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') return ''
    if (char === '}' || char === ']') return takeClosing(char)
    const lead = fresh ? newLine() : ''
    fresh = char === '{' || char === '['
    if (fresh) depth++
    if (char === '"') inString = true
    if (char === ',') return char + newLine()
    return lead + (char === ':' ? ': ' : char)
  }

  return {
    update(text) {
      // Arguments that are no JSON, and single values, are shown as they were written.
      if (!beginsList.test(text)) return text
      if (text.length < read) {
        read = depth = 0
        out = ''
        inString = escaped = fresh = false
      }
      for (; read < text.length; read++) out += take(text[read] ?? '')
      return out
    },
  }
}

/** What fits on one line is easier to read there. */
const LINE_LENGTH = 76

/** JSON that was laid out from `text`, on one line if it fits and has none of its own. */
export function toCompact(pretty: string, text: string): string {
  if (pretty.length > LINE_LENGTH || text.includes('\\n')) return pretty
  return pretty.replaceAll(/\n */g, ' ')
}

/** A text laid out if it is a JSON object or array, and as it is otherwise. */
export function toPrettyText(text: string): string {
  if (!beginsList.test(text)) return text
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  return toCompact(createJsonPrinter({ breaksLines: true }).update(text), text)
}
