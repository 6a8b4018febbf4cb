import { badRequest, MillraceError } from '../../errors/index.ts'

/** The cookie with the token, for images and downloads, where a page cannot set headers. */
const tokenCookie = 'millrace_token'

/** Throws unless a request has the token of the server. */
export type TokenCheck = (request: Request) => Promise<void>

/** Creates the token check; without a token every request passes. */
export function createTokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined) return async () => {}
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw badRequest(
      'The option `token` must be at least one visible ASCII character, without spaces.',
    )
  }
  const expected = digest(token)
  return async (request) => {
    const sent = bearerOf(request) ?? cookieOf(request)
    if (sent !== undefined && isEqual(await digest(sent), await expected)) return
    throw new MillraceError(
      'unauthorized',
      sent === undefined
        ? 'The server requires a token; send it as `authorization: Bearer TOKEN`.'
        : 'The token is wrong; ask the operator of the server for the right one.',
      // Distinguishes a wrong token from one that a proxy removed.
      { details: { token: sent === undefined ? 'missing' : 'wrong' } },
    )
  }
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}

function cookieOf({ headers }: Request): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  const found = pairs.find((pair) => pair.startsWith(`${tokenCookie}=`))
  return found?.slice(tokenCookie.length + 1)
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** Compares in constant time, so that a token cannot be found byte by byte. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0)
  return difference === 0
}
