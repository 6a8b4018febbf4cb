export type {
  AgentState,
  Decision,
  StoredResult,
  OpenTurn,
  Parent,
  Pause,
  CompactedContext,
} from './agent-state.ts'
export {
  agentsIn,
  changeAgent,
  changeFirst,
  findFirst,
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
export { openCalls } from './open-calls.ts'
export { pendingOf, waitingAgents } from './pending-calls.ts'
export { addTotals, filesOfRun, totalsOf } from './run-totals.ts'
export { readRun, readState, type ReadState } from './state-reader.ts'
export { StateWriter } from './state-writer.ts'
export { StoredCheckpoint } from './stored-checkpoint.ts'
export { answerTo, decisionOn } from './turn-answers.ts'
