import type { MaskRange } from './word-reader.ts'

/** Maximum length of a password. A longer run before an `@` is ignored. */
const maxPasswordUnits = 256
const maxUserChars = 256
const COLON = 0x3a
const AT = 0x40
const SLASH = 0x2f

const isEnd = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\s"'`<>()[\]{},;?#&=|\\]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** Words before a colon that introduce an address, not a password. */
const addressLeads =
  /^(?:mailto|npm|jsr|workspace|sips?|acct|xmpp|e?-?mail|to|from|b?cc|contact|author|by)$/i

/** Creates a finder of the password in `user:password@host`, unit by unit. It masks at each `@`, because a password may contain one. */
export function createUserinfoReader(mask: MaskRange) {
  let user = ''
  let slashes = 0
  let phase: 'user' | 'password' | 'none' = 'user'
  let length = 0
  const starts = new Float64Array(maxPasswordUnits)
  const ends = new Float64Array(maxPasswordUnits)

  function restart(): void {
    user = ''
    length = 0
    phase = 'user'
  }

  function reset(): void {
    restart()
    slashes = 0
  }

  function readUser(code: number): void {
    if (code === AT || user.length === maxUserChars) return void (phase = 'none')
    if (code !== COLON) return void (user += String.fromCharCode(code))
    // `redis://:password@host` has no user.
    const mayFollow = user === '' ? slashes >= 2 : !addressLeads.test(user)
    if (mayFollow) phase = 'password'
    else restart()
  }

  function readPassword(code: number, from: number, to: number): void {
    if (code === AT) {
      for (let at = 0; at < length; at++) mask(starts[at] ?? 0, ends[at] ?? 0)
      length = 0
      return
    }
    if (length === maxPasswordUnits) return void (phase = 'none')
    starts[length] = from
    ends[length] = to
    length++
  }

  return {
    add(code: number, from: number, to: number) {
      if (code === SLASH) {
        slashes++
        return restart()
      }
      if (code < 128 && isEnd[code] === 1) return reset()
      if (phase === 'user') readUser(code)
      else if (phase === 'password') readPassword(code, from, to)
      if (code !== COLON) slashes = 0
    },
    /** Drops the current candidate, for example at a quote or a line end. */
    reset,
    /** First byte that may still be masked, or Infinity. */
    pendingFrom: (): number => (phase === 'password' && length > 0 ? (starts[0] ?? 0) : Infinity),
  }
}
