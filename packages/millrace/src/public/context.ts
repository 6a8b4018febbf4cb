export { checkChain, findRunStart } from '../agent/compaction/chain/check-chain.ts'
export { keepValid } from '../agent/compaction/chain/keep-valid.ts'
export {
  clearToolResults,
  type ClearToolResultsOptions,
} from '../agent/compaction/clear-tool-results.ts'
export {
  noCompaction,
  type CompactionInput,
  type Compactor,
} from '../agent/compaction/compactor.ts'
export {
  createCompactor,
  type CompactorChoice,
  type CompactorName,
  type CreateCompactorOptions,
} from '../agent/compaction/create-compactor.ts'
export { markCache, planCache, type CacheOptions } from '../agent/compaction/plan-cache.ts'
export { slidingWindow, type SlidingWindowOptions } from '../agent/compaction/sliding-window.ts'
export { summarise, type SummariseOptions } from '../agent/compaction/summarise.ts'
export { estimateTokens } from '../agent/compaction/tokens/estimate-tokens.ts'
