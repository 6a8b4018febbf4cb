/** Creates a window of `maxChars`, half of them for the start. */
export function createOutputWindow(maxChars: number) {
  const headChars = Math.ceil(maxChars / 2)
  const tailChars = maxChars - headChars
  let head = ''
  let tail: string[] = []
  let tailLength = 0
  let total = 0
  const shorten = (): void => {
    const kept = tail.join('').slice(tailLength - tailChars)
    tail = [kept]
    tailLength = kept.length
  }
  return {
    feed(text: string) {
      total += text.length
      const room = headChars - head.length
      head += text.slice(0, room)
      if (text.length <= room) return
      const rest = text.slice(room)
      tail.push(rest)
      tailLength += rest.length
      // Truncated only after doubling, so that many small chunks cost no more than a few large ones.
      if (tailLength > 2 * tailChars) shorten()
    },
    /** Returns the kept output, with the number of omitted characters. */
    finish(): string {
      if (total <= maxChars) return head + tail.join('')
      shorten()
      const first = /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head
      const last = (tail[0] ?? '').replace(/^[\udc00-\udfff]/, '')
      const omitted = total - first.length - last.length
      return `${first}\n[… ${omitted} characters omitted …]\n${last}`
    },
  }
}
