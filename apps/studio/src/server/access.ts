import { requestJson } from './ask-server.ts'
import type { JsonResponse } from './ask-server.ts'
import { checkServer } from './check-server.ts'
import type { Reachability, ServerHealth } from './check-server.ts'
import { toServerUrl } from './server-address.ts'
import { keepToken, readToken, toAuthorization, toFingerprint } from './tokens.ts'
import { useSyncExternalStore } from 'react'

/** How the page stands with a server. */
export interface AccessState {
  /** Undefined until it was looked at. */
  readonly reachability: Reachability | undefined
  readonly health: ServerHealth | undefined
  /** Requests show a token. */
  readonly hasToken: boolean
  /** The server did not take the token that this tab had. */
  readonly wasRejected: boolean
  /** The person at the page is asked for the token. */
  readonly isAsking: boolean
}

/** The way to one server for all that the page asks of it. */
export interface Access {
  readonly url: string
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => AccessState
  /** What to send with every request. */
  readonly headers: () => Readonly<Record<string, string>>
  /** Names those tabs that may read for each other: with the same token they see the same. */
  readonly toGroup: () => string
  /** Asks for a value; an answer that a token is needed is looked into. */
  readonly ask: (path: string) => Promise<JsonResponse>
  /** Looks at the server, and asks for a token if it wants one. */
  readonly check: (options?: { readonly isQuiet?: boolean }) => Promise<void>
  /** Keeps a token if the server takes it; else tells how far one comes. */
  readonly tryToken: (token: string) => Promise<Reachability>
  readonly forgetToken: () => void
  /** Asks for a token, or no longer. */
  readonly askForToken: (isAsking: boolean) => void
}

const opened = new Map<string, Access>()

/** The way to a server; the same one each time. */
export function accessTo(server: string): Access {
  const url = toServerUrl(server)
  const access = opened.get(url) ?? createAccess(server, url)
  opened.set(url, access)
  return access
}

function createAccess(server: string, url: string): Access {
  const listeners = new Set<() => void>()
  let state: AccessState = {
    reachability: undefined,
    health: undefined,
    hasToken: readToken(server) !== undefined,
    wasRejected: false,
    isAsking: false,
  }
  let checking: Promise<void> | undefined
  const change = (changes: Partial<AccessState>): void => {
    state = { ...state, ...changes }
    for (const listener of listeners) listener()
  }
  const headers = () => toAuthorization(readToken(server))

  async function look(isQuiet: boolean): Promise<void> {
    const token = readToken(server)
    const report = await checkServer(url, toAuthorization(token))
    // Another one was given meanwhile, and is what counts.
    if (token !== readToken(server)) return
    const isUnauthorized = report.reachability === 'unauthorized'
    if (isUnauthorized && token !== undefined) keepToken(server, undefined)
    change({
      ...report,
      hasToken: !isUnauthorized && token !== undefined,
      wasRejected: isUnauthorized && (token !== undefined || state.wasRejected),
      isAsking: isUnauthorized && (state.isAsking || !isQuiet),
    })
  }

  const check: Access['check'] = ({ isQuiet = false } = {}) =>
    (checking ??= look(isQuiet).finally(() => (checking = undefined)))

  return {
    url,
    headers,
    toGroup: () => toFingerprint(readToken(server) ?? ''),
    check,
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async ask(path) {
      const answer = await requestJson(url + path, headers())
      if (answer.status === 401) void check()
      return answer
    },
    async tryToken(token) {
      const report = await checkServer(url, toAuthorization(token))
      if (report.reachability !== 'open') return report.reachability
      keepToken(server, token)
      change({ ...report, hasToken: true, wasRejected: false, isAsking: false })
      return 'open'
    },
    forgetToken() {
      keepToken(server, undefined)
      change({ hasToken: false, wasRejected: false })
      void check({ isQuiet: true })
    },
    askForToken: (isAsking) => change({ isAsking }),
  }
}

/** How the page stands with a server. */
export function useAccess(server: string): AccessState {
  const { subscribe, getSnapshot } = accessTo(server)
  return useSyncExternalStore(subscribe, getSnapshot)
}
