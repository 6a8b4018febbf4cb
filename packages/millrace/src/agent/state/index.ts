export type {
  AgentState,
  Decision,
  StoredResult,
  OpenTurn,
  Parent,
  Produced,
  Pause,
  CompactedContext,
} from './agent-state.ts'
export {
  agentsIn,
  changeAgent,
  changeFirst,
  findFirst,
  openCalls,
  openChildren,
  withChild,
} from './agent-tree.ts'
export {
  appendMessage,
  findResult,
  isResultFor,
  messagesOfRun,
  settleLastAnswer,
  skippedCount,
} from './message-chain.ts'
export { answerTo, decisionOn, pendingOf, waitingAgents } from './pending-calls.ts'
export { addTotals, filesOfRun, totalsOf } from './run-totals.ts'
export { readRun, readState, type ReadState } from './state-reader.ts'
export { StateWriter } from './state-writer.ts'
export { StoredCheckpoint } from './stored-checkpoint.ts'
