import { isJsonObject } from 'millrace'
import { type Finding, note, ok, problem, toTime } from './finding.ts'
import { explainFailure } from './failures.ts'
import { explainRefusal, explainStranger, toServerError } from './refusal.ts'
import { describeReply, type Reply } from './reply.ts'
import { toBase, type Visit } from './visit.ts'

interface Reached {
  readonly finding: Finding
  /** The base of the server; absent if there is nothing to examine. */
  readonly base?: URL
  readonly headers?: Readonly<Record<string, string>>
}

const maxRedirects = 5
const description = 'openapi.json'

/** Checks whether a Millrace server responds at an address, or identifies the other program. */
export async function reach(visit: Visit): Promise<Reached> {
  try {
    return await find(visit)
  } catch (error) {
    visit.signal.throwIfAborted()
    const { seen, why } = explainFailure(error)
    return { finding: problem(`${seen} (${visit.base.host})`, why) }
  }
}

async function find(visit: Visit): Promise<Reached> {
  const { base } = visit
  const { url, reply } = await follow(visit, new URL(description, base))
  const { headers } = reply
  if (isAway(base, url)) return { finding: ledAway(base, url), headers }
  if (isDescription(reply) && url.pathname.endsWith(`/${description}`)) {
    const found = toBase(new URL('.', url))
    const isHere = found.href === base.href
    const finding = isHere
      ? ok(`A Millrace server responded in ${toTime(reply.tookMs)}`)
      : ledOn(base, found)
    return { finding, base: found, headers }
  }
  if (toServerError(reply.text)?.code === 'forbidden') {
    return { finding: explainRefusal(reply, visit), headers }
  }
  return { ...(await findOtherwise(visit, reply)), headers }
}

/** Searches on: the description may be blocked, or the address may be too long or too short. */
async function findOtherwise({ base, ask, token }: Visit, first: Reply): Promise<Reached> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const listed = await ask('agent/sessions?limit=0', { headers })
  const code = toServerError(listed.text)?.code ?? 'not_found'
  const isServer = Array.isArray(listed.json?.['sessions']) || code !== 'not_found'
  if (isServer) return { finding: hidden(first), base }
  for (const path of otherPaths(base)) {
    const other = new URL(path, base)
    const reply = await ask(new URL(description, other).href)
    if (isDescription(reply)) return { finding: elsewhere(base, other) }
  }
  const error = toServerError(first.text)
  return { finding: error === undefined ? explainStranger(first) : lost(error.message) }
}

async function follow(visit: Visit, start: URL): Promise<{ url: URL; reply: Reply }> {
  let url = start
  for (let hops = 0; ; hops++) {
    const reply = await visit.ask(url.href)
    const { location } = reply.headers
    const isRedirect = reply.status >= 300 && reply.status < 400 && location !== undefined
    if (!isRedirect || !URL.canParse(location, url) || hops === maxRedirects) return { url, reply }
    const next = new URL(location, url)
    if (isAway(start, next)) return { url: next, reply }
    url = next
  }
}

/** No request goes to another host, or to this one without TLS: they must not get the token. */
function isAway(from: URL, to: URL): boolean {
  return from.hostname !== to.hostname || (from.protocol === 'https:' && to.protocol !== 'https:')
}

/** Returns the parent paths, and common paths of APIs. */
function otherPaths({ pathname }: URL): readonly string[] {
  const parts = pathname.split('/').filter((part) => part !== '')
  const above = parts.map((_, count) => ['', ...parts.slice(0, count), ''].join('/'))
  const nearest = above.reverse().slice(0, 4)
  return [...new Set([...nearest, `${pathname}api/`, '/api/'])].filter((path) => path !== pathname)
}

function isDescription({ status, json }: Reply): boolean {
  const info = json?.['info']
  return status === 200 && isJsonObject(info) && info['title'] === 'Millrace'
}

function ledOn(base: URL, found: URL): Finding {
  return note(
    `${base.href} redirects to ${found.href}, where a Millrace server responds`,
    'A POST that is redirected may lose its body or become a GET: give clients the second address.',
  )
}

function ledAway(base: URL, url: URL): Finding {
  return problem(
    `${base.href} redirects to ${url.origin}`,
    'If that is a login page, exclude the paths of the API from it; if it is the server, examine that address.',
  )
}

function hidden(reply: Reply): Finding {
  return note(
    `A Millrace server responds, but /openapi.json returned ${describeReply(reply)}`,
    'The proxy passes on some paths only: /health and /doctor/stream may be missing too.',
    'paths',
  )
}

function elsewhere(base: URL, other: URL): Finding {
  return problem(
    `There is no Millrace server at ${base.href}, but one at ${other.href}`,
    'Use that address, or let the proxy remove the prefix.',
    'paths',
  )
}

function lost(message: string): Finding {
  return problem(
    `A Millrace server responds, but receives other paths: ${message}`,
    'The proxy does not remove the prefix of the path, which the server does not know.',
    'paths',
  )
}
