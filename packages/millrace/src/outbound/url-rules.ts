import { isPublicHost } from './public-host.ts'

/** Which URLs of clients are passed on to a model's provider, which fetches them. */
export interface UrlRules {
  /** Whether `http:` is passed on beside `https:`. */
  readonly http?: boolean
  /** Whether hosts of private networks are passed on. */
  readonly privateHosts?: boolean
  /** The only hosts that are passed on, private ones included: `cdn.example.com`, or `*.example.com` for all below it. */
  readonly hosts?: readonly string[]
}

/** Characters that parsers of URLs treat differently: one may see another host than the next. */
const ambiguous = /[\s\\\p{Cc}]/u

const maxUrlChars = 8_192

/** Says why a URL is not passed on to a provider; undefined if it is. */
export function urlProblem(
  text: string,
  { http = false, privateHosts = false, hosts }: UrlRules,
): string | undefined {
  if (text.length > maxUrlChars) return `is longer than ${maxUrlChars} characters`
  if (ambiguous.test(text)) return 'contains white space, a backslash or a control character'
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, username, password, hostname } = new URL(text)
  if (protocol !== 'https:' && !(http && protocol === 'http:')) {
    const data = protocol === 'data:' ? '; send the data with a source of type `base64`' : ''
    return `must begin with https://${http ? ' or http://' : ''}${data}`
  }
  if (username !== '' || password !== '') return 'must not contain a user name or a password'
  if (hosts !== undefined) {
    return isListed(hostname, hosts) ? undefined : 'has a host that this server does not allow'
  }
  if (privateHosts || isPublicHost(hostname)) return undefined
  return 'has a host that is not on the public internet'
}

function isListed(hostname: string, hosts: readonly string[]): boolean {
  const name = hostname.replace(/\.$/, '')
  return hosts.some((host) => {
    const wanted = host.toLowerCase()
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted
  })
}
