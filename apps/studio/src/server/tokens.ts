import { readTabValue, storeTabValue } from '../ui/index.ts'
import { toServerUrl } from './server-address.ts'

const prefix = 'millrace-token '

/** The token for a server that this tab was given, if it was. */
export function readToken(server: string): string | undefined {
  return readTabValue(toKey(server))
}

/** Remembers the token for a server, for this tab and until it is closed; undefined forgets it. */
export function keepToken(server: string, token: string | undefined): void {
  storeTabValue(toKey(server), token)
}

/** The header that shows a token. */
export function toAuthorization(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** A short name for a token by which it is told from others, and which does not give it away to other tabs. */
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

/** What is wrong with a token before anyone is asked: servers take visible ASCII characters only. */
export function findTokenProblem(token: string): string | undefined {
  if (token === '') return 'Write the token here.'
  return /^[\x21-\x7e]+$/.test(token)
    ? undefined
    : 'A token has no spaces, accents or line breaks. Was more than the token copied?'
}

function toKey(server: string): string {
  return prefix + toServerUrl(server)
}
