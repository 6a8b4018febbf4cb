/** What of an error is told: a server may answer with a whole page. */
const MAX_REASON_CHARS = 2000

/** Why something failed, with what lies behind it, in words of bounded length. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error)
  const cause = error instanceof Error ? messageOf(error.cause) : ''
  const reason = cause === '' || message.includes(cause) ? message : `${message} (${cause})`
  return reason.length <= MAX_REASON_CHARS ? reason : `${reason.slice(0, MAX_REASON_CHARS)} …`
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : ''
  // Failures to connect are listed by address, and say nothing themselves.
  if (error.message === '' && 'code' in error) return String(error.code)
  return error.message === '' ? error.name : error.message
}
