/** Describes a thrown value of any kind for a report. */
export function describeError(error: unknown, where: string): string {
  try {
    return [toWords(error), where]
      .map((part) => part.trim())
      .join('\n\n')
      .trim()
  } catch {
    return 'A value was thrown that cannot be converted to text.'
  }
}

/** Returns message and stack; in some browsers a stack does not begin with the message. */
function toWords(error: unknown): string {
  const head = String(error)
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return stack.startsWith(head) ? stack : `${head}\n${stack}`
}
