import type { AwaitedCall } from '../events/index.ts'
import { checkpoint, type Next, type Run, type RunStream } from './run.ts'

/** Leaves the rest of a turn to the browser: the pause is stored as a value before it is announced. */
export async function* pauseRun(run: Run, calls: readonly AwaitedCall[]): RunStream<Next> {
  const { turn, ...state } = run.state
  run.state = { ...state, pause: { calls, results: turn?.results ?? [], shown: 0 } }
  run.stopReason = 'awaiting_frontend_tools'
  yield checkpoint(run.state)
  yield { type: 'tools_awaited', agent: state.agent, calls }
  return 'end'
}
