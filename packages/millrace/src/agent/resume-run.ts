import { fromResultBlock } from '../tools/index.ts'
import type { AgentState, Pause } from './agent-state.ts'
import { answerTo } from './answer-pause.ts'
import { closeTurn } from './close-turn.ts'
import type { Opening } from './open-run.ts'
import { checkpoint, toToolResult } from './run.ts'

/** Goes on after a pause whose calls are all answered: the stream is told each answer once, then the model. */
export function resumeRun(state: AgentState, pause: Pause): Opening {
  const told = pause.shown ?? 0
  const events = pause.calls.slice(told).flatMap((call, index) => {
    const block = answerTo(pause, call.id)
    if (block === undefined) return []
    const shown = told + index + 1
    return [
      checkpoint({ ...state, pause: { ...pause, shown } }),
      toToolResult(state.agent, call, fromResultBlock(block)),
    ]
  })
  return { state: closeTurn(state), events, next: 'model' }
}
