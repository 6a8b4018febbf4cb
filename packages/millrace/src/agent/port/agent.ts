import type { MillraceError } from '../../errors/index.ts'
import type { JsonObject, JsonValue } from '../../json/index.ts'
import type { AgentEvent, ContentBlock, Message, Permit, Prompt } from '../../events/index.ts'
import type { PauseAnswers } from './answers.ts'
import type { AgentCheckpoint, StoredState } from './stored-state.ts'

/** The recovery of a run whose process died: from its stored state, by repeating its prompt, or by ending it with an error. */
export type RecoveryMode = 'continue' | 'rerun' | 'end'

/** A request of a process elsewhere that produces the events of a run. [PROD-1] */
export type ProducerRequest =
  | {
      /** Makes the sender the producer of the run. A repeated `id` has the same outcome. */
      readonly type: 'open'
      readonly id: string
    }
  | {
      readonly type: 'append'
      readonly epoch: number
      /** The number of the first event, in the producer's own count from 0. */
      readonly seq: number
      readonly events: readonly JsonValue[]
      /** Number of messages to the run that the producer has read; not compared if absent. */
      readonly steers?: number
    }

/** A command to a run. `at` is when it was received, in milliseconds since the epoch. */
export type AgentCommand =
  | {
      readonly type: 'stop'
      /** The sub-agent to stop; the whole run if absent. */
      readonly agent?: string | undefined
      /** Also reaches a sub-agent that enters the run later. */
      readonly isKept?: boolean
    }
  | {
      readonly type: 'steer'
      /** A message to the run, which emits `user_message` with this very value when its model gets it. */
      readonly prompt: Prompt
      readonly agent?: string | undefined
      readonly isKept?: boolean
    }
  | {
      readonly type: 'answer'
      readonly answers: PauseAnswers
      readonly at: number
      /** Selects agents whose calls do not exist for the sender. */
      readonly hides?: ((agent: string) => boolean) | undefined
      /** Asks for the verdict without an effect. */
      readonly isTrial?: boolean
    }
  /** Denies calls whose requests for approval have expired. [APR-4] */
  | { readonly type: 'expire'; readonly at: number }
  /** Only agents whose events come from elsewhere take it. */
  | { readonly type: 'produce'; readonly request: ProducerRequest }

/** The reply to a command. */
export interface Verdict {
  /** `repeated` if the command had its effect before, `conflict` if another one came first, `unknown` if there is no such call. */
  readonly verdict: 'taken' | 'repeated' | 'conflict' | 'unknown'
  /** The error to report for a command that was not taken. */
  readonly error?: MillraceError
  /** Resolves with the reply to a producer once the effect of its request is emitted; rejects if the run ends before. */
  readonly reply?: Promise<JsonObject>
}

/** The reply to a command that a paused run was offered. Nothing is stored yet. */
export interface Offer extends Verdict {
  /** Whether the run continues. */
  readonly resumes: boolean
  /** The state with the effect; absent if the command changes nothing. */
  readonly checkpoint?: AgentCheckpoint
  /** The events that report the effect, where the run stays paused. */
  readonly events?: readonly AgentEvent[]
}

/** An agent in whose step the process died. */
export interface UnsettledAgent {
  readonly agent: string
  /** Whether content of the step was shown, which the agent takes back with a rollback. */
  readonly isShown: boolean
  /** The ids of calls that were shown. No other agent may use them. [CALL-1] */
  readonly calls: readonly string[]
}

/** The start of a run, or of its continuation. */
export interface RunStart {
  /** The id of the root agent. */
  readonly agent: string
  /** The id of the session, which differs from that of the root agent in a branch; absent outside of servers. */
  readonly session?: string
  readonly stored: StoredState
  /** The checkpoint of an offer that has just been stored, so that the state need not be read. */
  readonly from?: AgentCheckpoint | undefined
  /** Whether the messages of `run_start` and `run_end` are sent to readers, and must then be those of the whole conversation. */
  readonly needsHistory?: boolean
  /** A prompt; it closes calls that are pending. */
  readonly prompt?: Prompt
  /** Ends the run, or one sub-agent that waits in it. */
  readonly stop?: true | string
  /** The agents that a crash interrupted. */
  readonly unsettled?: readonly UnsettledAgent[]
}

/** Options of a run that the server sets. */
export interface AgentRunOptions {
  /** The context of the request that started the run, for tools and instructions; the same after a pause and a crash. [SES-6] */
  readonly context?: JsonValue
  readonly signal?: AbortSignal
  /**
   * Awaited before each model call, tool and file fetch. A server confirms there that it still owns the run; it aborts
   * the signal if not, and nothing starts.
   */
  readonly permit?: Permit
  /** The time for which a request for approval can be approved, and an approval can start its tool; unlimited if absent. */
  readonly approvalTtlMs?: number
  /** The clock of approvals, in milliseconds since the epoch. */
  readonly now?: () => number
}

/** A run, read once. It starts when it is first read. */
export interface AgentStream extends AsyncIterable<AgentEvent | AgentCheckpoint> {
  /** Offers a command to the run; absent if it takes none. The server aborts such a run to stop it. */
  readonly offer?: (command: AgentCommand) => Verdict
  /** Resolves when the run has its pending calls and can judge answers. */
  readonly begun?: Promise<void>
  /** Checks whether the run is pausing or ending and takes no more commands. */
  readonly isEnding?: () => boolean
}

/** The messages of one run. */
export interface RunMessages {
  readonly messages: readonly Message[]
  /** Results of a paused run that are not part of its messages yet. */
  readonly results?: readonly ContentBlock[]
}

/**
 * The port between a server and an agent. A plain agent has a name and a generator of events. An agent with a state emits checkpoints, and the
 * server stores them without reading them.
 */
export interface Agent {
  readonly name: string
  /** Description shown to parent agents. */
  readonly description?: string
  /** The id of its model. */
  readonly model?: string
  /** The recovery of its runs by the server; `rerun` if absent. An agent that emits checkpoints usually continues. */
  readonly recovery?: RecoveryMode
  /**
   * Runs until the end or the next pause. Emits `run_end` last. A checkpoint comes before the event whose frames it must be stored with.
   */
  run(start: RunStart, options?: AgentRunOptions): AgentStream
  /** Offers a command to a run that has paused; absent if runs do not pause. */
  offer?(stored: StoredState, command: AgentCommand): Promise<Offer>
  /** Reads the messages of one run by the place in its last checkpoint; absent if the agent emits no checkpoints. */
  conversation?(stored: StoredState, place: object): Promise<RunMessages>
}
