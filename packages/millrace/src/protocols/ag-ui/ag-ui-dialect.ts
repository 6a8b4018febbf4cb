import type { PendingCall } from '../../events/index.ts'
import { type EventDialect, readChoice } from '../port/index.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { AgUiWriter } from './ag-ui-writer.ts'

/** The calls for which a thread waits. */
export interface AgUiWaiting {
  /** Those that the client answers. */
  readonly results: readonly PendingCall[]
  /** Those that need a person's word. */
  readonly approvals: readonly PendingCall[]
  /** Whether the client was told of them before; then it is not asked to run them again. */
  readonly isTold?: boolean
}

/** How runs become AG-UI runs. */
export interface AgUiDialectOptions {
  /** The id of the thread; that of the session if there is none. */
  readonly threadId?: string
  /** The id of the run that is read; if there is none, each part of a run has its own. */
  readonly runId?: string
  /** The run that the client says it goes on from. */
  readonly parentRunId?: string
  /** What becomes of sub-agents: their own events, or nothing but the calls that the client must answer. */
  readonly subagents?: 'native' | 'drop'
  /** Whether the question is told as a message of the user; clients that asked it have it already. */
  readonly prompts?: 'tell' | 'leave_out'
  /** The calls whose results the client has sent itself, and holds as messages of its own. */
  readonly answered?: ReadonlySet<string>
  /** Said right after `RUN_STARTED`. */
  readonly opening?: readonly AgUiEvent[]
  /** What the thread waits for where nothing new is said of it; without an answer such a stream is empty. */
  readonly waiting?: () => AgUiWaiting | undefined
  /** What the client itself has said to the run under way, and holds as a message of its own. */
  readonly steered?: string
  /** Whose words are used where clients differ: TanStack AI knows what waits under names of its own. */
  readonly client?: 'any' | 'tanstack'
  /** What ends a stream that the server must cut: an error, or nothing for clients that come back by themselves. */
  readonly cuts?: 'error' | 'silent'
}

/**
 * AG-UI 1.0: each part of a run, up to its end or a pause, is an AG-UI run of the thread that the session is.
 * Everything that has no event of its own stands in `metadata`, or in a `CUSTOM` event named `millrace.…`.
 */
export function agUiDialect(options: AgUiDialectOptions = {}): EventDialect {
  return {
    name: 'ag-ui',
    reads: 'events',
    headers: {},
    done: undefined,
    hasLogInIds: true,
    open: (root, { session = root } = {}) => new AgUiWriter(root, session, options),
  }
}

/** The options of AG-UI that a request may choose. */
type AgUiChoices = Pick<AgUiDialectOptions, 'subagents' | 'cuts' | 'client'>

/** It mixes the words of sub-agents into the answer, and comes back by itself after a cut. */
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
