import { badRequest } from '../../errors/index.ts'
import type { Protocol, ProtocolCode } from '../port/index.ts'

/** Creates the protocol `json`: the frames of the log, which `millrace/client` reads. */
export const json = (): Protocol => define('json', () => import('../json/index.ts'))

/** Creates the protocol `xml`: the older XML stream. */
export const xml = (): Protocol => define('xml', () => import('../xml/index.ts'))

/** Creates the protocol `raw`: streams of the Messages API, for the official Anthropic SDK. */
export const raw = (): Protocol => define('raw', () => import('../raw/index.ts'))

/** Creates the protocol `segments`: the segment events of the streaming parser. */
export const segments = (): Protocol => define('segments', () => import('../segments/index.ts'))

/** Options of a protocol with routes. */
export interface PathOptions {
  /** The path of its first route; the others extend it. */
  readonly path?: string
}

/** Creates the protocol `ai-sdk`: UI message streams, and routes for `useChat` below `/ai-sdk/chat`. */
export function aiSdk(options: PathOptions = {}): Protocol {
  const path = readPath('aiSdk', options, '/ai-sdk/chat')
  return {
    ...define('ai-sdk', () => import('../ai-sdk/plans/index.ts')),
    routes: {
      chat: {
        method: 'POST',
        path,
        summary:
          'Accepts a request of `useChat` of the AI SDK; returns the stream of the run that it begins or resumes.',
      },
      stream: {
        method: 'GET',
        path: `${path}/{id}/stream`,
        summary:
          'Replays the active run of a chat and continues live; with `replay=1`, also one that has ended or paused.',
      },
      messages: {
        method: 'GET',
        path: `${path}/{id}/messages`,
        summary:
          'Returns the messages of a chat, for a page that is loaded again; none for a new chat.',
      },
    },
  }
}

/** Creates the protocol `ag-ui`: events of AG-UI, and the route `/ag-ui` for `HttpAgent`. */
export function agUi(options: PathOptions = {}): Protocol {
  return {
    ...define('ag-ui', () => import('../ag-ui/plans/index.ts')),
    routes: {
      run: {
        method: 'POST',
        path: readPath('agUi', options, '/ag-ui'),
        summary:
          'Accepts the `RunAgentInput` of AG-UI; returns the stream of the run that it begins or resumes.',
      },
    },
  }
}

/** Creates all protocols of this package, the server's default. */
export function defaultProtocols(): readonly Protocol[] {
  return [json(), xml(), raw(), segments(), aiSdk(), agUi()]
}

function define(name: string, load: () => Promise<{ readonly code: ProtocolCode }>): Protocol {
  return { name, load: async () => (await load()).code }
}

function readPath(creator: string, { path, ...others }: PathOptions, fallback: string): string {
  const [unknown] = Object.keys(others)
  if (unknown === undefined) return path ?? fallback
  throw badRequest(`${creator}() has no option ${JSON.stringify(unknown)}; it has \`path\`.`)
}
