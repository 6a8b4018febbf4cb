import { removeMarkup, toToolErrorText } from '../../outbound/index.ts'
import { findHiddenCharacters } from '../../text/index.ts'

/** Removes invisible characters. An unusual space becomes a plain one. */
export function removeHiddenCharacters(text: string): string {
  return findHiddenCharacters(text)
    .map((piece) =>
      piece.hidden === undefined ? piece.text : /^\p{Z}/u.test(piece.text) ? ' ' : '',
    )
    .join('')
}

/** Maximum length of a reason. A server may answer with a whole page. */
const MAX_REASON_CHARS = 500

/** Number of characters from which markup is removed. */
const MAX_READ_CHARS = 10_000

/** Returns the reason of a failure and its cause, with bounded length. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error)
  const cause = error instanceof Error ? messageOf(error.cause) : ''
  const text = cause === '' || message.includes(cause) ? message : `${message} (${cause})`
  const reason = toToolErrorText(
    removeMarkup(removeHiddenCharacters(text.slice(0, MAX_READ_CHARS))),
  )
  return reason.length <= MAX_REASON_CHARS ? reason : `${reason.slice(0, MAX_REASON_CHARS)} …`
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : ''
  // An aggregated connection error has an empty message and a code.
  if (error.message === '' && 'code' in error) return String(error.code)
  return error.message === '' ? error.name : error.message
}
