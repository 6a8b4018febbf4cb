const encoder = new TextEncoder()
const LINE_FEED = 0x0a

/**
 * Wraps an encoded envelope line into `id: N`, `data: LINE` and a blank line, without decoding it. [SSE-2]
 * The line must hold no CR or LF, as compact JSON never does.
 */
export function frameLine(id: number, line: Uint8Array): Uint8Array {
  const head = `id: ${id}\ndata: `
  const frame = new Uint8Array(head.length + line.length + 2)
  encoder.encodeInto(head, frame)
  frame.set(line, head.length)
  frame.fill(LINE_FEED, head.length + line.length)
  return frame
}
