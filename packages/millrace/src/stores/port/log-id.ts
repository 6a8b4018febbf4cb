import { logReplaced } from './fence-errors.ts'

/** For so long a store remembers that a session was removed, so that the next one of its name is told from it. */
export const REMEMBERED_MS = 30 * 86_400_000

const digits = '0123456789abcdefghijklmnopqrstuv'
const ID_DIGITS = 12

/** Draws the id of a new log: 12 digits of base32, which are 60 bits. */
export function createLogId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_DIGITS))
  return Array.from(bytes, (byte) => digits[byte & 31]).join('')
}

/** Throws `log_replaced` if a caller means another log than the one that a session has. */
export function compareLog(session: string, named: string | undefined, log: string): void {
  if (named !== undefined && named !== log) throw logReplaced(session, named, { log })
}
