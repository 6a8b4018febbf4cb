const minPartBytes = 8_192
const maxPartBytes = 65_536

/** Between two objects of a list, such as messages. */
const joint = Buffer.from('},{')

/**
 * Splits the JSON of a record so that a change in one place leaves the parts after it as they were: it is cut between
 * objects, at those that the text around them selects, and never by counting from the front.
 */
export function splitRecord(bytes: Uint8Array): readonly Uint8Array[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const parts: Uint8Array[] = []
  for (let start = 0; start < text.length;) {
    const end = findCut(text, start)
    parts.push(text.subarray(start, end))
    start = end
  }
  return parts
}

function findCut(text: Buffer, start: number): number {
  const last = Math.min(text.length, start + maxPartBytes)
  for (let at = start + minPartBytes; ; at += 1) {
    at = text.indexOf(joint, at)
    if (at < 0 || at >= last) return last
    if (isSelected(text, at)) return at + 1
  }
}

/** One joint of four, by the text before and after it: messages often begin alike, and often end alike. */
function isSelected(text: Buffer, at: number): boolean {
  let mixed = 0
  const end = Math.min(text.length, at + 128)
  for (let index = at - 64; index < end; index++) mixed = (mixed * 31 + (text[index] ?? 0)) | 0
  return (mixed & 0x300) === 0
}
