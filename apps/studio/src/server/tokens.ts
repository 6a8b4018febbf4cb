import { readTabValue, storeTabValue } from '../ui/index.ts'
import { toServerUrl } from './server-address.ts'

const prefix = 'millrace-token '

/** Returns the token of a server in this tab. */
export function readToken(server: string): string | undefined {
  return readTabValue(toKey(server))
}

/** Stores the token of a server until the tab is closed; undefined removes it. */
export function keepToken(server: string, token: string | undefined): void {
  storeTabValue(toKey(server), token)
}

/** Returns the authorization header of a token. */
export function toAuthorization(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Returns a short hash of a token, which does not reveal it to other tabs. */
export function toFingerprint(token: string): string {
  const halves = [0x811c9dc5, 0x9e3779b9].map((seed) => {
    let hash = seed
    for (let position = 0; position < token.length; position++) {
      hash = Math.imul(hash ^ token.charCodeAt(position), 0x01000193)
    }
    return (hash >>> 0).toString(36)
  })
  return halves.join('-')
}

/** Returns the problem of a token: servers accept visible ASCII characters only. */
export function findTokenProblem(token: string): string | undefined {
  if (token === '') return 'Enter the token.'
  return /^[\x21-\x7e]+$/.test(token)
    ? undefined
    : 'A token has no spaces, accents or line breaks. Check that only the token was copied.'
}

function toKey(server: string): string {
  return prefix + toServerUrl(server)
}
