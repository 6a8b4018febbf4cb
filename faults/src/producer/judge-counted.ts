/** The numbers of a counted run that its reader did not get, or got twice. */
export interface Counted {
  readonly lost: number
  readonly doubled: number
}

/** Compares the content of a run that counts to `last` with the events of its producer; each result is for a tenth number. */
export function judgeCounted(frames: readonly string[], last: number): Counted {
  const texts: Record<string, string> = { text: '', tool_result: '' }
  for (const line of frames) {
    const { type, delta } = JSON.parse(line) as { readonly type: string; readonly delta: string }
    if (type in texts) texts[type] += delta
  }
  const numbers = compare(texts['text'] ?? '', last, 1)
  const results = compare((texts['tool_result'] ?? '').replaceAll('is right. ', ''), last, 10)
  return { lost: numbers.lost + results.lost, doubled: numbers.doubled + results.doubled }
}

function compare(text: string, last: number, step: number): Counted {
  const seen = new Map<string, number>()
  for (const word of text.split(' ').filter((one) => one !== ''))
    seen.set(word, (seen.get(word) ?? 0) + 1)
  let lost = 0
  for (let number = step; number <= last; number += step) {
    if (!seen.delete(String(number))) lost++
  }
  // The rest was never sent, or was torn.
  const torn = seen.size
  const doubled =
    text.split(' ').filter((one) => one !== '').length - Math.floor(last / step) + lost
  return { lost, doubled: Math.max(doubled, torn) }
}
