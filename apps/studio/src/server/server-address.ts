/** What was made of an address that someone gave: a server, or what is wrong with it. */
export type DecodedServer =
  | { readonly server: string; readonly problem?: undefined }
  | { readonly server?: undefined; readonly problem: string }

/** Reads the address of a server as people write it. The page's own is empty, in every spelling. */
export function decodeServer(text: string, page: string = location.href): DecodedServer {
  const given = text.trim()
  if (given === '') return { server: '' }
  const whole = withScheme(given)
  if (!URL.canParse(whole)) return { problem: 'This is no address; one is https://mill.example.' }
  const url = new URL(whole)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { problem: `A server is reached by http or https, not by ${url.protocol}//.` }
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'Leave name and password out of the address; a token is asked for later.' }
  }
  const server = withoutSlash(url.origin + url.pathname)
  return { server: server === withoutSlash(toOwnUrl(page)) ? '' : server }
}

/** The server that the page's address names; the page's own if it names none, or none that can be used. */
export function readServerInAddress(): string {
  return decodeServer(serverParameter()).server ?? ''
}

/** What is wrong with the server that the page's address names, if something is. */
export function findServerAddressProblem(): string | undefined {
  return decodeServer(serverParameter()).problem
}

/** The address at which a server is asked, without a slash at its end. */
export function toServerUrl(server: string, page: string = location.href): string {
  return withoutSlash(server || toOwnUrl(page))
}

/** What to call a server: its name and port, and its path if it has one. */
export function toServerName(server: string): string {
  return toServerUrl(server).replace(/^https?:\/\//, '')
}

/** Whether an address is of this machine, for which browsers make exceptions. */
export function isThisMachine(url: string): boolean {
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
  // Few servers of a machine's own are encrypted, and few others are not.
  return /^(?:localhost|127\.|\[::1\])/.test(text) ? `http://${text}` : `https://${text}`
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
