import { toToolErrorText, withoutMarkup } from '../outbound/index.ts'
import { withoutHidden } from './hidden-characters.ts'

/** How much of an error is repeated: a server may answer with a whole page. */
const MAX_REASON_CHARS = 500

/** Markup of a page is removed from this much of an error. */
const MAX_READ_CHARS = 10_000

/** Why something failed, with what lies behind it, in words of bounded length. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error)
  const cause = error instanceof Error ? messageOf(error.cause) : ''
  const said = cause === '' || message.includes(cause) ? message : `${message} (${cause})`
  const reason = toToolErrorText(withoutMarkup(withoutHidden(said.slice(0, MAX_READ_CHARS))))
  return reason.length <= MAX_REASON_CHARS ? reason : `${reason.slice(0, MAX_REASON_CHARS)} …`
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : ''
  // Failures to connect are listed by address, and say nothing themselves.
  if (error.message === '' && 'code' in error) return String(error.code)
  return error.message === '' ? error.name : error.message
}
