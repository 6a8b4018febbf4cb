import type { PausedCall } from '../../events/index.ts'
import { type EventFormat, readChoice } from '../port/index.ts'
import type { AgUiEvent } from './ag-ui-run.ts'
import { AgUiWriter } from './ag-ui-writer.ts'

/** Pending calls of a thread. */
export interface AgUiWaiting {
  /** Calls that the client answers. */
  readonly results: readonly PausedCall[]
  /** Calls that need approval. */
  readonly approvals: readonly PausedCall[]
  /** Whether the client already received them; then it is not asked to run them again. */
  readonly isReceived?: boolean
}

/** Options of the AG-UI format. */
export interface AgUiFormatOptions {
  /** Id of the thread; by default, the id of the session. */
  readonly threadId?: string
  /** Id of the AG-UI run; by default, each part of a run has its own. */
  readonly runId?: string
  /** The run that the client names as its parent. */
  readonly parentRunId?: string
  /** Output of sub-agents: their own events, or only the calls that the client must answer. */
  readonly subagents?: 'native' | 'drop'
  /** Whether the prompt is written as a user message. Clients that sent it already have it. */
  readonly prompts?: 'tell' | 'leave_out'
  /** Calls whose results the client has sent itself and holds as messages. */
  readonly answered?: ReadonlySet<string>
  /** Events right after `RUN_STARTED`. */
  readonly opening?: readonly AgUiEvent[]
  /** Returns the pending calls of the thread, for a stream without other events. If it returns undefined, such a stream is empty. */
  readonly waiting?: () => AgUiWaiting | undefined
  /** Text that the client sent to the active run and holds as a message. */
  readonly steered?: string
  /** The client whose names are used where clients differ. TanStack AI has its own names for pending calls. */
  readonly client?: 'any' | 'tanstack'
  /** End of a stream that the server must cut: an error, or nothing for clients that reconnect by themselves. */
  readonly cuts?: 'error' | 'silent'
}

/**
 * Creates the AG-UI 1.0 format. Each part of a run, up to its end or a pause, is an AG-UI run of the session's thread. Data without an
 * event of its own is in `metadata`, or in a `CUSTOM` event named `millrace.…`.
 */
export function agUiFormat(options: AgUiFormatOptions = {}): EventFormat {
  return {
    name: 'ag-ui',
    reads: 'events',
    headers: {},
    done: undefined,
    hasLogInIds: true,
    open: (root, { session = root } = {}) => new AgUiWriter(root, session, options),
  }
}

/** AG-UI options of a request. */
type AgUiChoices = Pick<AgUiFormatOptions, 'subagents' | 'cuts' | 'client'>

/** TanStack AI mixes the text of sub-agents into the answer, and reconnects by itself after a cut. */
const TANSTACK: AgUiChoices = { client: 'tanstack', subagents: 'drop', cuts: 'silent' }

/** Reads the AG-UI options of a query. */
export function readAgUiOptions(query: URLSearchParams): AgUiChoices {
  const { client } = readChoice(query, 'client', ['any', 'tanstack'])
  return {
    ...(client === 'tanstack' && TANSTACK),
    ...readChoice(query, 'subagents', ['native', 'drop']),
    ...readChoice(query, 'cuts', ['error', 'silent']),
  }
}
