/** Temporary errors of Redis: it loads its data, a replica takes over, slots move. */
const passing: ReadonlySet<string> = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'READONLY',
  'TRYAGAIN',
])

/** Returns the first word of an error reply of Redis. */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined
  return error.message.split(' ', 1)[0]
}

/** Whether to repeat a command: the connection failed, or Redis is not ready. */
export function isPassing(error: unknown): boolean {
  const code = replyCode(error)
  return code === undefined || passing.has(code)
}
