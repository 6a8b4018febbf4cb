import { createRequestLoop } from './request-loop.ts'
import { createSessionId } from './session-id.ts'
import type { Session, SessionOptions } from './session.ts'
import { createSnapshotStore } from './snapshot-store.ts'

/** Opens a conversation; nothing is sent before `run`, `answer` or `watch`. */
export function createSession(options: SessionOptions): Session {
  const { session: id = createSessionId() } = options
  const store = createSnapshotStore()
  const { subscribe, getSnapshot, move } = store
  const { start, stop } = createRequestLoop(id, options, store)
  return {
    id,
    options,
    subscribe,
    getSnapshot,
    run: (text) => start('run', { prompt: { text, state: 'sending' } }),
    answer(toolUseId, content, { isError = false } = {}) {
      const { answers } = getSnapshot()
      // The first answer counts.
      const change = { ...answers, [toolUseId]: { content, isError }, ...answers }
      return start('tool_results', { answers: change })
    },
    watch: () => start('stream'),
    close() {
      move('closed')
      stop()
    },
  }
}
