/** All that helps to find a fault; in some browsers a stack does not begin with the message. */
export function describeFault(error: unknown, where: string): string {
  const head = toWords(error)
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const whole = stack.startsWith(head) ? stack : [head, stack].join('\n')
  return [whole, where]
    .map((part) => part.trim())
    .join('\n\n')
    .trim()
}

/** Anything may be thrown, also what cannot be written. */
function toWords(error: unknown): string {
  try {
    return String(error)
  } catch {
    return 'Something that cannot be written down.'
  }
}
