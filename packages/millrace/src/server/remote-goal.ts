import type { Store } from '../store/index.ts'
import { createOpenGoal, type Goal } from './goal.ts'
import { toStoredSession } from './run-context.ts'

/**
 * The goal of readers of a run that another server carries on: reached when its end is in the store, lost when the
 * signal aborts or the store fails.
 */
export function createRemoteGoal(store: Store, session: string, signal: AbortSignal): Goal {
  const goal = createOpenGoal()
  const follow = async (): Promise<void> => {
    try {
      for (;;) {
        const info = await store.info(session)
        if (info === undefined) return goal.lose()
        if (toStoredSession(info)?.status !== 'running') return goal.reach(info.tail)
        await store.wait(session, info.tail, signal)
      }
    } catch {
      goal.lose()
    }
  }
  void follow()
  return goal
}
