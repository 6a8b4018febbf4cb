/** Receives the unescaped UTF-16 units of a text, each with its byte range. */
interface UnitSink {
  /** Receives a unit, or the unit that an escape denotes. */
  plain(code: number, from: number, to: number): void
  /** Receives a quote and the number of backslashes before it. */
  quote(code: number, depth: number, from: number, to: number): void
  /** Receives an escaped line end or tab, at any escape depth. */
  gap(): void
}

const BACKSLASH = 0x5c
const SLASH = 0x2f
const LOWER_U = 0x75
const quotes = new Set([0x22, 0x27, 0x60]) // " ' `
const gaps = new Set([0x62, 0x66, 0x6e, 0x72, 0x74]) // b f n r t

/** Creates a reader that removes the escapes of JSON, also of nested JSON, so that `\nsk-…` is a line end and a key, not the word `nsk-…`. */
export function createEscapeReader(sink: UnitSink) {
  let slashes = 0
  let slashFrom = 0
  /** Expected position of the next unit. In a text that is assembled from deltas, the next unit can be elsewhere. */
  let nextFrom = 0
  let isJoined = true
  /** The hex digits read so far of a `\u…` escape. */
  let hex: string | undefined

  function follow(from: number, to: number): void {
    isJoined &&= from === nextFrom
    nextFrom = to
  }

  function escaped(code: number, from: number, to: number): void {
    const depth = slashes
    slashes = 0
    if (quotes.has(code)) return sink.quote(code, depth, from, to)
    if (gaps.has(code)) return sink.gap()
    if (code === SLASH) return sink.plain(code, isJoined ? slashFrom : from, to)
    if (code === LOWER_U) return void (hex = '')
    // A backslash is never masked, because the next character would lose its escape.
    sink.plain(BACKSLASH, slashFrom, slashFrom)
    sink.plain(code, from, to)
  }

  function digit(code: number, from: number, to: number): void {
    const text = String.fromCharCode(code)
    if (!/[0-9a-f]/i.test(text)) {
      hex = undefined
      sink.gap()
      return feed(code, from, to)
    }
    hex += text
    if (hex?.length !== 4) return
    if (isJoined) sink.plain(Number.parseInt(hex, 16), slashFrom, to)
    else sink.gap()
    hex = undefined
  }

  function feed(code: number, from: number, to: number): void {
    if (slashes === 0 && hex === undefined) isJoined = true
    else follow(from, to)
    if (hex !== undefined) return digit(code, from, to)
    if (code === BACKSLASH) {
      if (slashes++ > 0) return
      slashFrom = from
      nextFrom = to
      return
    }
    if (slashes > 0) return escaped(code, from, to)
    if (quotes.has(code)) return sink.quote(code, 0, from, to)
    sink.plain(code, from, to)
  }

  return {
    feed,
    /** Ends a pending escape without further input. */
    flush() {
      if (slashes > 0 || hex !== undefined) sink.gap()
      slashes = 0
      hex = undefined
    },
    /** First byte of a pending escape, or Infinity. */
    pendingFrom: (): number => (slashes > 0 || hex !== undefined ? slashFrom : Infinity),
  }
}
