import { checkServer } from './check-server.ts'
import type { Reachability, ServerHealth } from './check-server.ts'
import { requestJson } from './request-json.ts'
import type { JsonResponse } from './request-json.ts'
import { toServerUrl } from './server-address.ts'
import { keepToken, readToken, toAuthorization, toFingerprint } from './tokens.ts'
import { createListeners } from '../ui/index.ts'
import { useSyncExternalStore } from 'react'

/** State of the access to a server. */
export interface AccessState {
  /** Undefined until the server was checked. */
  readonly reachability: Reachability | undefined
  readonly health: ServerHealth | undefined
  /** Requests contain a token. */
  readonly hasToken: boolean
  /** The server rejected the token of this tab. */
  readonly wasRejected: boolean
  /** The token dialog is open. */
  readonly isAsking: boolean
}

/** Access to one server for all requests of the page. */
export interface Access {
  readonly url: string
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => AccessState
  /** Returns the headers of every request. */
  readonly headers: () => Readonly<Record<string, string>>
  /** Returns the group of tabs that can share a reader: those with the same token. */
  readonly toGroup: () => string
  /** Requests a JSON value. A response with status 401 starts a check. */
  readonly ask: (path: string) => Promise<JsonResponse>
  /** Checks the server and opens the token dialog if it needs a token. */
  readonly check: (options?: { readonly isQuiet?: boolean }) => Promise<void>
  /** Stores a token if the server accepts it; otherwise returns the reachability. */
  readonly tryToken: (token: string) => Promise<Reachability>
  readonly forgetToken: () => void
  /** Opens or closes the token dialog. */
  readonly askForToken: (isAsking: boolean) => void
}

const opened = new Map<string, Access>()

/** Returns the access to a server, always the same object. */
export function accessTo(server: string): Access {
  const url = toServerUrl(server)
  const access = opened.get(url) ?? createAccess(server, url)
  opened.set(url, access)
  return access
}

function createAccess(server: string, url: string): Access {
  const listeners = createListeners()
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
    listeners.notify()
  }
  const headers = () => toAuthorization(readToken(server))

  async function look(isQuiet: boolean): Promise<void> {
    const token = readToken(server)
    const report = await checkServer(url, toAuthorization(token))
    // Another token was set meanwhile.
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
    subscribe: listeners.subscribe,
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

/** Returns the state of the access to a server. */
export function useAccess(server: string): AccessState {
  const { subscribe, getSnapshot } = accessTo(server)
  return useSyncExternalStore(subscribe, getSnapshot)
}
