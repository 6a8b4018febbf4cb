import { logReplaced } from './fence-errors.ts'

/** Time that a store remembers a removed session, so that a new session of the same name gets a higher generation. */
export const REMEMBERED_MS = 30 * 86_400_000

const digits = '0123456789abcdefghijklmnopqrstuv'
const ID_DIGITS = 12

/** Creates a random log id: 12 digits of base32, which are 60 bits. */
export function createLogId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_DIGITS))
  return Array.from(bytes, (byte) => digits[byte & 31]).join('')
}

/** Throws `log_replaced` if the caller names another log than the current one. */
export function compareLog(session: string, named: string | undefined, log: string): void {
  if (named !== undefined && named !== log) throw logReplaced(session, named, { log })
}
