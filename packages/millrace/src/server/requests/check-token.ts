import { MillraceError } from '../../errors/index.ts'

/** The cookie by which a page shows the token where it can set no header: for images and downloads. */
const tokenCookie = 'millrace_token'

/** Throws unless a request carries the token of the server. */
export type TokenCheck = (request: Request) => Promise<void>

/** Builds the check for a token; without one every request passes. */
export function createTokenCheck(token: string | undefined): TokenCheck {
  if (token === undefined) return async () => {}
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new MillraceError(
      'bad_request',
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
        ? 'This server asks for a token; send it as `authorization: Bearer TOKEN`.'
        : 'This is not the token of this server; whoever runs it knows the right one.',
      // Tells a token that a proxy took away from one that is wrong.
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

/** Takes as long whatever differs, so that nobody finds out a token byte by byte. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0)
  return difference === 0
}
