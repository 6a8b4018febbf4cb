import type { Message, Model, Permit, Usage } from '../../events/index.ts'

/** Input of a compactor, before each model call. */
export interface CompactionInput {
  readonly messages: readonly Message[]
  /** The caller's estimate of the request. */
  readonly estimatedTokens: number
  /**
   * The provider's last count for these messages. Undefined if they were compacted since; `Infinity` if the provider
   * rejected them as too long.
   */
  readonly contextTokens?: number
  /** Index of the prompt of the current run. */
  readonly runStart: number
  /** The model of the next request. */
  readonly model: Model
  readonly system?: string
  readonly signal: AbortSignal
  /** Permit for model calls of the compaction. */
  readonly permit?: Permit
  /** Receives the usage of model calls of the compaction. */
  readonly onUsage?: (usage: Usage, modelId: string) => void
}

/** Shortens conversations. Returns the same list if it changed nothing. */
export interface Compactor {
  readonly name: string
  compact(input: CompactionInput): Promise<readonly Message[]> | readonly Message[]
}

/** A compactor that changes nothing. */
export const noCompaction: Compactor = { name: 'none', compact: ({ messages }) => messages }
