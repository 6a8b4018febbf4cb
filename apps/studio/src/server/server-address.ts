/** A server, or the problem of its address. */
export type DecodedServer =
  | { readonly server: string; readonly problem?: undefined }
  | { readonly server?: undefined; readonly problem: string }

/** Parses the address of a server. The page's own server is the empty string in every spelling. */
export function decodeServer(text: string, page: string = location.href): DecodedServer {
  const given = text.trim()
  if (given === '') return { server: '' }
  const whole = withScheme(given)
  if (!URL.canParse(whole))
    return { problem: 'This is not a valid address, such as https://mill.example.' }
  const url = new URL(whole)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { problem: `Use http or https instead of ${url.protocol}//.` }
  }
  if (url.username !== '' || url.password !== '') {
    return {
      problem:
        'Remove the name and the password from the address. The page asks for a token later.',
    }
  }
  const server = withoutSlash(url.origin + url.pathname)
  return { server: server === withoutSlash(toOwnUrl(page)) ? '' : server }
}

/** Returns the server in the page's address; the page's own if there is none or it is invalid. */
export function readServerInAddress(): string {
  return decodeServer(serverParameter()).server ?? ''
}

/** Returns the problem of the server in the page's address. */
export function findServerAddressProblem(): string | undefined {
  return decodeServer(serverParameter()).problem
}

/** Returns the base address of a server without a trailing slash. */
export function toServerUrl(server: string, page: string = location.href): string {
  return withoutSlash(server || toOwnUrl(page))
}

/** Returns the name of a server: host, port and path. */
export function toServerName(server: string): string {
  return toServerUrl(server).replace(/^https?:\/\//, '')
}

/** Reports whether an address is local, for which browsers make exceptions. */
export function isLocalAddress(url: string): boolean {
  const { hostname } = new URL(url)
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

function serverParameter(): string {
  return new URL(location.href).searchParams.get('server') ?? ''
}

function toOwnUrl(page: string): string {
  const { origin, pathname } = new URL('.', page)
  return origin + pathname
}

function withScheme(text: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return text
  // Local servers rarely use TLS, others usually do.
  return /^(?:localhost|127\.|\[::1\])/.test(text) ? `http://${text}` : `https://${text}`
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
