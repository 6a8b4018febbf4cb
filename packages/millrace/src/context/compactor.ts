import type { Message, Model, Permit, Usage } from '../events/index.ts'

/** What a compactor is given before a model is asked. */
export interface CompactionInput {
  readonly messages: readonly Message[]
  /** What the request is estimated to hold, by the caller. */
  readonly estimatedTokens: number
  /**
   * What the provider has last reported for these messages: not known where they have been compacted since,
   * `Infinity` where it refused them as too many.
   */
  readonly contextTokens?: number
  /** Where the run in hand began: the index of its prompt. */
  readonly runStart: number
  /** The model that will be asked. */
  readonly model: Model
  readonly system?: string
  readonly signal: AbortSignal
  /** Goes to the models that are asked for the compaction. */
  readonly permit?: Permit
  /** Told what a model has used that was asked for the compaction. */
  readonly onUsage?: (usage: Usage, modelId: string) => void
}

/** Makes conversations fit. Returning the same list means that nothing was done. */
export interface Compactor {
  readonly name: string
  compact(input: CompactionInput): Promise<readonly Message[]> | readonly Message[]
}

/** Leaves every conversation as it is. */
export const noCompaction: Compactor = { name: 'none', compact: ({ messages }) => messages }
