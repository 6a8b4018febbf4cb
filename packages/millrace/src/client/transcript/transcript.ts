import type { JsonObject } from '../../json/index.ts'
import type { AgentBook } from './reduce/agent-book.ts'
import type { Block } from './block.ts'
import type { Sequence } from './sequence.ts'

/** Where a conversation stands, as a person would say it. */
export type TranscriptStatus =
  | 'idle'
  | 'streaming'
  | 'awaiting_tools'
  | 'complete'
  | 'error'
  | 'aborted'

/** A call that waits for the browser. */
export interface PendingTool {
  readonly agent: string
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
  /** The call waits for a person's consent, not for a result. */
  readonly approval?: boolean
  /** The hash of its arguments, if it waits for approval. [APR-1] */
  readonly inputHash?: string
  /** When approval was requested, and until when it can be given, in ISO 8601. [APR-4] */
  readonly askedAt?: string
  readonly expiresAt?: string
}

/** Why a run failed, in words that may be shown. */
export interface TranscriptError {
  readonly type: string
  readonly message: string
  readonly code: string
  readonly retriable: boolean
}

/** One question to an agent and the part of its blocks that answers it. */
export interface RunMark {
  readonly runId: string | undefined
  readonly prompt: string
  /** The key that the sender of the prompt gave it. */
  readonly messageId: string | undefined
  readonly model: string | undefined
  /** The position of the run's first block. */
  readonly firstBlock: number
  /** What `meta_end` said, once the run has ended or paused. */
  readonly end: JsonObject | undefined
}

/** The end of one model call of a run. */
export interface StepMark {
  /** The position after the step's last block. */
  readonly afterBlock: number
  /** What `meta_step` said: number, stop reason, usage, cost. */
  readonly info: JsonObject
}

/** One agent: the root, or a sub-agent under the call that spawned it. */
export interface AgentNode {
  readonly id: string
  readonly name: string | undefined
  readonly parent: string | null
  readonly parentToolUseId: string | undefined
  /** The latest `meta_init` of this agent. */
  readonly meta: JsonObject | undefined
  /** What `meta_end` and `meta_final` of this agent's latest run said, joined. */
  readonly summary: JsonObject | undefined
  readonly blocks: Sequence<Block>
  readonly runs: Sequence<RunMark>
  readonly steps: Sequence<StepMark>
  /** The reducer's own notes; not part of the contract. */
  readonly book: AgentBook
}

/** A prompt that waits for the end of a run. */
export interface QueuedPrompt {
  readonly messageId: string
  /** The beginning of its text. */
  readonly text: string
  /** The id of the message that queued it; 0 if the reader gave none. */
  readonly id: number
}

/** All that a stream has said, as an immutable value that shares what did not change. */
export interface Transcript {
  readonly status: TranscriptStatus
  /** The id of the last log message applied; resume after it. [LOG-2] */
  readonly lastId: number
  /** Set when ids left a hole: nothing after this id was applied, resume there. [LOG-3] */
  readonly gapAfter: number | undefined
  /** In order of appearance; the first is the root. */
  readonly agents: Sequence<AgentNode>
  readonly pending: readonly PendingTool[]
  /** The prompts that wait for the end of the run, in the order of their arrival. */
  readonly queue: readonly QueuedPrompt[]
  /** The id of the last message that a branch shares with its parent, if its reader knows it: prompts that wait there do not wait here. [CMD-5] */
  readonly forkedAfter: number | undefined
  readonly files: readonly JsonObject[]
  readonly error: TranscriptError | undefined
}
