export {
  checkChain,
  clearToolResults,
  createCompactor,
  estimateTokens,
  findRunStart,
  keepValid,
  markCache,
  noCompaction,
  planCache,
  slidingWindow,
  summarise,
} from '../agent/compaction/index.ts'
export type {
  CacheOptions,
  ClearToolResultsOptions,
  CompactionInput,
  Compactor,
  CompactorChoice,
  CompactorName,
  CreateCompactorOptions,
  SlidingWindowOptions,
  SummariseOptions,
} from '../agent/compaction/index.ts'
