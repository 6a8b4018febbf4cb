import { randomBytes } from 'node:crypto'

/** Planted secrets by their places; each is unique, so that a leak identifies its source. */
export interface Canaries {
  /** The key of the model's API, of a known form for one adapter and of none for the other. */
  readonly shapedKey: string
  readonly opaqueKey: string
  /** A variable of the environment. */
  readonly variable: string
  readonly bearer: string
  readonly cookie: string
  readonly header: string
  /** The parameter `key` of a URL. */
  readonly parameter: string
  /** The password of a URL. */
  readonly password: string
  /** A plain text that is registered as a secret. */
  readonly words: string
  /** The server's own token. */
  readonly token: string
  /** A JSON Web Token. */
  readonly jwt: string
  /** A long random text that no word announces. */
  readonly random: string
  /** A line of a private key. */
  readonly keyLine: string
  /** A path of the provider's machine. */
  readonly path: string
}

/** Creates new canaries. */
export function createCanaries(): Canaries {
  const unique = (): string => `7c${randomBytes(9).toString('hex')}`
  const base64 = (bytes: number): string => randomBytes(bytes).toString('base64url')
  return {
    shapedKey: `sk-ant-api03-${unique()}${unique()}`,
    opaqueKey: `opaque.${unique()}`,
    variable: `variable-${unique()}`,
    bearer: `bearer${unique()}`,
    cookie: `cookie${unique()}`,
    header: `header${unique()}`,
    parameter: `p${unique()}`,
    password: `pw${unique()}`,
    words: `plain words ${unique()}`,
    token: `token-${unique()}`,
    jwt: `eyJhbGciOiJIUzI1NiJ9.${base64(24)}.${base64(32)}`,
    random: `${unique()}${unique()}`,
    keyLine: randomBytes(48).toString('base64'),
    path: `/srv/gateway-${unique()}/config.json`,
  }
}

/** The text of an error with all canaries. */
export function tellAll(canaries: Canaries): string {
  const { shapedKey, opaqueKey, variable, bearer, cookie, header, parameter } = canaries
  const { password, words: received, token, jwt, random, keyLine, path } = canaries
  return [
    `invalid x-api-key: ${shapedKey} (${opaqueKey}), ${received}`,
    `env ${variable} token ${token}`,
    `Authorization: Bearer ${bearer}`,
    `Cookie: session_token=${cookie}; x-api-key: ${header}`,
    `POST https://api.test/v1?key=${parameter}&alt=sse via http://proxy:${password}@10.0.0.3:3128`,
    `seen ${jwt}`,
    `denied for ${random}`,
    `-----BEGIN PRIVATE KEY-----\n${keyLine}\n-----END PRIVATE KEY-----`,
    `at ${path}`,
  ].join('\n')
}

/** A secret that was found in a forbidden place. */
export interface Leak {
  readonly where: string
  readonly canary: string
}

/** Searches for canaries in all data that has left the process; a part of one counts too. */
export function findLeaks(
  canaries: Partial<Canaries>,
  places: ReadonlyMap<string, string>,
): readonly Leak[] {
  return [...places].flatMap(([where, text]) =>
    Object.entries(canaries)
      .filter(([, value]) => spellings(value).some((spelt) => text.includes(spelt)))
      .map(([canary]) => ({ where, canary })),
  )
}

/** The forms of a canary: plain, in JSON, in a URL, and in base64 as in recordings. */
function spellings(value: string): readonly string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]
}
