/** Answers of Redis that pass by themselves: it loads its data, a replica takes over, slots move. */
const passing: ReadonlySet<string> = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'READONLY',
  'TRYAGAIN',
])

/** The first word of an error with which Redis itself has answered. */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined
  return error.message.split(' ', 1)[0]
}

/** Tells whether it helps to send a command again: the connection was lost, or Redis is not ready yet. */
export function isPassing(error: unknown): boolean {
  const code = replyCode(error)
  return code === undefined || passing.has(code)
}
